import type { Address } from '#domain/address.ts'
import { formatAmount, multiplyTexts, parseDecimal } from '#domain/decimal.ts'

/** The currencies that are valued in USD by address: WETH by the ETH price, the others by their peg. */
export interface UsdCurrencies {
  readonly weth: Address
  readonly pegUsd?: readonly { readonly token: Address; readonly decimals: number }[]
}

/** The present price of ETH in USD (`null`: unknown), and the currencies that are valued in USD. */
export interface PresentPrices {
  readonly ethUsd: string | null
  readonly currencies: UsdCurrencies
}

/** USD for a plain decimal WETH value; `null` when the value or the price (USD per ETH) is not known. */
export function toUsd(weth: string | null, ethUsd: string | null): string | null {
  return weth === null || ethUsd === null ? null : multiplyTexts(weth, ethUsd)
}

/** The same for what somebody holds, rounded to 18 decimals. */
export function toUsdAmount(weth: string | null, ethUsd: string | null): string | null {
  const usd = toUsd(weth, ethUsd)
  return usd === null ? null : formatAmount(parseDecimal(usd))
}
