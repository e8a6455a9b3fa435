import { z } from 'zod'
import type { Address } from '#domain/address.ts'
import { invalidParameter, type Problem, quote } from './problem.ts'

/*
 * The parameters of a route are a zod object whose fields turn a text of the request into a value. The error for a value that is no text
 * completes "<name> must be".
 */

/** The texts of a request's parameters by name; several when a name is repeated. */
export type ParameterTexts = ReadonlyMap<string, readonly string[]>

export type ParsedParameters<S extends z.ZodObject> =
  | { readonly ok: true; readonly values: z.output<S> }
  | { readonly ok: false; readonly problem: Problem }

/** A missing, repeated, empty, malformed or out-of-range parameter is a problem that says what was expected. */
export function parseParameters<S extends z.ZodObject>(schema: S, texts: ParameterTexts): ParsedParameters<S> {
  const given: Record<string, string> = {}
  for (const name in schema.shape) {
    const values = texts.get(name)
    if (values === undefined) continue
    if (values.length > 1) return rejected(`${name} is given ${values.length} times; it must be given once`)
    given[name] = values[0] ?? ''
  }
  const parsed = schema.safeParse(given)
  if (parsed.success) return { ok: true, values: parsed.data }
  const name = String(parsed.error.issues[0]?.path[0])
  const expected = expectationOf(schema.shape[name])
  const text = given[name]
  return rejected(text === undefined ? `${name} is required: it must be ${expected}` : `${name} must be ${expected}, got ${quote(text)}`)
}

/** No parameter takes `null`, so its error says what the parameter expects. */
function expectationOf(parameter: z.core.$ZodType): string {
  return z.core.safeParse(parameter, null).error?.issues[0]?.message ?? ''
}

function rejected(detail: string): { readonly ok: false; readonly problem: Problem } {
  return { ok: false, problem: invalidParameter(detail) }
}

/** Decimal digits without sign, leading zeros or exponent. */
export function integerParameter(min: number, max: number, unit = '') {
  const digits = z.string({ error: `an integer from ${min} to ${max}${unit}` }).regex(/^(?:0|[1-9]\d{0,15})$/)
  return z.codec(digits, z.int().min(min).max(max), { decode: Number, encode: String })
}

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

/** A comma list. Repeated items are returned once. */
export function listParameter<Item extends z.ZodType<unknown, string>>(item: Item, max: number, items: string) {
  const text = z.string({ error: `at most ${max} ${items}, separated by commas` })
  const list = z
    .array(item)
    .max(max)
    .overwrite(values => [...new Set(values)])
  return z.codec(text, list, { decode: given => given.split(',') as z.input<Item>[], encode: values => values.join(',') })
}

export const tokenParameter = addressParameter.describe('Address of the token.')

export function pageParameters(rows: { readonly max: number; readonly default: number }) {
  return {
    limit: integerParameter(1, rows.max).default(rows.default).describe('Rows per page.'),
    cursor: cursorParameter,
  }
}

export const cursorParameter = textParameter(512).exactOptional().describe('The `nextCursor` of the page before this one.')

/** Decodes a query as forms are (`+` is a space). A problem: its percent-encoding is broken or does not hold UTF-8. */
export function parseQuery(query: string): ParameterTexts | Problem {
  const texts = new Map<string, string[]>()
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const separator = pair.indexOf('=')
    const name = decodeComponent(separator < 0 ? pair : pair.slice(0, separator))
    const text = decodeComponent(separator < 0 ? '' : pair.slice(separator + 1))
    if (name === undefined || text === undefined) return invalidParameter(`the query must be percent-encoded UTF-8, got ${quote(pair)}`)
    const repeated = texts.get(name)
    if (repeated === undefined) texts.set(name, [text])
    else repeated.push(text)
  }
  return texts
}

function decodeComponent(text: string): string | undefined {
  return decodePercent(text.replaceAll('+', ' '))
}

export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
