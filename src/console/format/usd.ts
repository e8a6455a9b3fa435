import { plain } from '#client/decimalText.ts'

/** A WETH amount in dollars, for values that the API has in WETH only; `null` when either is unknown. Rounded: for display only. */
export function timesPrice(weth: string | null, price: string | null): string | null {
  return weth === null || price === null ? null : plain(Number(weth) * Number(price))
}
