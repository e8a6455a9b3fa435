import type { PriceLine } from '#client/generated/types.ts'

const DAY_MS = 86_400_000

/** What a row shows beside its line. */
export interface LineEnd {
  readonly price: number
  /** Change of the last 24 hours, or since the launch, in percent. */
  readonly change: number
  readonly createdAtMs: number
  readonly nowMs: number
}

/**
 * The `d` of an SVG path in a box of this size: from the price that the change is measured from to the present one, over the last 24 hours
 * or the token's life. Both ends are those of the row, and so never contradict it while the line between them is older. A price that did
 * not move is a line in the middle.
 */
export function sparkPath(
  { times, prices }: PriceLine,
  { price, change, createdAtMs, nowMs }: LineEnd,
  width: number,
  height: number,
): string {
  const start = Math.max(createdAtMs, nowMs - DAY_MS) / 1_000
  const end = Math.max(nowMs / 1_000, start + 1)
  const between = times.flatMap((time, index) => (time > start && time < end ? [{ time, value: Number(prices[index]) }] : []))
  const points = [{ time: start, value: price / (1 + change / 100) }, ...between, { time: end, value: price }]
  const values = points.map(({ value }) => value)
  const low = Math.min(...values)
  const range = Math.max(...values) - low
  const y = (value: number) => (range === 0 ? height / 2 : height - ((value - low) / range) * height)
  const x = (time: number) => ((time - start) / (end - start)) * width
  return points.map(({ time, value }, index) => `${index === 0 ? 'M' : 'L'}${x(time).toFixed(1)} ${y(value).toFixed(1)}`).join('')
}
