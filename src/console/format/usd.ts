import { plain } from '#client/decimalText.ts'

/** A WETH amount in dollars, for values that the API has in WETH only; `null` when either is unknown. Rounded: for display only. */
export function timesPrice(weth: string | null, price: string | null): string | null {
  return weth === null || price === null ? null : plain(Number(weth) * Number(price))
}

/**
 * The price of ETH by which the service has valued a token. The price in the header is a moment older or newer, and with it a token's
 * highest price could be below its price. `otherwise`: for a token without a price in dollars.
 */
export function rateOf(
  { priceUsd, priceWeth }: { readonly priceUsd: string | null; readonly priceWeth: string | null },
  otherwise: string | null,
): string | null {
  const rate = Number(priceUsd) / Number(priceWeth)
  return priceUsd !== null && rate > 0 && rate < Infinity ? String(rate) : otherwise
}

/** Amounts below these are shown as less than them. */
const LEAST = { usd: '0.01', weth: '0.00001' } as const

/** The bound in whose place an amount of dust is too small to be read; `null`: it is no dust. */
export function dustBound(amount: string, currency: keyof typeof LEAST): string | null {
  const size = Math.abs(Number(amount))
  return /[1-9]/.test(amount) && size < Number(LEAST[currency]) ? LEAST[currency] : null
}
