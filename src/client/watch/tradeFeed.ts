import { coalesce } from '#async/coalesce.ts'
import { pollMs } from '#client/backoff.ts'
import type { ClientContext } from '#client/context.ts'
import type { AbortSignalLike } from '#client/ending.ts'
import type { RestApi } from '#client/generated/restMethods.ts'
import type { Trade } from '#client/generated/types.ts'
import { items } from '#client/rest/items.ts'
import type { CompleteState, ReceivedState } from './knownToken.ts'
import type { NewTrades } from './watch.ts'

/** At most this many missed trades are fetched. Older ones are reported as a gap. */
const MAX_MISSED = 1_000

const PAGE = 100

/** Pause after a fetch that failed or did not help. It grows. */
const RETRY_MS = 5_000

export interface TradeFeedOptions {
  readonly address: string
  readonly api: Pick<RestApi, 'trades'>
  readonly signal: AbortSignalLike
  readonly since: Trade | null | undefined
  readonly onTrades: (news: NewTrades) => void
}

/** Turns the updates of a token into its trades. Trades that updates do not carry are fetched. */
export class TradeFeed {
  readonly #options: TradeFeedOptions
  /** Trades up to this one count as delivered. `null`: the token had none yet; `undefined`: not known. */
  #last: Trade | null | undefined
  /** The newest update. Updates of another connection may overlap with it. */
  #update: CompleteState | undefined
  /** Trade count of the newest state; `null`: no state has arrived. */
  #count: number | null = null
  /** Whether trades after `#last` have to be fetched. */
  #isBehind = false
  /** States that arrived since a fetch began. `null`: no fetch is under way. */
  #waiting: ReceivedState[] | null = null
  /** Fetches, unless a pause is under way. */
  readonly #request: () => void

  constructor({ timers, random, onError, pauses }: ClientContext, options: TradeFeedOptions) {
    const { signal, since } = options
    this.#options = options
    this.#last = since
    /** Fetches in a row that failed or did not help. */
    let failures = 0
    let cancel = () => {}
    const endPause = () => {
      pauses.delete(retry)
      cancel()
    }
    const retry = () => {
      endPause()
      runs.request(null)
    }
    const runs = coalesce<null>(async () => {
      this.#waiting = []
      try {
        await this.#fetch()
      } finally {
        const waiting = this.#waiting
        this.#waiting = null
        for (const received of waiting) this.#fold(received)
        if (!this.#isBehind) failures = 0
        else if (!signal.aborted) {
          pauses.add(retry)
          cancel = timers.after(pollMs(RETRY_MS, random, failures++), retry)
        }
      }
    }, onError)
    this.#request = () => pauses.has(retry) || retry()
    signal.addEventListener('abort', () => {
      endPause()
      runs.stop()
    })
  }

  receive(received: ReceivedState): void {
    if (this.#waiting !== null) this.#waiting.push(received)
    else {
      this.#fold(received)
      if (this.#isBehind) this.#request()
    }
  }

  #fold(received: ReceivedState): void {
    if (received.source === 'initial') return
    const { tradeCount } = received.token.market
    if ('trades' in received) this.#foldUpdate(received, this.#update)
    else if (tradeCount !== this.#count) this.#isBehind = true
    this.#count = tradeCount
  }

  /**
   * The cases, in the order of the code:
   *
   * 1. The update is older than one of another connection.
   * 2. A reorg took back delivered trades: the update has all trades from `replacedFrom` on.
   * 3. The first update, with no trade known: only later trades are new.
   * 4. Its newest trade is the last delivered one, in the same block: all trades before it are delivered, too.
   * 5. It has all trades since the update before it, as the trade counts show.
   */
  #foldUpdate(update: CompleteState, before: CompleteState | undefined): void {
    if (before && update.token.sequence <= before.token.sequence) return
    this.#update = update
    const { latestTrade } = update
    // `replacedFrom` of a first update is relative to an unknown state. While earlier trades are missing, an update's own are not enough.
    const replacedFrom = before ? update.replacedFrom : undefined
    const trades = this.#isBehind ? null : update.trades
    const last = this.#last
    let fresh: readonly Trade[] = []
    // Always false without a reorg: `replacedFrom` is then not a number.
    const isVoid = (trade: Trade) => Number(trade.blockNumber) >= Number(replacedFrom)
    if (last && isVoid(last)) {
      this.#isBehind = !trades
      this.#last = trades ? latestTrade : undefined
      fresh = trades?.filter(isVoid) ?? []
    } else if (!before && last === undefined) {
      this.#isBehind = false
      this.#last = latestTrade
    } else if (isSame(latestTrade, last)) this.#isBehind = false
    else if (before && trades && follows(trades, update, before)) {
      fresh = trades.filter(trade => isAfter(trade, last))
      this.#last = fresh.at(-1) ?? last
    } else this.#isBehind = true
    this.#deliver(fresh, false, replacedFrom)
  }

  #deliver(trades: readonly Trade[], gap: boolean, replacedFrom?: string): void {
    if (trades.length || gap || replacedFrom) this.#options.onTrades({ trades, gap, replacedFrom })
  }

  /**
   * Delivers the trades after `#last`, with a gap if they are too many or `#last` is no longer listed. A list without the newest trade of
   * the updates is older than they are, or of another branch. So may be a list that ends before `#last`. Both are fetched again.
   */
  async #fetch(): Promise<void> {
    const { address, api, signal } = this.#options
    const last = this.#last
    const update = this.#update
    const latest = update?.latestTrade
    const trades: Trade[] = []
    let newest: Trade | null = null
    let isReached = false
    let isComplete = !last && (last === null || !update)
    for await (const trade of items(at => api.trades(address, { limit: PAGE, ...at }, { signal }))) {
      newest ??= trade
      isReached ||= isSame(trade, latest)
      isComplete ||= isSame(trade, last)
      const isMissed = last !== undefined && isAfter(trade, last)
      if (isMissed) trades.push(trade)
      if (isMissed ? trades.length === MAX_MISSED : isReached || !latest || !isAfter(trade, latest)) break
    }
    this.#isBehind = update ? !isReached && newest !== latest : !isComplete && !trades.length
    if (this.#isBehind) return
    this.#last = newest
    this.#deliver(trades.reverse(), !isComplete || trades.length === MAX_MISSED)
  }
}

/** Whether an update has as many trades since the update `before` as the trade count has grown by. */
function follows(trades: readonly Trade[], { token }: CompleteState, before: CompleteState): boolean {
  const later = trades.filter(trade => isAfter(trade, before.latestTrade))
  return later.length === token.market.tradeCount - before.token.market.tradeCount
}

/** The same trade in the same block. All trades before it are then the same, too. */
function isSame(trade: Trade | null, other: Trade | null | undefined): boolean {
  return trade?.id === other?.id && trade?.blockHash === other?.blockHash && other !== undefined
}

function isAfter(trade: Trade, other: Trade | null | undefined): boolean {
  if (!other) return true
  return (Number(trade.blockNumber) - Number(other.blockNumber) || trade.logIndex - other.logIndex) > 0
}
