/**
 * What a log query that is too large has too much of: blocks, with what they hold, or addresses (topics of one position alike).
 * `address-required`: it names no addresses, and the provider refuses such queries.
 */
export type LogLimit = 'blocks' | 'addresses' | 'address-required'

/** What was asked for; blocks are inclusive. */
export interface AskedSize {
  readonly limit: LogLimit
  /** Blocks, or addresses. */
  readonly size: number
  readonly from: number
  readonly to: number
}

/** The characters of an error text that are read: providers send texts of any length, with nothing useful further back. */
const TEXT_READ = 600
/** A smaller part of the refused size is not believed at once: a number that means something else would cost as many queries. */
const SMALLEST_PART = 1 / 32
const NUMBERS = /0x[0-9a-f]{1,12}\b|(\d[\d,._]*)\s*(k|m)?\b/g

/**
 * A size below the refused one that the provider's words suggest: the end of a range that begins where the query did, else the largest
 * number that is smaller. Only a hint: in any language, of any provider, right or not. A wrong one costs a query or two.
 *
 * @returns `null` when the words have no such number
 */
export function sizeHint(words: string, { limit, size, from, to }: AskedSize): number | null {
  const text = words.slice(0, TEXT_READ).toLowerCase()
  const numbers = [...text.matchAll(NUMBERS)].map(([whole, digits, suffix]) =>
    digits === undefined ? Number(whole) : countOf(digits, suffix),
  )
  if (limit === 'blocks') {
    const end = numbers.find((number, index) => index > 0 && numbers[index - 1] === from && number > from && number < to)
    if (end !== undefined) return Math.max(end - from + 1, Math.ceil(size * SMALLEST_PART))
  }
  // Providers quote what was asked: the bounds, the number of blocks, or how far they are apart.
  const smaller = numbers.filter(number => number >= 1 && number < size - 1 && number !== from && number !== to)
  return smaller.length === 0 ? null : Math.max(...smaller, Math.ceil(size * SMALLEST_PART))
}

function countOf(digits: string, suffix: string | undefined): number {
  return Number(digits.replace(/[,._]/g, '')) * (suffix === 'k' ? 1_000 : suffix === 'm' ? 1_000_000 : 1)
}
