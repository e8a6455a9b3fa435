import { unwrap } from '#client/clientError.ts'
import type { LiveOutput, LiveRun } from '#client/follow.ts'
import type { Candle, CandlesMessage, ListRow, ListState, Trade, TradesEvent, TradesFilter } from '#client/generated/types.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import { LIST_CELLS } from '#protocol/listCells.ts'
import { firstDifference, foldCandleChange } from './foldCandleChange.ts'
import { expectToReach } from './gapRepair.ts'
import { LiveEvents } from './liveEvents.ts'
import type { CandlesState, LatestTradesQuery, ListQuery, LiveEvent, WalletState, WatchedCandlesQuery } from './liveTypes.ts'
import { subscribeChannel } from './subscribeChannel.ts'

/** How often a wallet is read although it did not trade: prices move, and transfers are no events of a channel. */
const WALLET_MS = 60_000

const CANDLES = 300
const TRADES = 50
const HELD = 50
/** The default of a list, and the most rows that REST answers at once. */
const ROWS = 50
const MAX_REST_ROWS = 100

/** The list as the channel sends it. While no connection brings the channel, it is read over REST. */
export function startList(client: Tokenwire, filters: ListQuery, output: LiveOutput<ListState>): LiveRun {
  let newest = 0

  /** Makes the sequence rise even when another server counts lower. */
  function tell(state: ListState): void {
    newest = Math.max(newest + 1, state.sequence)
    output.next({ ...state, sequence: newest })
  }

  return renewable(() => {
    const link = subscribeChannel(client.extension, {
      channel: 'list',
      filters,
      position: () => ({ delta: true }),
      receive: ({ type: _, ...state }: { readonly type: 'list' } & ListState) => tell(state),
      end: error => output.end(error),
    })
    const reader = client.extension.startReading({
      ...output,
      isFollowed: link.isLive,
      async read(signal) {
        const { data, asOfBlock } = unwrap(
          await client.tokens({ ...filters, limit: Math.min(filters.limit ?? ROWS, MAX_REST_ROWS) }, { signal }),
        )
        const rows = data.map(token => Object.fromEntries(Object.entries(LIST_CELLS).map(([name, cellOf]) => [name, cellOf(token)])))
        if (!link.isLive()) tell({ data: rows as unknown as readonly ListRow[], asOfBlock, sequence: 0 })
      },
    })
    return [link.close, reader.stop]
  })
}

/** The service sends at most the newest 60 candles. REST brings older ones when the channel begins anew, and all without a connection. */
export function startCandles(
  client: Tokenwire,
  { limit = CANDLES, ...filters }: WatchedCandlesQuery,
  output: LiveOutput<CandlesState>,
): LiveRun {
  const { token, ...query } = filters
  return renewable(() => {
    let older: readonly Candle[] = []
    let newest: readonly Candle[] = []
    let delivered: readonly Candle[] = []
    const link = subscribeChannel(client.extension, {
      channel: 'candles',
      filters,
      position: () => null,
      receive,
      end: error => output.end(error),
    })
    const reader = client.extension.startReading({
      ...output,
      isFollowed: link.isLive,
      async read(signal) {
        const answer = await client.candles(token, { ...query, limit }, { signal })
        // A token that is not indexed yet has no older candles.
        if (!answer.ok && answer.error.code === 'not_found') return
        const page = unwrap(answer)
        if (!link.isLive()) newest = []
        const start = newest[0]?.time ?? Number.POSITIVE_INFINITY
        older = page.data.filter(({ time }) => time < start)
        tell()
      },
    })

    function tell(from?: number): void {
      const candles = foldCandleChange(older, { from: Number.POSITIVE_INFINITY, data: newest }, limit)
      const changedFrom = from ?? firstDifference(delivered, candles)
      delivered = candles
      output.next({ candles, changedFrom })
    }

    function receive(message: CandlesMessage): void {
      const { from } = message
      newest = foldCandleChange(newest, message, limit)
      older = older.filter(({ time }) => time < (from || (newest[0]?.time ?? 0)))
      if (from === 0) reader.read()
      tell(from)
    }

    // REST brings the candles until there is a connection.
    if (!link.isLive()) reader.read()
    return [link.close, reader.stop]
  })
}

/** Reads the list when the channel begins, and again after a reorg or a gap. */
export function startLatestTrades(
  client: Tokenwire,
  { limit = TRADES, ...filter }: LatestTradesQuery,
  output: LiveOutput<readonly Trade[]>,
): LiveRun {
  const { launchpads, ...rest } = filter
  const query = { ...rest, ...(launchpads === undefined ? {} : { launchpad: launchpads }), limit }
  return renewable(() => {
    let trades: readonly Trade[] = []
    let isRead = false
    let since = '0-0'
    /** First block that became void since the read began. */
    let voidFrom = Number.POSITIVE_INFINITY
    const reader = client.extension.startReading({
      ...output,
      isFollowed: () => events.isLive(),
      async read(signal) {
        voidFrom = Number.POSITIVE_INFINITY
        const { data, asOfBlock } = unwrap(await client.marketTrades(query, { signal }))
        isRead = true
        // What the channel has brought since. Without a connection, no reorg message says which of it is void.
        const later = (block: number) => events.isLive() && (block > Number(asOfBlock) || block >= voidFrom)
        tell([...before(voidFrom, data), ...trades.filter(({ blockNumber }) => later(Number(blockNumber)))])
        if (events.isLive()) expectToReach(asOfBlock, since)
      },
    })

    function newest(all: readonly Trade[]): readonly Trade[] {
      const byId = new Map(all.map(trade => [trade.id, trade]))
      return [...byId.values()].sort((a, b) => orderOf(b, a)).slice(0, limit)
    }

    function tell(all: readonly Trade[]): void {
      trades = newest(all)
      if (isRead) output.next(trades)
    }

    const events = followTrades(client, filter, output, event => {
      if (event.type === 'trades') return tell([...trades, ...event.data])
      since = event.cursor
      if (event.type === 'reorg') {
        const from = Number(event.fromBlock)
        voidFrom = Math.min(voidFrom, from)
        tell(before(from, trades))
      } else trades = []
      reader.read()
    })
    return [events.pause, reader.stop]
  })
}

export function startWallet(client: Tokenwire, address: string, output: LiveOutput<WalletState>): LiveRun {
  return renewable(() => {
    const reader = client.extension.startReading({
      ...output,
      isFollowed: () => false,
      periodMs: () => WALLET_MS,
      async read(signal) {
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
      },
    })
    const events = followTrades(client, { makers: [address] }, output, () => reader.read())
    return [events.pause, reader.stop]
  })
}

/** Missed trades are reported as a gap. */
function followTrades(
  { extension }: Tokenwire,
  filters: TradesFilter,
  { failed, end }: Pick<LiveOutput<never>, 'failed' | 'end'>,
  next: (event: LiveEvent<TradesEvent>) => void,
): LiveEvents<TradesEvent> {
  return new LiveEvents(extension, { channel: 'trades', filters, repair: null }, {}, { next, failed, end })
}

/** A state that begins anew after a pause. `begin` returns the functions that end it. */
function renewable(begin: () => readonly (() => void)[]): LiveRun {
  let ends = begin()
  const pause = () => {
    for (const end of ends) end()
  }
  return {
    pause,
    resume() {
      ends = begin()
    },
  }
}

function before(block: number, trades: readonly Trade[]): readonly Trade[] {
  return trades.filter(({ blockNumber }) => Number(blockNumber) < block)
}

function orderOf(a: Trade, b: Trade): number {
  return Number(a.blockNumber) - Number(b.blockNumber) || a.logIndex - b.logIndex
}
