import { plain } from './decimal.ts'

/** A WETH amount in dollars at a price, for what the API gives in WETH alone; `null` when either is not known. It is good for being shown. */
export function timesPrice(weth: string | null, price: string | null): string | null {
  return weth === null || price === null ? null : plain(Number(weth) * Number(price))
}
