import { parseDecimal, units } from './decimal.ts'

const SIZED_EXPONENTS = [17, 18, 19, 20]

/** The sizes of large trades in wei: 0.1, 0.2, 0.5, 1, 2, 5 … 500 WETH. Trades of at least the first are indexed by size. */
export const TRADE_SIZES: readonly bigint[] = SIZED_EXPONENTS.flatMap(exponent =>
  [1n, 2n, 5n].map(digit => digit * 10n ** BigInt(exponent)),
)

/** The sizes that trades of at least `minWei` can have, as PostgreSQL's `width_bucket` counts them; none below the first size. */
export function sizesFrom(minWei: bigint): readonly number[] {
  const first = TRADE_SIZES.filter(size => size <= minWei).length
  return first === 0 ? [] : TRADE_SIZES.flatMap((_, index) => (index + 1 >= first ? [index + 1] : []))
}

/** The least number of wei that is at least `weth`. */
export function weiFrom(weth: string): bigint {
  const wei = units(1n, 18)
  return (parseDecimal(weth) + wei - 1n) / wei
}
