import { type Decimal, powerOfTen, ratio } from './decimal.ts'
import type { TradeSide } from './trade.ts'
import { WETH_UNIT } from './weth.ts'

/** Below this many units of either side, rounding in the contract moves the ratio by more than a tenth of a percent. */
const DUST_UNITS = 1_000n

/**
 * The average price of a trade without its fee: with the fee, prices would zigzag between buys and sells. The unit is 10^18 smallest units
 * of the quote currency per whole token, which is WETH per token where the quote currency is WETH.
 *
 * @returns `null` when the trade is so small that its amounts say nothing about a price
 */
export function tradePrice(
  trade: { readonly side: TradeSide; readonly amountToken: bigint; readonly amountQuote: bigint; readonly feeQuote: bigint | null },
  tokenDecimals: number,
): Decimal | null {
  const fee = trade.feeQuote ?? 0n
  const net = trade.side === 'buy' ? trade.amountQuote - fee : trade.amountQuote + fee
  if (trade.amountToken < DUST_UNITS || net < DUST_UNITS) return null
  return ratio(net * powerOfTen(tokenDecimals), trade.amountToken * WETH_UNIT)
}
