import { formatUnits, multiplyTexts } from '#domain/decimal.ts'
import { WETH_DECIMALS } from '#domain/weth.ts'

const ZERO = 0x30
const POINT = 0x2e

/** The type of a value's text: `null` for a value that is `null`. */
type Text<Value> = Value extends null ? null : string

/** A stored `numeric` without trailing zeros, as PostgreSQL's `trim_scale`. */
export function trimScale<Numeric extends string | null>(numeric: Numeric): Text<Numeric>
export function trimScale(numeric: string | null): string | null {
  // PostgreSQL prints neither exponents nor a sign on zero, which leaves the zeros at the end of a fraction.
  if (numeric === null || !numeric.includes('.')) return numeric
  // A regular expression would start again at every run of zeros, and a page of candles has thousands of numbers.
  let end = numeric.length
  while (numeric.charCodeAt(end - 1) === ZERO) end--
  if (numeric.charCodeAt(end - 1) === POINT) end--
  return numeric.slice(0, end)
}

/** A stored `numeric` of wei as a plain decimal string in WETH. */
export function weiToWeth<Wei extends string | null>(wei: Wei): Text<Wei>
export function weiToWeth(wei: string | null): string | null {
  if (wei === null) return null
  if (wei.startsWith('-')) return formatUnits(BigInt(wei), WETH_DECIMALS)
  const digits = wei.padStart(WETH_DECIMALS + 1, '0')
  return trimScale(`${digits.slice(0, -WETH_DECIMALS)}.${digits.slice(-WETH_DECIMALS)}`)
}

/** A price per 10^18 smallest units of a currency as one in whole units; `null`: the currency's decimals are not known. */
export function wholeUnits<Value extends string | null>(value: Value, decimals: number): Text<Value>
export function wholeUnits(value: string | null, decimals: number | null): string | null
export function wholeUnits(value: string | null, decimals: number | null): string | null {
  if (value === null || decimals === null) return null
  if (decimals === WETH_DECIMALS) return value
  const places = Math.abs(decimals - WETH_DECIMALS)
  return multiplyTexts(value, decimals < WETH_DECIMALS ? `1${'0'.repeat(places)}` : `0.${'0'.repeat(places - 1)}1`)
}

/** Unix seconds as ISO 8601 UTC with milliseconds. */
export function secondsToIso<Seconds extends number | null>(seconds: Seconds): Text<Seconds>
export function secondsToIso(seconds: number | null): string | null {
  return seconds === null ? null : new Date(seconds * 1000).toISOString()
}
