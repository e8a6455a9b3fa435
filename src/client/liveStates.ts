import { coalesce } from '#async/coalesce.ts'
import type { Candle } from '#domain/candle.ts'
import type { Trade } from '#domain/trade.ts'
import type { CandlesMessage } from './channelMessages.ts'
import type { ClientError } from './clientError.ts'
import { foldCandleChange } from './foldCandleChange.ts'
import type { LiveOutput, LiveRun } from './liveMethod.ts'
import type {
  CandlesState,
  LatestTradesQuery,
  ListQuery,
  ListState,
  Live,
  LiveHandle,
  WalletState,
  WatchedCandlesQuery,
} from './liveTypes.ts'
import { unwrap } from './result.ts'
import type { Tokenwire } from './tokenwire.ts'

/** Pause after a failed request. */
const RETRY_MS = 5_000

/** How often a wallet is read although it did not trade: prices move, and transfers are no events of a channel. */
const WALLET_MS = 60_000

const CANDLES = 300
const TRADES = 50
const HELD = 50

/** A state that is subscribed to as it is has nothing to keep for a reader that pauses: the newest is all there is. */
const stays = { pause: () => {}, resume: () => {} }

export function startList({ extension }: Tokenwire, filters: ListQuery, output: LiveOutput<ListState>): LiveRun {
  const { close } = extension.subscribe({
    channel: 'list',
    filters,
    position: () => null,
    receive(message) {
      if (message.type !== 'list') return
      const { data, asOfBlock, sequence } = message
      output.next({ data, asOfBlock, sequence })
    },
    end: error => output.end(error),
  })
  return { stop: close, ...stays }
}

/** The service sends at most the newest 60 candles. Older ones are read whenever it begins anew. */
export function startCandles(
  client: Tokenwire,
  { limit = CANDLES, ...filters }: WatchedCandlesQuery,
  output: LiveOutput<CandlesState>,
): LiveRun {
  const { token, ...query } = filters
  let older: readonly Candle[] = []
  let newest: readonly Candle[] = []
  const reader = reading(client, output, async signal => {
    const answer = await client.candles(token, { ...query, limit }, { signal })
    // A token that is not indexed yet has no older ones.
    if (!answer.ok && answer.error.code === 'not_found') return
    const page = unwrap(answer)
    const start = newest[0]?.time ?? Number.POSITIVE_INFINITY
    older = page.data.filter(({ time }) => time < start)
    tell(0)
  })

  function tell(changedFrom: number): void {
    output.next({ candles: foldCandleChange(older, { from: Number.POSITIVE_INFINITY, data: newest }, limit), changedFrom })
  }

  function receive(message: CandlesMessage): void {
    const { from } = message
    newest = foldCandleChange(newest, message, limit)
    if (from === 0) {
      older = older.filter(({ time }) => time < (newest[0]?.time ?? 0))
      reader.read()
    }
    tell(from)
  }

  const { close } = client.extension.subscribe({
    channel: 'candles',
    filters,
    position: () => null,
    receive: message => message.type === 'candles' && receive(message),
    end: error => output.end(error),
  })
  return stopping({ close }, reader)
}

/** The list is read when the channel begins, and again when more is void or missed than its events tell. */
export function startLatestTrades(
  client: Tokenwire,
  live: Pick<Live, 'trades'>,
  { limit = TRADES, ...filter }: LatestTradesQuery,
  output: LiveOutput<readonly Trade[]>,
): LiveRun {
  let held: ReadonlyMap<string, Trade> = new Map()
  let isRead = false
  /** Counts what makes an answer that is on its way too old. */
  let epoch = 0
  const { launchpads, ...rest } = filter
  const query = { ...rest, ...(launchpads === undefined ? {} : { launchpad: launchpads }), limit }
  const reader = reading(client, output, async signal => {
    const begunAt = epoch
    const page = unwrap(await client.marketTrades(query, { signal }))
    if (epoch !== begunAt) return
    isRead = true
    hold([...page.data, ...held.values()])
  })

  function hold(trades: readonly Trade[]): void {
    const byId = new Map(trades.map(trade => [trade.id, trade]))
    held = new Map([...byId].sort(([, a], [, b]) => orderOf(b, a)).slice(0, limit))
    if (isRead) output.next([...held.values()])
  }

  const handle = live.trades(
    filter,
    event => {
      if (event.type === 'trades') return hold([...held.values(), ...event.data])
      const voidFrom = event.type === 'reorg' ? Number(event.fromBlock) : event.type === 'gap' ? 0 : Number.POSITIVE_INFINITY
      held = new Map([...held].filter(([, trade]) => Number(trade.blockNumber) < voidFrom))
      epoch++
      reader.read()
    },
    { onEnd: error => output.end(error) },
  )
  return stopping(handle, reader)
}

export function startWallet(client: Tokenwire, live: Pick<Live, 'trades'>, address: string, output: LiveOutput<WalletState>): LiveRun {
  let cancel = () => {}
  const reader = reading(client, output, async signal => {
    cancel()
    const page = { limit: HELD }
    const [wallet, holdings, trades, claims] = await Promise.all([
      client.wallet(address, { signal }),
      client.holdings(address, page, { signal }),
      client.walletTrades(address, page, { signal }),
      client.claims(address, page, { signal }),
    ])
    output.next({
      wallet: unwrap(wallet),
      holdings: unwrap(holdings).data,
      trades: unwrap(trades).data,
      claims: unwrap(claims).data,
    })
    cancel = client.extension.after(WALLET_MS, reader.read)
  })
  const handle = live.trades({ makers: [address] }, () => reader.read(), { onEnd: error => output.end(error) })
  return stopping(handle, {
    stop() {
      cancel()
      reader.stop()
    },
  })
}

function stopping(handle: LiveHandle, reader: { stop(): void }): LiveRun {
  return {
    stop() {
      handle.close()
      reader.stop()
    },
    ...stays,
  }
}

/** Reads something over REST, one read at a time, and again some time after a failure. A refused request ends the query. */
function reading({ extension }: Tokenwire, output: Pick<LiveOutput<never>, 'end'>, read: (signal: AbortSignal) => Promise<void>) {
  const ending = new AbortController()
  const { signal } = ending
  let cancel = () => {}
  const runs = coalesce<null>(
    () => read(signal),
    error => {
      const { code } = error as ClientError
      if (code === 'closed') return
      if (code === 'rejected') {
        output.end(error as ClientError)
        return
      }
      extension.onError(error)
      cancel()
      cancel = extension.after(RETRY_MS, () => runs.request(null))
    },
  )
  return {
    read: () => runs.request(null),
    stop() {
      cancel()
      ending.abort()
      runs.stop()
    },
  }
}

function orderOf(a: Trade, b: Trade): number {
  return Number(a.blockNumber) - Number(b.blockNumber) || a.logIndex - b.logIndex
}
