import { type Decimal, powerOfTen, ratio } from './decimal.ts'
import type { TradeSide } from './trade.ts'

/** Below this many units of either side, rounding in the contract moves the ratio by more than a tenth of a percent. */
const DUST_UNITS = 1_000n
const WETH_UNIT = powerOfTen(18)

/**
 * The average price of a trade in WETH per whole token, without its fee, which would put a zigzag between buys and sells.
 *
 * @returns `null` when it is not quoted in WETH, or so small that its amounts say nothing about a price
 */
export function tradePrice(
  trade: { readonly side: TradeSide; readonly amountToken: bigint; readonly amountWei: bigint | null; readonly feeWei: bigint | null },
  tokenDecimals: number,
): Decimal | null {
  if (trade.amountWei === null) return null
  const fee = trade.feeWei ?? 0n
  const netWei = trade.side === 'buy' ? trade.amountWei - fee : trade.amountWei + fee
  if (trade.amountToken < DUST_UNITS || netWei < DUST_UNITS) return null
  return ratio(netWei * powerOfTen(tokenDecimals), trade.amountToken * WETH_UNIT)
}
