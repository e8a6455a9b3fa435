import { z } from 'zod'
import type { Address } from '#domain/address.ts'
import { MAX_UNIX_SECONDS } from './values.ts'

/*
 * The kinds of parameters: each turns the text of a request into a value. The error for a value that is no text completes
 * "<name> must be".
 */

/** Decimal digits without sign, leading zeros or exponent. */
export function integerParameter(min: number, max: number, unit = '') {
  const digits = z.string({ error: `an integer from ${min} to ${max}${unit}` }).regex(/^(?:0|[1-9]\d{0,15})$/)
  return z.codec(digits, z.int().min(min).max(max), { decode: Number, encode: String })
}

/** One of some words, in exactly this spelling. */
export function wordParameter<const Word extends string>(words: readonly Word[]) {
  return z.enum(words, { error: `one of ${words.join(', ')}` })
}

/** Zero or more, without a sign or an exponent. The value stays a text. */
export const decimalParameter = z
  .string({ error: 'a decimal number of at most 18 digits on each side of the point' })
  .regex(/^(?:0|[1-9]\d{0,17})(?:\.\d{1,18})?$/)

/** 0 to 100, without a sign or an exponent. */
export const percentParameter = z.codec(
  z.string({ error: 'a number from 0 to 100' }).regex(/^\d{1,3}(?:\.\d{1,18})?$/),
  z.number().min(0).max(100),
  { decode: Number, encode: String },
)

export const booleanParameter = z.stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive', error: 'true or false' })

/** In any letter case; the value is in lower case. */
export const addressParameter = z
  .string({ error: 'an address (0x and 40 hex digits)' })
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .toLowerCase() as unknown as z.ZodType<Address, string>

/** Free text. Its length counts code points; control characters are refused because PostgreSQL stores no NUL. */
export function textParameter(max: number) {
  return z
    .string({ error: `1 to ${max} characters, not only spaces and no control characters` })
    .refine(text => text.trim() !== '' && [...text].length <= max && !/\p{Cc}/u.test(text))
    .meta({ minLength: 1, maxLength: max })
}

const compareTexts = (a: unknown, b: unknown) => (String(a) < String(b) ? -1 : 1)

/** A comma list. Its items come out sorted and once each, so that equal lists are equal values. */
export function listParameter<Item extends z.ZodType<unknown, string>>(item: Item, max: number, items: string) {
  const text = z.string({ error: `1 to ${max} ${items}, separated by commas` })
  const list = z
    .array(item)
    .max(max)
    .overwrite(values => [...new Set(values)].toSorted(compareTexts))
  return z.codec(text, list, { decode: given => given.split(',') as z.input<Item>[], encode: values => values.join(',') })
}

/** Whether a parameter is a comma list, which clients may also write as a parameter per item. */
export function takesList(parameter: z.core.$ZodType | undefined): boolean {
  if (parameter instanceof z.ZodExactOptional) return takesList(parameter.unwrap())
  return parameter instanceof z.ZodCodec && parameter.out instanceof z.ZodArray
}

export const tokenParameter = addressParameter.describe('Address of the token.')

/** The parameters of a list that is read page by page. */
export function pageParameters(rows: { readonly max: number; readonly default: number }) {
  return {
    limit: integerParameter(1, rows.max).default(rows.default).describe('Rows per page.'),
    cursor: cursorParameter,
  }
}

export const cursorParameter = textParameter(512).exactOptional().describe('The `nextCursor` of the page before this one.')

export const unixSeconds = integerParameter(0, MAX_UNIX_SECONDS, ' (Unix seconds)')

export const launchpadParameter = listParameter(textParameter(64), 20, 'names of launchpads')

/** Inclusive; `from` and `to` in Unix seconds. */
export interface Bounds {
  readonly fromBlock?: number
  readonly toBlock?: number
  readonly from?: number
  readonly to?: number
}

/** Why bounds that are valid one by one contradict each other; `null`: they don't. */
export function contradictingBounds({
  fromBlock = 0,
  toBlock = Number.MAX_SAFE_INTEGER,
  from = 0,
  to = MAX_UNIX_SECONDS,
}: Bounds): string | null {
  if (fromBlock > toBlock) return `fromBlock must not be above toBlock, got ${fromBlock} and ${toBlock}`
  return from > to ? `from must not be after to, got ${from} and ${to}` : null
}
