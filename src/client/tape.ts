import type { Trade } from '#domain/trade.ts'
import { jitteredMs } from './backoff.ts'
import type { Calls } from './calls.ts'
import type { Timers } from './clock.ts'
import type { NewTrades, WatchedToken } from './watch.ts'

/** Missed trades that are fetched at once; there is a gap before more. */
const MAX_MISSED = 1_000

/** A page is as large as what seems to be missing, within these bounds. */
const SMALLEST_PAGE = 50
const LARGEST_PAGE = 500

/** How long after a failed fetch it is tried again, when no update asks for it before. */
const RETRY_MS = 30_000

export interface TapeOptions {
  readonly calls: Pick<Calls, 'trades'>
  readonly timers: Timers
  readonly random: () => number
  readonly signal: AbortSignal
  readonly since: Trade | undefined
  readonly onTrades: (news: NewTrades) => void
  readonly onError: (error: unknown) => void
}

/**
 * The trades of one token, each given once. An update names the newest trade and how many there are, so a single new one needs no request; when
 * there are more, those between are fetched from the newest on down to the last one known.
 */
export class Tape {
  readonly #options: TapeOptions
  /** The newest that is known; `null`: there is none, `undefined`: no state has come yet. */
  #last: Trade | null | undefined
  /** How many trades the token had when `#last` was its newest; `null`: not known. */
  #count: number | null = null
  /** Given lately, as a trade may come again in another block after a reorg. */
  readonly #given = new Set<string>()
  #newest: WatchedToken | null = null
  #isFetching = false
  #cancelRetry = () => {}

  constructor(options: TapeOptions) {
    this.#options = options
    this.#last = options.since
    if (options.since !== undefined) this.#given.add(keyOf(options.since))
  }

  /** A newer state of the token. */
  saw(state: WatchedToken): void {
    this.#newest = state
    if (!this.#isFetching) this.#look(state)
  }

  /**
   * 1. The token without its trade, as REST brings it: the count shows whether any is missing. 2. The first state: what comes later is new. 3. The
   * newest trade is the last one given. 4. It was given, and so was a later one, as what is fetched may be newer than an update. 5. It stands before
   * the last one: some were taken back, and what is new before this one can't be told. 6. It is the only new one. 7. There are several.
   */
  #look(state: WatchedToken): void {
    const { latestTrade } = state
    const { tradeCount } = state.token.market
    const last = this.#last
    if (isPartial(state)) {
      if (last !== undefined && tradeCount !== this.#count) void this.#fetch()
      return
    }
    if (last === undefined || latestTrade === null || this.#isLast(latestTrade)) this.#last = latestTrade
    else if (this.#given.has(keyOf(latestTrade))) return
    else if (!isAfter(latestTrade, last)) this.#give([latestTrade], true)
    else if (this.#count === tradeCount - 1) this.#give([latestTrade], false)
    else {
      void this.#fetch()
      return
    }
    this.#count = tradeCount
  }

  stop(): void {
    this.#cancelRetry()
  }

  #isLast(trade: Trade): boolean {
    return !!this.#last && keyOf(trade) === keyOf(this.#last)
  }

  #give(trades: readonly Trade[], gap: boolean): void {
    const fresh = trades.filter(trade => !this.#given.has(keyOf(trade)))
    for (const trade of fresh) this.#given.add(keyOf(trade))
    for (const key of this.#given) {
      if (this.#given.size <= 2 * MAX_MISSED) break
      this.#given.delete(key)
    }
    this.#last = trades.at(-1) ?? this.#last
    if (fresh.length > 0 || gap) this.#options.onTrades({ trades: fresh, gap })
  }

  /** Fetches what is missing, and looks again when there was news meanwhile. */
  async #fetch(): Promise<void> {
    const { timers, random, signal, onError } = this.#options
    const state = this.#newest
    if (state === null) return
    this.#cancelRetry()
    this.#isFetching = true
    const found = await this.#missing(state)
    this.#isFetching = false
    if (signal.aborted) return
    if (!found.ok) {
      onError(found.error)
      this.#cancelRetry = timers.after(jitteredMs(RETRY_MS, random), () => void this.#fetch())
      return
    }
    this.#count = null
    this.#give(found.trades, found.gap)
    const { latestTrade, token } = state
    if (this.#newest !== state) this.#look(this.#newest ?? state)
    else if (!isPartial(state) && latestTrade !== null && this.#isLast(latestTrade)) this.#count = token.market.tradeCount
  }

  /** The trades after the last one, rising. */
  async #missing({
    address,
    token,
  }: WatchedToken): Promise<{ ok: true; trades: readonly Trade[]; gap: boolean } | { ok: false; error: unknown }> {
    const { calls, signal } = this.#options
    const trades: Trade[] = []
    const limit = Math.min(LARGEST_PAGE, Math.max(SMALLEST_PAGE, token.market.tradeCount - (this.#count ?? 0)))
    let cursor: string | null = null
    do {
      const result = await calls.trades(address, { order: 'desc', limit, ...(cursor === null ? {} : { cursor }) }, { signal })
      if (!result.ok) return result
      const after = result.value.data.filter(trade => isAfter(trade, this.#last))
      trades.push(...after)
      if (after.length < result.value.data.length) return { ok: true, trades: trades.reverse(), gap: false }
      cursor = result.value.nextCursor
    } while (cursor !== null && trades.length < MAX_MISSED)
    return { ok: true, trades: trades.reverse(), gap: cursor !== null }
  }
}

function isPartial({ source }: WatchedToken): boolean {
  return source === 'rest' || source === 'initial'
}

function keyOf(trade: Trade): string {
  return `${trade.txHash} ${trade.logIndex}`
}

/** In the order of the chain. */
function isAfter(trade: Trade, other: Trade | null | undefined): boolean {
  if (!other) return true
  const blocks = Number(trade.blockNumber) - Number(other.blockNumber)
  return blocks === 0 ? trade.logIndex > other.logIndex : blocks > 0
}
