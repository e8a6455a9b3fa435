import type { Candle } from '#client/generated/types.ts'

const HOUR_SECONDS = 3_600
const HOURS = 24

/** The last price of an hour. */
export interface HourlyClose {
  /** Start of the hour, Unix seconds. */
  readonly time: number
  readonly close: number
}

/**
 * The last prices of the hours of the last day. An hour without trades has the price before it, and hours before the first trade are left
 * out. `null` when there was no trade at all.
 */
export function hourlyCloses(candles: readonly Pick<Candle, 'time' | 'close'>[], nowMs: number): readonly HourlyClose[] | null {
  if (candles.length === 0) return null
  const thisHour = Math.floor(nowMs / 1_000 / HOUR_SECONDS) * HOUR_SECONDS
  const closes: HourlyClose[] = []
  for (let time = thisHour - (HOURS - 1) * HOUR_SECONDS; time <= thisHour; time += HOUR_SECONDS) {
    const candle = candles.findLast(each => each.time <= time)
    if (candle !== undefined) closes.push({ time, close: Number(candle.close) })
  }
  return closes
}

/**
 * The line through the closes and the present price, as the `d` of an SVG path in a box of this size. A price that did not move is a
 * line in the middle.
 */
export function sparkPath(closes: readonly HourlyClose[], price: number | null, width: number, height: number): string {
  const values = [...closes.map(({ close }) => close), ...(price === null ? [] : [price])]
  const low = Math.min(...values)
  const range = Math.max(...values) - low
  const x = (index: number) => (values.length < 2 ? width : (index * width) / (values.length - 1))
  const y = (value: number) => (range === 0 ? height / 2 : height - ((value - low) / range) * height)
  return values.map((value, index) => `${index === 0 ? 'M' : 'L'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`).join('')
}
