import type { Token } from '#client/generated/types.ts'
import { type HourlyClose, sparkPath } from '#console/state/hourlyCloses.ts'

const WIDTH = 96
const HEIGHT = 24

interface SparklineProps {
  readonly closes: readonly HourlyClose[] | null
  readonly market: Token['market']
}

/** The price of the last day as a line, in the colour of its change. The number beside it says the same, so screen readers skip it. */
export function Sparkline({ closes, market: { priceWeth, priceChange } }: SparklineProps) {
  if (closes === null || closes.length === 0) return null
  const price = priceWeth === null ? null : Number(priceWeth)
  const change = priceChange.h24 ?? 0
  const direction = change > 0 ? 'up' : change < 0 ? 'down' : 'quiet'
  return (
    <svg
      class={`spark ${direction}`}
      viewBox={`0 -2 ${WIDTH} ${HEIGHT + 4}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <path d={sparkPath(closes, price, WIDTH, HEIGHT)} />
    </svg>
  )
}
