import { type Decimal, powerOfTen, ratio } from './decimal.ts'
import type { TradeSide } from './trade.ts'
import { WETH_UNIT } from './weth.ts'

/** Below this many units of either side, rounding in the contract moves the ratio by more than a tenth of a percent. */
const DUST_UNITS = 1_000n

/**
 * The average price of a trade without its fee, which would put a zigzag between buys and sells: the quote currency per whole token, in
 * 10^18 of its smallest units, which is WETH where that is the currency.
 *
 * @returns `null` when it is so small that its amounts say nothing about a price
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
