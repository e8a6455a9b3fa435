/** Smallest values and greatest age of the tokens of a list; `null`: no bound. */
export interface ListBounds {
  /** In WETH, like `minLiquidity`. */
  readonly minMarketCap: number | null
  readonly minLiquidity: number | null
  readonly minHolders: number | null
  readonly maxAgeHours: number | null
}

const DECIMAL = /^\d{1,9}(?:\.\d{1,6})?$/
const WHOLE = /^\d{1,9}$/

/** How each bound is written in the address of the page. */
const WRITTEN: Readonly<Record<keyof ListBounds, { readonly parameter: string; readonly pattern: RegExp }>> = {
  minMarketCap: { parameter: 'cap', pattern: DECIMAL },
  minLiquidity: { parameter: 'liquidity', pattern: DECIMAL },
  minHolders: { parameter: 'holders', pattern: WHOLE },
  maxAgeHours: { parameter: 'age', pattern: WHOLE },
}

const NAMES = Object.keys(WRITTEN) as (keyof ListBounds)[]

export const NO_BOUNDS: ListBounds = { minMarketCap: null, minLiquidity: null, minHolders: null, maxAgeHours: null }

/** The value of a bound; `null` for a text that is no bound, and for 0, which bounds nothing. */
export function parseBound(name: keyof ListBounds, text: string): number | null {
  return WRITTEN[name].pattern.test(text) ? Number(text) || null : null
}

export function readBounds(parameters: URLSearchParams): ListBounds {
  const bounds = NAMES.map(name => [name, parseBound(name, parameters.get(WRITTEN[name].parameter) ?? '')] as const)
  return Object.fromEntries(bounds) as unknown as ListBounds
}

export function writeBounds(bounds: ListBounds, parameters: URLSearchParams): void {
  for (const name of NAMES) if (bounds[name] !== null) parameters.set(WRITTEN[name].parameter, String(bounds[name]))
}

export const countBounds = (bounds: ListBounds) => NAMES.filter(name => bounds[name] !== null).length
