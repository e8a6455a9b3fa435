import { type Decimal, ratio } from '#domain/decimal.ts'

/*
 * WOW's bonding curve: the price of the next token is A·e^(B·x) for x tokens sold, the supply at that time (BondingCurve.sol of Zora's
 * WOW). The contract computes powers with 18 decimals; here they are integers scaled by 10^36.
 */

const WAD = 10n ** 18n
const ONE = 10n ** 36n
/** Wei per whole token at the start. */
const A = 1_060_848_709n
/** Growth per whole token, scaled by 10^18. */
const B = 4_379_701_787n

/** Raw units that the curve sells before it graduates. */
export const WOW_CURVE_SUPPLY = 800_000_000n * WAD

/** WETH per whole token after `sold` raw units. */
export function wowPriceAt(sold: bigint): Decimal | null {
  return ratio(A * powerAt(sold), ONE * WAD)
}

/** The price in wei of the first `sold` raw units. */
export function wowCostOf(sold: bigint): bigint {
  return ((powerAt(sold) - ONE) * A * WAD) / (B * ONE)
}

/**
 * WETH per whole token after a trade. If the supply after the trade is known, it is the curve's price, provided that the trade's amounts
 * fit the curve. Otherwise it follows from the amounts: the prices before and after differ by the factor e^(B·tokens) and by B·wei.
 *
 * @returns the trade's average price when the amounts do not fit
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
  // After a buy the price is B·wei·growth/(growth − 1), after a sell it is lower by the factor `growth`.
  return ratio(B * netWei * (side === 'buy' ? growth : ONE), WAD * WAD * (growth - ONE))
}

/** Equal to one part in a million, or within the contract's rounding error for a small trade. */
function isNear(a: bigint, b: bigint): boolean {
  const difference = a > b ? a - b : b - a
  return difference * 1_000_000n <= b || difference <= 1_000n
}

/** e^(B·x) scaled by 10^36, as a Taylor series of at most some 60 terms: on the curve B·x stays below 4. */
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
