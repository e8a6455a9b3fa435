import { type HourlyClose, sparkPath } from '#console/state/hourlyCloses.ts'
import type { Token } from '#domain/token.ts'

const WIDTH = 96
const HEIGHT = 24

interface SparklineProps {
  readonly closes: readonly HourlyClose[] | null
  readonly market: Token['market']
}

/** The price of the last day as a line. Its change is the number beside it, so that it says nothing to screen readers. */
export function Sparkline({ closes, market: { priceWeth } }: SparklineProps) {
  if (closes === null || closes.length === 0) return null
  const price = priceWeth === null ? null : Number(priceWeth)
  const last = price ?? closes.at(-1)?.close ?? 0
  const direction = last > (closes[0]?.close ?? last) ? 'up' : last < (closes[0]?.close ?? last) ? 'down' : 'quiet'
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
