/** Digits that a dollar value derived here keeps: it is only shown. */
const PLACES = 12

/** A WETH amount in dollars at a price, for what the API gives in WETH alone; `null` when either is not known. */
export function timesPrice(weth: string | null, price: string | null): string | null {
  if (weth === null || price === null) return null
  const product = Number(weth) * Number(price)
  return Number.isFinite(product) ? plain(product) : null
}

function plain(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(PLACES) : text
}
