/** Smallest and greatest values of the tokens of a list; `null`: no bound. */
export interface ListBounds {
  /** In WETH, like `minLiquidity` and `minVolume24h`. */
  readonly minMarketCap: number | null
  readonly minLiquidity: number | null
  readonly minVolume24h: number | null
  readonly minHolders: number | null
  /** In percent. */
  readonly minGraduation: number | null
  readonly minAgeHours: number | null
  readonly maxAgeHours: number | null
}

const DECIMAL = /^\d{1,9}(?:\.\d{1,9})?$/
const WHOLE = /^\d{1,9}$/
const PERCENT = /^(?:100|\d{1,2}(?:\.\d{1,2})?)$/

/** How each bound is written in the address of the page. */
const WRITTEN: Readonly<Record<keyof ListBounds, { readonly parameter: string; readonly pattern: RegExp }>> = {
  minMarketCap: { parameter: 'cap', pattern: DECIMAL },
  minLiquidity: { parameter: 'liquidity', pattern: DECIMAL },
  minVolume24h: { parameter: 'volume', pattern: DECIMAL },
  minHolders: { parameter: 'holders', pattern: WHOLE },
  minGraduation: { parameter: 'graduated', pattern: PERCENT },
  minAgeHours: { parameter: 'older', pattern: WHOLE },
  maxAgeHours: { parameter: 'age', pattern: WHOLE },
}

const NAMES = Object.keys(WRITTEN) as (keyof ListBounds)[]

export const NO_BOUNDS: ListBounds = {
  minMarketCap: null,
  minLiquidity: null,
  minVolume24h: null,
  minHolders: null,
  minGraduation: null,
  minAgeHours: null,
  maxAgeHours: null,
}

/** The value of a bound; `null` for a text that is no bound, and for 0, which bounds nothing. */
export function parseBound(name: keyof ListBounds, text: string): number | null {
  return WRITTEN[name].pattern.test(text) ? Number(text) || null : null
}

/** Digits of a bound in dollars, whose price moves all the time. */
const SHOWN_DIGITS = 4
/** Digits of its value in WETH, so that it is shown as it was entered. */
const KEPT_DECIMALS = 9

/** The bound of a text in a currency of which `perWeth` are one WETH. */
export function boundInWeth(text: string, perWeth: number): number | null {
  if (!/^\d{1,15}(?:\.\d{1,9})?$/.test(text)) return null
  return parseBound('minMarketCap', String(Number((Number(text) / perWeth).toFixed(KEPT_DECIMALS))))
}

export function boundText(weth: number | null, perWeth: number): string {
  if (weth === null) return ''
  return String(perWeth === 1 ? weth : Number((weth * perWeth).toPrecision(SHOWN_DIGITS)))
}

export function readBounds(parameters: URLSearchParams): ListBounds {
  const bounds = NAMES.map(name => [name, parseBound(name, parameters.get(WRITTEN[name].parameter) ?? '')] as const)
  return Object.fromEntries(bounds) as unknown as ListBounds
}

export function writeBounds(bounds: ListBounds, parameters: URLSearchParams): void {
  for (const name of NAMES) if (bounds[name] !== null) parameters.set(WRITTEN[name].parameter, String(bounds[name]))
}

export const countBounds = (bounds: ListBounds) => NAMES.filter(name => bounds[name] !== null).length
