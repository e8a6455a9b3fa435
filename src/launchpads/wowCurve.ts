import { type Decimal, ratio } from '#domain/decimal.ts'

/*
 * WOW's curve: the price of the next token is A·e^(B·x) with x the tokens sold, which are all that exist (BondingCurve.sol of Zora's WOW).
 * Integers scaled by 10^36 carry the powers; the contract's own have 18 decimals.
 */

const WAD = 10n ** 18n
const ONE = 10n ** 36n
/** Wei per whole token at the start. */
const A = 1_060_848_709n
/** Growth per whole token, scaled by 10^18. */
const B = 4_379_701_787n

/** Sold on the curve before it graduates, in raw units. */
export const WOW_CURVE_SUPPLY = 800_000_000n * WAD

/** WETH per whole token once `sold` raw units are sold. */
export function wowPriceAt(sold: bigint): Decimal | null {
  return ratio(A * powerAt(sold), ONE * WAD)
}

/** The wei for which the curve sells its first `sold` raw units. */
export function wowCostOf(sold: bigint): bigint {
  return ((powerAt(sold) - ONE) * A * WAD) / (B * ONE)
}

/**
 * WETH per whole token after a trade. With the supply after it, the curve's own price there, as far as the trade's amounts confirm the
 * curve; without, what the amounts imply: they differ by a factor e^(B·tokens) and by B·wei, before and after.
 *
 * @returns the trade's average price when the amounts are not this curve's
 */
export function wowPriceAfter(trade: {
  readonly side: 'buy' | 'sell'
  readonly tokens: bigint
  /** Without the fee. */
  readonly netWei: bigint
  readonly supplyAfter: bigint | null
}): Decimal | null {
  const { side, tokens, netWei, supplyAfter } = trade
  if (supplyAfter !== null) {
    const [low, high] = side === 'buy' ? [supplyAfter - tokens, supplyAfter] : [supplyAfter, supplyAfter + tokens]
    const fits = low >= 0n && high <= WOW_CURVE_SUPPLY && isNear(wowCostOf(high) - wowCostOf(low), netWei)
    return fits ? wowPriceAt(supplyAfter) : ratio(netWei, tokens)
  }
  if (tokens === 0n || tokens > WOW_CURVE_SUPPLY) return null
  const growth = powerAt(tokens)
  // The price at the end with more tokens sold is B·wei·growth/(growth − 1), at the other end growth times less.
  return ratio(B * netWei * (side === 'buy' ? growth : ONE), WAD * WAD * (growth - ONE))
}

/** Equal to one part in a million, or to what the contract's rounding can make of a small trade. */
function isNear(a: bigint, b: bigint): boolean {
  const difference = a > b ? a - b : b - a
  return difference * 1_000_000n <= b || difference <= 1_000n
}

/** e^(B·x) scaled by 10^36, by its series: some 60 terms at most, since B·x stays below 4 on the curve. */
function powerAt(x: bigint): bigint {
  const exponent = B * x
  let term = ONE
  let sum = ONE
  for (let n = 1n; term > 0n; n++) {
    term = (term * exponent) / (n * ONE)
    sum += term
  }
  return sum
}
