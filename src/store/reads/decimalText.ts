import { formatUnits } from '#domain/decimal.ts'

const WETH_DECIMALS = 18
const ZERO = 0x30
const POINT = 0x2e

/** A stored `numeric` as a plain decimal string without trailing zeros. */
export function decimalText(numeric: string): string
export function decimalText(numeric: string | null): string | null
export function decimalText(numeric: string | null): string | null {
  // PostgreSQL prints neither exponents nor a sign on zero, which leaves the zeros at the end of a fraction.
  if (numeric === null || !numeric.includes('.')) return numeric
  // Not by a regular expression, which would begin anew at every run of zeros: a page of candles has thousands of numbers.
  let end = numeric.length
  while (numeric.charCodeAt(end - 1) === ZERO) end--
  if (numeric.charCodeAt(end - 1) === POINT) end--
  return numeric.slice(0, end)
}

/** A stored `numeric` of wei as a plain decimal string in WETH. */
export function weiToWeth(wei: string): string
export function weiToWeth(wei: string | null): string | null
export function weiToWeth(wei: string | null): string | null {
  if (wei === null || wei.startsWith('-')) return wei === null ? null : formatUnits(BigInt(wei), WETH_DECIMALS)
  const digits = wei.padStart(WETH_DECIMALS + 1, '0')
  return decimalText(`${digits.slice(0, -WETH_DECIMALS)}.${digits.slice(-WETH_DECIMALS)}`)
}

/** Unix seconds as ISO 8601 UTC with milliseconds. */
export function secondsToIso(seconds: number): string
export function secondsToIso(seconds: number | null): string | null
export function secondsToIso(seconds: number | null): string | null {
  return seconds === null ? null : new Date(seconds * 1000).toISOString()
}
