import { effect, type ReadonlySignal, untracked } from '@preact/signals'
import type { Tokenwire } from '#client/tokenwire.ts'
import { type Bar, barOf, foldTrade } from '#console/token/candleFold.ts'
import type { CandleInterval } from '#domain/candle.ts'
import type { CandleCurrency } from '#domain/queries.ts'
import type { Trade } from '#domain/trade.ts'

const PAGE = 300
const MOST_BARS = 3_000
/** The newest bars are fetched `REFETCH_AFTER_MS` after a trade, and at most once in `REFETCH_EVERY_MS`. */
const REFETCH_AFTER_MS = 1_000
const REFETCH_EVERY_MS = 4_000

/** The chart that draws the bars. */
export interface BarSink {
  /** All bars, oldest first. */
  replace(bars: readonly Bar[]): void
  /** Replaces the newest bar, or adds a newer one. */
  update(bar: Bar): void
  onFailure(message: string | null): void
}

export interface CandleFeed {
  loadOlder(): void
  stop(): void
}

export interface CandleFeedOptions {
  readonly client: Tokenwire
  readonly address: string
  readonly interval: CandleInterval
  readonly currency: CandleCurrency
  readonly trades: ReadonlySignal<readonly Trade[] | null>
  /** A change makes all bars load again. */
  readonly renewals: ReadonlySignal<number>
  readonly sink: BarSink
}

/** Draws a token's candles. Each trade updates the newest bar at once, and the service's candle replaces it soon after. */
export function createCandleFeed({ client, address, interval, currency, trades, renewals, sink }: CandleFeedOptions): CandleFeed {
  const ending = new AbortController()
  const { signal } = ending
  let bars: readonly Bar[] = []
  let cursor: string | null = null
  let isOlderAsked = false
  let timer: number | undefined
  let askedAtMs = 0
  let seen = new Set<string>()

  async function load(): Promise<void> {
    const result = await client.candles(address, { interval, currency, fill: true, limit: PAGE }, { signal })
    if (signal.aborted) return
    if (!result.ok) {
      sink.onFailure(result.error.message)
      return
    }
    cursor = result.value.nextCursor
    bars = result.value.data.map(barOf)
    sink.onFailure(null)
    sink.replace(bars)
  }

  /** Replaces bars that trades have updated with the service's candles. */
  async function settle(): Promise<void> {
    askedAtMs = performance.now()
    const newest = bars.at(-1)
    if (newest === undefined) return load()
    const result = await client.candles(address, { interval, currency, fill: true, from: newest.time, limit: PAGE }, { signal })
    if (signal.aborted || !result.ok) return
    for (const candle of result.value.data) put(barOf(candle))
  }

  function put(bar: Bar): void {
    const newest = bars.at(-1)
    if (newest !== undefined && bar.time < newest.time) return
    bars = newest?.time === bar.time ? [...bars.slice(0, -1), bar] : [...bars, bar]
    sink.update(bar)
  }

  async function loadOlder(): Promise<void> {
    if (cursor === null || isOlderAsked || bars.length >= MOST_BARS) return
    isOlderAsked = true
    const result = await client.candles(address, { interval, currency, fill: true, limit: PAGE, cursor }, { signal })
    isOlderAsked = false
    if (signal.aborted || !result.ok) return
    cursor = result.value.nextCursor
    bars = [...result.value.data.map(barOf), ...bars]
    sink.replace(bars)
  }

  const stopFollowing = effect(() => {
    const known = trades.value
    if (known === null) return
    untracked(() => {
      const news = known.filter(trade => !seen.has(trade.id)).reverse()
      const isFirst = seen.size === 0
      seen = new Set(known.map(trade => trade.id))
      if (isFirst || news.length === 0) return
      for (const trade of news) {
        if (bars.length > 0) for (const bar of foldTrade(bars.at(-1) ?? null, trade, interval, currency)) put(bar)
      }
      if (timer !== undefined) return
      const wait = Math.max(REFETCH_AFTER_MS, askedAtMs + REFETCH_EVERY_MS - performance.now())
      timer = window.setTimeout(() => {
        timer = undefined
        void settle()
      }, wait)
    })
  })
  const stopRenewals = effect(() => {
    void renewals.value
    untracked(() => void load())
  })

  return {
    loadOlder: () => void loadOlder(),
    stop() {
      ending.abort()
      clearTimeout(timer)
      stopFollowing()
      stopRenewals()
    },
  }
}
