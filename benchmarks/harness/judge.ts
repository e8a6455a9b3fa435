import type { Ratio } from './benchmark.ts'

export type Verdict = 'better' | 'worse' | 'no change'

/** In units of the noise of single turns; divided by the root of the number of rounds. */
const CLEAR_DISTANCE = 4.5

export interface Judged {
  readonly ratio: Ratio
  /** Of two turns of the same code, at least 1; `undefined`: not known, so there is no verdict. */
  readonly noise: number | undefined
  readonly rounds: number
  readonly better: 'more' | 'less'
}

/**
 * Whether a figure differs by more than the noise.
 *
 * 1. The interval of its ratio must not contain 1: with few rounds all of them agree about the direction.
 * 2. The ratio must be far from 1 compared with two turns of the same code: with five rounds twice as far.
 *
 * Of equal code, one figure in seventy passes both with five rounds, one in forty with three.
 */
export function judge({ ratio, noise, rounds, better }: Judged): Verdict {
  if (noise === undefined) return 'no change'
  const isOneSided = ratio.low > 1 || ratio.high < 1
  const clear = (CLEAR_DISTANCE / Math.sqrt(rounds)) * Math.log(noise)
  if (!isOneSided || Math.abs(Math.log(ratio.median)) <= clear) return 'no change'
  return ratio.median > 1 === (better === 'more') ? 'better' : 'worse'
}
