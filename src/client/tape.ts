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

/** How long an update that is older than what is known may be the newest. */
const SETTLE_MS = 5_000

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
  readonly #given = new Set<string | null>()
  #newest: WatchedToken | null = null
  #isFetching = false
  #cancelRetry = () => {}

  constructor(options: TapeOptions) {
    this.#options = options
    if (options.since !== undefined) this.#give([], options.since, false)
  }

  /** A newer state of the token. */
  saw(state: WatchedToken): void {
    this.#newest = state
    if (!this.#isFetching) this.#look(state)
  }

  /**
   * 1. The token without its trade, as REST brings it: the count shows whether any is missing. 2. The first state: what comes later is new. 3. The
   * newest trade is the last one given: the same number, or some before it were taken back. 4. It is the only new one. 5. It was given, and so was a
   * later one: the update is older than what was fetched, or the later one was taken back, which shows when nothing newer comes. 6. There are
   * several, or the last one was taken back: the list tells.
   */
  #look(state: WatchedToken): void {
    this.#cancelRetry()
    const { latestTrade } = state
    const { tradeCount } = state.token.market
    const last = this.#last
    if (isPartial(state)) {
      if (last !== undefined && tradeCount !== this.#count) void this.#fetch()
      return
    }
    if (last === undefined || isSame(latestTrade, last)) {
      this.#give([], latestTrade, this.#count !== null && tradeCount !== this.#count)
    } else if (latestTrade !== null && isAfter(latestTrade, last) && this.#count === tradeCount - 1) {
      this.#give([latestTrade], latestTrade, false)
    } else {
      if (this.#given.has(keyOf(latestTrade))) this.#fetchAfter(SETTLE_MS)
      else void this.#fetch()
      return
    }
    this.#count = tradeCount
  }

  stop(): void {
    this.#cancelRetry()
  }

  /** @param last - the newest one that there is */
  #give(trades: readonly Trade[], last: Trade | null, gap: boolean): void {
    const fresh = trades.filter(trade => !this.#given.has(keyOf(trade)))
    this.#last = last
    for (const trade of [...fresh, last]) this.#given.add(keyOf(trade))
    for (const key of this.#given) {
      if (this.#given.size <= 2 * MAX_MISSED) break
      this.#given.delete(key)
    }
    if (fresh.length > 0 || gap) this.#options.onTrades({ trades: fresh, gap })
  }

  #fetchAfter(ms: number): void {
    this.#cancelRetry = this.#options.timers.after(ms, () => void this.#fetch())
  }

  /** Fetches what is missing, and looks again when there was news meanwhile. */
  async #fetch(): Promise<void> {
    const { random, signal, onError } = this.#options
    const state = this.#newest
    if (state === null) return
    this.#cancelRetry()
    this.#isFetching = true
    const found = await this.#missing(state)
    this.#isFetching = false
    if (signal.aborted) return
    if (!found.ok) {
      onError(found.error)
      this.#fetchAfter(jitteredMs(RETRY_MS, random))
      return
    }
    const { latestTrade, token } = state
    this.#count = !isPartial(state) && isSame(latestTrade, found.newest) ? token.market.tradeCount : null
    this.#give(found.trades, found.newest, found.gap)
    if (this.#newest !== state && !signal.aborted) this.#look(this.#newest ?? state)
  }

  /** The trades after the last one, rising. There is a gap when there are too many, and when the last one is not in the list any more. */
  async #missing({ address, token }: WatchedToken): Promise<Missing> {
    const { calls, signal } = this.#options
    const last = this.#last ?? null
    const trades: Trade[] = []
    const limit = Math.min(LARGEST_PAGE, Math.max(SMALLEST_PAGE, token.market.tradeCount - (this.#count ?? 0)))
    let newest: Trade | null = null
    let isThere = last === null
    let cursor: string | null = null
    do {
      const result = await calls.trades(address, { order: 'desc', limit, ...(cursor === null ? {} : { cursor }) }, { signal })
      if (!result.ok) return result
      const { data, nextCursor } = result.value
      for (const trade of data) {
        newest ??= trade
        isThere ||= isSame(trade, last)
        if (!isAfter(trade, last)) return { ok: true, trades: trades.reverse(), newest, gap: !isThere }
        trades.push(trade)
      }
      // A page without trades has nothing behind it.
      cursor = data.length === 0 ? null : nextCursor
    } while (cursor !== null && trades.length < MAX_MISSED)
    return { ok: true, trades: trades.reverse(), newest, gap: cursor !== null || !isThere }
  }
}

type Missing =
  | { readonly ok: true; readonly trades: readonly Trade[]; readonly newest: Trade | null; readonly gap: boolean }
  | { readonly ok: false; readonly error: unknown }

function isPartial({ source }: WatchedToken): boolean {
  return source === 'rest' || source === 'initial'
}

function keyOf(trade: Trade | null): string | null {
  return trade && `${trade.txHash} ${trade.logIndex}`
}

function isSame(trade: Trade | null, other: Trade | null): boolean {
  return keyOf(trade) === keyOf(other)
}

/** In the order of the chain. */
function isAfter(trade: Trade, other: Trade | null | undefined): boolean {
  if (!other) return true
  const blocks = Number(trade.blockNumber) - Number(other.blockNumber)
  return blocks === 0 ? trade.logIndex > other.logIndex : blocks > 0
}
