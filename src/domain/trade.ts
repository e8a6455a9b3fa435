import type { Address, Hex } from './address.ts'
import { parseDecimal, units } from './decimal.ts'

export const TRADE_SIDES = ['buy', 'sell'] as const
export type TradeSide = (typeof TRADE_SIDES)[number]
export type TradePhase = 'curve' | 'pool'

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

const PADDING = '0'.repeat(24)

/** The key of a token's curve where one contract holds the curves of all tokens: the token's address in 32 bytes. */
export function sharedCurveOf(token: Address): Hex {
  return `0x${PADDING}${token.slice(2)}`
}

/** The key of a pool as the API shows it: the token's address for a curve in a shared contract, else the key itself. */
export function shownPool(key: Hex): Hex {
  return key.length === 66 && key.startsWith(PADDING, 2) ? `0x${key.slice(2 + PADDING.length)}` : key
}
