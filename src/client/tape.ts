import type { Trade } from '#domain/trade.ts'
import { jitteredMs } from './backoff.ts'
import type { Calls } from './calls.ts'
import type { Timers } from './clock.ts'
import type { NewTrades, WatchedToken } from './watch.ts'

/** Missed trades that are fetched at once; there is a gap before more. */
export const MAX_MISSED = 1_000

const PAGE = 500

/** How long after a failed fetch it is tried again, when no update asks for it before. */
const RETRY_MS = 30_000

export interface TapeOptions {
  readonly calls: Pick<Calls, 'trades'>
  readonly timers: Timers
  readonly random: () => number
  readonly signal: AbortSignal
  readonly since: Trade | null
  readonly onTrades: (news: NewTrades) => void
  readonly onError: (error: unknown) => void
}

/**
 * The trades of one token, each given once. An update names the newest trade and how many there are, so a single new one needs no request; when
 * there are more, those between are fetched from the newest on down to the last one known.
 */
export class Tape {
  readonly #options: TapeOptions
  /** What was given last; `null`: nothing has been seen yet. */
  #last: Trade | null
  /** How many trades the token had when `#last` was its newest; `null`: not known. */
  #count: number | null = null
  #isBegun: boolean
  /** Given lately, as a trade may come again in another block after a reorg. */
  readonly #given = new Set<string>()
  #newest: WatchedToken | null = null
  #isFetching = false
  #cancelRetry = () => {}

  constructor(options: TapeOptions) {
    this.#options = options
    this.#last = options.since
    this.#isBegun = options.since !== null
    if (options.since !== null) this.#given.add(keyOf(options.since))
  }

  /** A newer state of the token. */
  saw(state: WatchedToken): void {
    this.#newest = state
    if (!this.#isFetching) this.#look(state)
  }

  #look(state: WatchedToken): void {
    const { latestTrade } = state
    const { tradeCount } = state.token.market
    switch (this.#judge(state)) {
      case 'nothing':
        break
      case 'fetch':
        void this.#fetch()
        break
      case 'single':
        if (latestTrade !== null) this.#give([latestTrade], false)
        this.#count = tradeCount
        break
      case 'reorged':
        // Which of those given are of the dropped blocks, and what else is new before this one, can't be told.
        this.#give(latestTrade === null ? [] : [latestTrade], true)
        this.#count = tradeCount
        break
      case 'settled':
        this.#last = latestTrade
        this.#count = tradeCount
        this.#isBegun = true
        break
    }
  }

  /**
   * 1. The token without its trade, as REST brings it: whether any is missing shows the count. 2. The first state: what comes later is new. 3. The
   * newest trade is the last one given. 4. It was given, and so was a later one, as what is fetched may be newer than an update. 5. It stands before
   * the last one. 6. It is the only new one. 7. There are several.
   */
  #judge({ source, latestTrade, token }: WatchedToken): 'nothing' | 'settled' | 'reorged' | 'single' | 'fetch' {
    const { tradeCount } = token.market
    if (source === 'rest' || source === 'initial') return !this.#isBegun || tradeCount === this.#count ? 'nothing' : 'fetch'
    if (!this.#isBegun || latestTrade === null) return 'settled'
    const key = keyOf(latestTrade)
    if (this.#isLast(latestTrade)) return 'settled'
    if (this.#given.has(key)) return 'nothing'
    if (!isAfter(latestTrade, this.#last)) return 'reorged'
    return this.#count === tradeCount - 1 ? 'single' : 'fetch'
  }

  stop(): void {
    this.#cancelRetry()
  }

  #isLast(trade: Trade): boolean {
    return this.#last !== null && keyOf(trade) === keyOf(this.#last)
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
    const found = await this.#missing(state.address)
    this.#isFetching = false
    if (signal.aborted) return
    if (!found.ok) {
      onError(found.error)
      this.#cancelRetry = timers.after(jitteredMs(RETRY_MS, random), () => void this.#fetch())
      return
    }
    this.#count = null
    this.#give(found.trades, found.gap)
    if (state !== this.#newest || (state.latestTrade !== null && this.#isLast(state.latestTrade))) this.#look(this.#newest ?? state)
  }

  /** The trades after the last one, rising. */
  async #missing(address: string): Promise<{ ok: true; trades: readonly Trade[]; gap: boolean } | { ok: false; error: unknown }> {
    const { calls, signal } = this.#options
    const trades: Trade[] = []
    let cursor: string | null = null
    do {
      const result = await calls.trades(address, { order: 'desc', limit: PAGE, ...(cursor === null ? {} : { cursor }) }, { signal })
      if (!result.ok) return result
      const after = result.value.data.filter(trade => isAfter(trade, this.#last))
      trades.push(...after)
      if (after.length < result.value.data.length) return { ok: true, trades: trades.reverse(), gap: false }
      cursor = result.value.nextCursor
    } while (cursor !== null && trades.length < MAX_MISSED)
    return { ok: true, trades: trades.reverse(), gap: cursor !== null }
  }
}

function keyOf(trade: Trade): string {
  return `${trade.txHash} ${trade.logIndex}`
}

/** In the order of the chain. */
function isAfter(trade: Trade, other: Trade | null): boolean {
  if (other === null) return true
  const blocks = Number(trade.blockNumber) - Number(other.blockNumber)
  return blocks === 0 ? trade.logIndex > other.logIndex : blocks > 0
}
