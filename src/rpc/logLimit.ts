/** The limit that a log query has exceeded, according to the provider that refused it. */
export type LogLimit =
  /** More blocks than it allows in one query, whatever they hold; `max` when it says how many it allows. */
  | { readonly kind: 'blocks'; readonly max: number | null }
  /** A range that would work, both ends inclusive. */
  | { readonly kind: 'suggested'; readonly from: number; readonly to: number }
  /** Too many logs, bytes or seconds for what these blocks happen to hold. */
  | { readonly kind: 'density' }
  /** More addresses than it allows in one query. */
  | { readonly kind: 'addresses'; readonly max: number | null }
  /** Queries without addresses are not allowed. */
  | { readonly kind: 'address-required' }

/** The characters of an error text that are read: providers send texts of any length, with nothing useful further back. */
const TEXT_READ = 600
const NUMBER = String.raw`(\d[\d,._]*)\s*(k|m)?\b`

const HEX_RANGE = /\[\s*(0x[0-9a-f]{1,12})\s*,\s*(0x[0-9a-f]{1,12})\s*\]/
const DECIMAL_RANGE = /retry with the range (\d{1,12})\s*-\s*(\d{1,12})/

const ADDRESSES =
  /max(?:imum)? (?:number of )?addresses|too many (?:contract )?addresses|less (?:number of )?addresses|addresses? (?:count|limit|exceeds?)/

const ADDRESS_REQUIRED =
  /(?:specify|provide|without|missing|requires?)(?: an?| the| at least one| one or more| any)* (?:contract )?address(?:es)?\b|address(?:es)? (?:is|are|must be|field is) (?:required|specified|provided)/

const DENSITY = [
  /more than [\d,]+ (?:results|logs|events)/,
  /(?:exceeds?|exceeded) (?:the )?(?:max(?:imum)? )?(?:results|limit of [\d,]+ (?:results|logs))/,
  /logs matched by query exceeds/,
  /too many (?:results|logs|events)/,
  /max(?:imum)? (?:results|logs|number of logs)/,
  /response (?:size|is too|too|body)|response exceed/,
  /logs? too large/,
  /(?:query|request|execution) (?:timeout|timed out|took too long)|timeout exceeded|deadline exceeded/,
  /reduc(?:e|ing) (?:the |your )?(?:block )?range/,
]

/** Texts that state how many blocks are allowed. The first group captures the number. */
const BLOCKS_WITH_NUMBER = [
  /\(\d+ > (\d+)()\)/,
  `maximum is set to ${NUMBER}`,
  `limit(?:ed|s)? (?:the query )?to (?:an? |at most |0 ?- ?)?${NUMBER}`,
  `(?:up to|at most|no more than)(?: an?)? ${NUMBER}[ -]blocks?`,
  `max(?:imum)?(?: allowed)?(?: rpc)?(?: number of requested blocks| block range| blocks range| range| blocks distance| \\[from, to\\] blocks distance)?(?: limit)?(?: is|:| of| =|=)? ?${NUMBER}`,
  `range (?:of )?(?:[\\d,]+ )?(?:exceeds|exceeded|greater than|larger than|bigger than|above)(?: the| a)?(?: limit of| limit| maximum of| max of)? ?${NUMBER}`,
  `ranges? over ${NUMBER}`,
  `smaller than size ${NUMBER}`,
].map(source => new RegExp(source))

const BLOCKS = [
  /range (?:is )?too (?:wide|large|high|big|long)/,
  /range limit exceeded|exceeds? (?:the )?(?:configured |allowed )?(?:max(?:imum)?|limit)?(?: rpc)? ?(?:block )?range/,
  /range (?:is )?(?:exceeds|exceeded|bigger than|greater than|larger than|limited)/,
  /too many blocks/,
]

/** A range that reaches past what this node has is no range limit: a smaller one would be refused as well. */
const PAST_THE_HEAD =
  /(?:beyond|past|above|after|greater than) (?:the )?(?:current |last |latest |chain )?(?:head|accepted|block\b)|unknown block|not found/

/**
 * Reads a provider's error text about `eth_getLogs`. Every provider has its own words; the ones known are in this function's test.
 *
 * @returns `null` when the text speaks of something else
 */
export function parseLogLimit(message: string): LogLimit | null {
  const text = message.slice(0, TEXT_READ).toLowerCase()
  const hex = HEX_RANGE.exec(text)
  if (hex !== null) return { kind: 'suggested', from: Number(hex[1]), to: Number(hex[2]) }
  const decimal = DECIMAL_RANGE.exec(text)
  if (decimal !== null) return { kind: 'suggested', from: Number(decimal[1]), to: Number(decimal[2]) }
  if (PAST_THE_HEAD.test(text)) return null
  if (ADDRESS_REQUIRED.test(text)) return { kind: 'address-required' }
  if (ADDRESSES.test(text)) return { kind: 'addresses', max: firstNumber(text) }
  if (DENSITY.some(pattern => pattern.test(text))) return { kind: 'density' }
  if (!/block|range|distance|quer/.test(text)) return null
  for (const pattern of BLOCKS_WITH_NUMBER) {
    const match = pattern.exec(text)
    const max = match === null ? null : parseCount(match[1], match[2])
    if (max !== null) return { kind: 'blocks', max }
  }
  return BLOCKS.some(pattern => pattern.test(text)) ? { kind: 'blocks', max: null } : null
}

function firstNumber(text: string): number | null {
  const match = new RegExp(`(?:limit|max|maximum|most|to)\\D{0,12}${NUMBER}`).exec(text)
  return match === null ? null : parseCount(match[1], match[2])
}

function parseCount(digits: string | undefined, suffix: string | undefined): number | null {
  const count = Number((digits ?? '').replace(/[,._]/g, '')) * (suffix === 'k' ? 1_000 : suffix === 'm' ? 1_000_000 : 1)
  return Number.isSafeInteger(count) && count >= 1 ? count : null
}
