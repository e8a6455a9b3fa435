import type { PriceLine, Token } from '#client/generated/types.ts'
import { minuteClock } from '#console/state/clock.ts'
import { sparkPath } from '#console/state/sparkPath.ts'

const WIDTH = 96
const HEIGHT = 24

interface SparklineProps {
  readonly line: PriceLine | null
  readonly token: Pick<Token, 'market' | 'createdAt'>
}

/** The price of the last day as a line, in the colour of its change. The number beside it says the same, so screen readers skip it. */
export function Sparkline({ line, token: { createdAt, market } }: SparklineProps) {
  const { priceWeth } = market
  const change = market.priceChange.h24
  if (line === null || priceWeth === null || change === null) return null
  const direction = change > 0 ? 'up' : change < 0 ? 'down' : 'quiet'
  const end = { price: Number(priceWeth), change, createdAtMs: Date.parse(createdAt), nowMs: minuteClock.value }
  return (
    <svg
      class={`spark ${direction}`}
      viewBox={`0 -2 ${WIDTH} ${HEIGHT + 4}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <path d={sparkPath(line, end, WIDTH, HEIGHT)} />
    </svg>
  )
}
