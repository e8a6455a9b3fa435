import { type Coalesced, coalesce } from '#async/coalesce.ts'
import type { Trade } from '#domain/trade.ts'
import { jitteredMs } from './backoff.ts'
import type { ClientContext } from './context.ts'
import { isTokenAlone } from './knownToken.ts'
import { unwrap } from './result.ts'
import { Timer } from './timers.ts'
import type { ListPage, RestApi } from './tokenwire.ts'
import type { NewTrades, WatchedToken } from './watch.ts'

/** Most missed trades that are fetched; older ones are a gap. */
const MAX_MISSED = 1_000

const SMALLEST_PAGE = 50
const LARGEST_PAGE = 500

/** Pause after a failed fetch, unless an update asks for one before. */
const RETRY_MS = 30_000

/** How long an update with an older trade may stay the newest one before the list is fetched. */
const GRACE_MS = 5_000

export interface TradeFeedOptions {
  readonly api: Pick<RestApi, 'trades'>
  readonly signal: AbortSignal
  readonly since: Trade | undefined
  readonly onTrades: (news: NewTrades) => void
}

/** An update carries the newest trade and the number of trades: only when it shows more than one new one the list is fetched. */
export class TradeFeed {
  readonly #options: TradeFeedOptions
  /** The newest known trade; `null` when there is none, `undefined` before the first state. */
  #last: Trade | null | undefined
  /** Number of trades of the token when `#last` was its newest; `null` while unknown. */
  #count: number | null = null
  /** Trades delivered lately: after a reorg the same trade may come again in another block. */
  readonly #delivered = new Set<string | null>()
  #newest: WatchedToken | null = null
  /** `compare` fetches only when the newest state shows missing trades, `fetch` always. */
  readonly #runs: Coalesced<'compare' | 'fetch'>
  readonly #fetchTimer: Timer

  constructor(context: ClientContext, options: TradeFeedOptions) {
    this.#options = options
    this.#fetchTimer = new Timer(context.timers)
    this.#runs = coalesce<'compare' | 'fetch'>(
      async run => {
        this.#fetchTimer.stop()
        const state = this.#newest
        if (state !== null && (run === 'fetch' || this.#isMissingTrades(state))) await this.#fetch(state)
      },
      error => {
        context.onError(error)
        this.#fetchAfter(jitteredMs(RETRY_MS, context.random))
      },
    )
    if (options.since !== undefined) this.#deliver([], options.since, false)
  }

  update(state: WatchedToken): void {
    this.#newest = state
    this.#runs.request('compare')
  }

  stop(): void {
    this.#fetchTimer.stop()
    this.#runs.stop()
  }

  #fetchAfter(ms: number): void {
    this.#fetchTimer.start(ms, () => this.#runs.request('fetch'))
  }

  /**
   * Delivers what the state itself shows, and tells whether the list has to be fetched.
   *
   * 1. The token alone, from REST: the number of trades shows whether any is missing.
   * 2. The first state: only later trades are new.
   * 3. The newest trade is the last known one: either nothing happened, or a reorg took back some before it.
   * 4. The newest trade is the only new one.
   * 5. The newest trade was delivered, and so was a later one: either the update is older than the fetched list, or a reorg took
   *    the later one back. If no newer update follows, the list is fetched.
   * 6. Several trades are new, or a reorg took the last one back.
   */
  #isMissingTrades(state: WatchedToken): boolean {
    const { latestTrade } = state
    const { tradeCount } = state.token.market
    const last = this.#last
    if (isTokenAlone(state.source)) return last !== undefined && tradeCount !== this.#count
    if (last === undefined || isSame(latestTrade, last)) {
      this.#deliver([], latestTrade, this.#count !== null && tradeCount !== this.#count)
    } else if (latestTrade !== null && isAfter(latestTrade, last) && this.#count === tradeCount - 1) {
      this.#deliver([latestTrade], latestTrade, false)
    } else if (this.#delivered.has(keyOf(latestTrade))) {
      this.#fetchAfter(GRACE_MS)
      return false
    } else return true
    this.#count = tradeCount
    return false
  }

  #deliver(trades: readonly Trade[], last: Trade | null, gap: boolean): void {
    const fresh = trades.filter(trade => !this.#delivered.has(keyOf(trade)))
    this.#last = last
    for (const trade of [...fresh, last]) this.#delivered.add(keyOf(trade))
    for (const key of this.#delivered) {
      if (this.#delivered.size <= 2 * MAX_MISSED) break
      this.#delivered.delete(key)
    }
    if (fresh.length > 0 || gap) this.#options.onTrades({ trades: fresh, gap })
  }

  async #fetch(state: WatchedToken): Promise<void> {
    const { trades, newest, gap } = await this.#missingTrades(state)
    const { latestTrade, token } = state
    this.#count = !isTokenAlone(state.source) && isSame(latestTrade, newest) ? token.market.tradeCount : null
    this.#deliver(trades, newest, gap)
  }

  /** The trades after the last known one, oldest first. A gap: there are too many, or the last known one is no longer listed. */
  async #missingTrades({ address, token }: WatchedToken): Promise<NewTrades & { readonly newest: Trade | null }> {
    const { api, signal } = this.#options
    const last = this.#last ?? null
    const trades: Trade[] = []
    const limit = Math.min(LARGEST_PAGE, Math.max(SMALLEST_PAGE, token.market.tradeCount - (this.#count ?? 0)))
    let newest: Trade | null = null
    let isLastFound = last === null
    let cursor: string | null = null
    do {
      const page: ListPage<Trade> = unwrap(
        await api.trades(address, { order: 'desc', limit, ...(cursor === null ? {} : { cursor }) }, { signal }),
      )
      for (const trade of page.data) {
        newest ??= trade
        isLastFound ||= isSame(trade, last)
        if (!isAfter(trade, last)) return { trades: trades.reverse(), newest, gap: !isLastFound }
        trades.push(trade)
      }
      // An empty page is the last one, whatever its cursor says.
      cursor = page.data.length === 0 ? null : page.nextCursor
    } while (cursor !== null && trades.length < MAX_MISSED)
    return { trades: trades.reverse(), newest, gap: cursor !== null || !isLastFound }
  }
}

function keyOf(trade: Trade | null): string | null {
  return trade && `${trade.txHash} ${trade.logIndex}`
}

function isSame(trade: Trade | null, other: Trade | null): boolean {
  return keyOf(trade) === keyOf(other)
}

function isAfter(trade: Trade, other: Trade | null): boolean {
  if (other === null) return true
  const blocks = Number(trade.blockNumber) - Number(other.blockNumber)
  return blocks === 0 ? trade.logIndex > other.logIndex : blocks > 0
}
