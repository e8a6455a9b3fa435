import { effect, type ReadonlySignal, untracked } from '@preact/signals'
import type { Candle, CandleCurrency, CandleInterval } from '#client/generated/types.ts'
import { candleSeconds, fillCandles } from '#client/live/foldCandleChange.ts'
import type { CandlesState, Live } from '#client/live/liveTypes.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import { type Bar, barOf } from '#console/token/bar.ts'

/** Number of newest bars, which follow the service, and of bars of each further page. */
const PAGE = 300
const MAX_BARS = 3_000

/** The chart that draws the bars. */
export interface BarSink {
  /** All bars, oldest first. */
  replace(bars: readonly Bar[]): void
  /** Replaces the newest bar, or adds a newer one. */
  update(bar: Bar): void
  /** Says what could not be read; `null`: all is read. */
  onFailure(text: string | null): void
}

export interface CandleFeed {
  loadOlder(): void
  stop(): void
}

export interface CandleFeedOptions {
  readonly client: Tokenwire
  readonly live: Live
  readonly address: string
  readonly interval: CandleInterval
  readonly currency: CandleCurrency
  /** Unix seconds of the interval up to which all trades are known; `null`: that is not known. */
  readonly until: ReadonlySignal<number | null>
  /** Present price in `currency`, where the newest bar ends: a dollar price moves between trades. `null`: at the last candle's close. */
  readonly present: ReadonlySignal<number | null>
  readonly sink: BarSink
}

/** Draws a token's candles, one for every interval up to `until`, as they change. Older ones are loaded on request. */
export function createCandleFeed({ client, live, address, interval, currency, until, present, sink }: CandleFeedOptions): CandleFeed {
  const ending = new AbortController()
  const { signal } = ending
  let candles: readonly Candle[] = []
  let bars: readonly Bar[] = []
  /** The latest value of `until`. */
  let end = 0
  let isAsking = false
  let hasOlder = true

  /** @param changedFrom - Unix seconds: older bars are drawn already */
  function draw(changedFrom: number): void {
    const [first] = bars
    const before = bars.at(-1)
    const newest = endingAt(newestFilled(candles, interval, PAGE, end).map(barOf), present.peek())
    bars = joined(bars, newest, interval)
    // Older bars have been dropped, and can be loaded again.
    hasOlder ||= (bars[0]?.time ?? 0) > (first?.time ?? 0)
    const isAppended = before !== undefined && changedFrom >= before.time && newest.some(({ time }) => time === before.time)
    if (isAppended) for (const bar of newest.filter(({ time }) => time >= before.time)) sink.update(bar)
    else sink.replace(bars)
  }

  function take(state: CandlesState): void {
    candles = state.candles
    sink.onFailure(null)
    draw(state.changedFrom)
  }

  const fail = ({ message }: Error) => sink.onFailure(`${bars.length === 0 ? 'No candles' : 'The candles are not current'}: ${message}`)

  async function loadOlder(): Promise<void> {
    const [oldest] = bars
    if (oldest === undefined || isAsking || !hasOlder || bars.length >= MAX_BARS) return
    isAsking = true
    const result = await client.candles(address, { interval, currency, fill: true, limit: PAGE, to: oldest.time - 1 }, { signal })
    isAsking = false
    if (signal.aborted) return
    if (!result.ok) {
      sink.onFailure(`Older candles could not be loaded: ${result.error.message}`)
      return
    }
    sink.onFailure(null)
    const { data } = result.value
    hasOlder = data.length === PAGE
    bars = joined(data.map(barOf), bars, interval)
    sink.replace(bars)
  }

  live.candles({ token: address, interval, currency, limit: PAGE }, take, { signal, onEnd: fail, onError: error => fail(error as Error) })
  const stopFollowing = effect(() => {
    end = Math.max(end, until.value ?? 0)
    void present.value
    if (bars.length > 0) untracked(() => draw(Number.POSITIVE_INFINITY))
  })
  return {
    loadOlder: () => void loadOlder(),
    stop() {
      stopFollowing()
      ending.abort()
    },
  }
}

/**
 * The newest candles, one for every interval up to that of `until` (Unix seconds) or of the last candle. Intervals before the first of them
 * carry the close of an older candle.
 */
export function newestFilled(candles: readonly Candle[], interval: CandleInterval, count: number, until: number): readonly Candle[] {
  const length = candleSeconds(interval)
  const last = candles.at(-1)?.time ?? 0
  const end = last + Math.max(0, Math.floor((until - last) / length)) * length
  const start = end - (count - 1) * length
  const carried = candles.findLast(({ time }) => time < start)?.close
  const shown = candles.filter(({ time }) => time >= start)
  if (carried === undefined || shown[0]?.time === start) return fillCandles(shown, interval, end)
  const first = { time: start, open: carried, high: carried, low: carried, close: carried, volume: '0', trades: 0 }
  return fillCandles([first, ...shown], interval, end)
}

/** The bars with the newest one ending at the present price. */
function endingAt(bars: readonly Bar[], price: number | null): readonly Bar[] {
  const last = bars.at(-1)
  if (last === undefined || price === null) return bars
  return [...bars.slice(0, -1), { ...last, high: Math.max(last.high, price), low: Math.min(last.low, price), close: price }]
}

/** Older bars and the newer ones after them. The older ones are dropped when bars between the two are missing. */
function joined(older: readonly Bar[], newer: readonly Bar[], interval: CandleInterval): readonly Bar[] {
  const start = newer[0]?.time ?? 0
  const kept = older.filter(({ time }) => time < start)
  const isNext = (kept.at(-1)?.time ?? 0) + candleSeconds(interval) === start
  return isNext ? [...kept, ...newer] : newer
}
