import { createRandom } from '#devchain/traders/random.ts'
import { quantile } from './quantile.ts'

/** A ratio with its 95 % confidence interval. */
export interface Ratio {
  readonly ratio: number
  readonly low: number
  readonly high: number
}

const RESAMPLES = 2_000
const SEED = 1

/**
 * The ratio of two samples' quantiles, with a bootstrap interval. Values come in groups that share a cause, as the updates of one commit:
 * whole groups are drawn again, so that many values of few groups do not look like much evidence. Of a p99 it takes hundreds of groups:
 * no draw is above the largest value that was measured.
 *
 * @throws `RangeError` when a sample has no values
 */
export function quantileRatio(of: readonly (readonly number[])[], to: readonly (readonly number[])[], share: number): Ratio {
  const random = createRandom(SEED)
  const again = (groups: readonly (readonly number[])[]) => groups.map(() => random.pick(groups))
  const ratioOf = (one: readonly (readonly number[])[], other: readonly (readonly number[])[]) =>
    quantileOf(one, share) / quantileOf(other, share)
  const ratios = Array.from({ length: RESAMPLES }, () => ratioOf(again(of), again(to))).toSorted((a, b) => a - b)
  return { ratio: ratioOf(of, to), low: quantile(ratios, 0.025), high: quantile(ratios, 0.975) }
}

function quantileOf(groups: readonly (readonly number[])[], share: number): number {
  return quantile(
    groups.flat().toSorted((a, b) => a - b),
    share,
  )
}
