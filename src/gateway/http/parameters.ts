import { z } from 'zod'
import { getOrInsert } from '#domain/maps.ts'
import { nearestName } from '#domain/text.ts'
import { takesList } from '#resources/parameters.ts'
import { invalidParameter, type Problem, quote } from './problem.ts'

/** The texts of a request's parameters by name; several when a name is repeated. */
export type ParameterTexts = ReadonlyMap<string, readonly string[]>

export type ParsedParameters<S extends z.ZodObject> =
  | { readonly kind: 'valid'; readonly values: z.output<S> }
  | {
      readonly kind: 'invalid'
      readonly problem: Problem
      /** The parameter whose value is refused. */
      readonly name?: string
    }

/**
 * Parses parameters. One that is missing, repeated, empty, malformed or out of range is a problem that says what was expected. Only a list
 * may be repeated, and each repetition adds to it.
 */
export function parseParameters<S extends z.ZodObject>(schema: S, texts: ParameterTexts): ParsedParameters<S> {
  const given: Record<string, string> = {}
  for (const name in schema.shape) {
    const values = texts.get(name)
    if (values === undefined) continue
    if (values.length > 1 && !takesList(schema.shape[name]))
      return { ...rejected(`${name} is given ${values.length} times; it must be given once`), name }
    given[name] = values.join(',')
  }
  const parsed = schema.safeParse(given)
  if (parsed.success) return { kind: 'valid', values: parsed.data }
  const name = String(parsed.error.issues[0]?.path[0])
  const expected = expectationOf(schema.shape[name])
  const text = given[name]
  const detail = text === undefined ? `${name} is required: it must be ${expected}` : `${name} must be ${expected}, got ${quote(text)}`
  return { ...rejected(detail), name }
}

/** The problem of the first name that is not known; `null`: all are known. A misspelt filter must not select everything. */
export function refuseUnknown(given: Iterable<string>, known: readonly string[], kind: 'parameter' | 'filter'): Problem | null {
  for (const name of given) {
    if (known.includes(name)) continue
    const nearest = nearestName(name, known)
    return invalidParameter(`unknown ${kind} ${quote(name)}; ${nearest === null ? 'there are none here' : `did you mean ${nearest}?`}`)
  }
  return null
}

export type ParsedQuery =
  | { readonly kind: 'valid'; readonly texts: ParameterTexts }
  | { readonly kind: 'invalid'; readonly problem: Problem }

/** Decodes a query like a form, where `+` is a space. It is a problem if its percent-encoding is broken or is not of UTF-8. */
export function parseQuery(query: string): ParsedQuery {
  const texts = new Map<string, string[]>()
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const separator = pair.indexOf('=')
    const name = decodeComponent(separator < 0 ? pair : pair.slice(0, separator))
    const text = decodeComponent(separator < 0 ? '' : pair.slice(separator + 1))
    if (name === undefined || text === undefined) return rejected(`the query must be percent-encoded UTF-8, got ${quote(pair)}`)
    getOrInsert(texts, name, () => []).push(text)
  }
  return { kind: 'valid', texts }
}

/** Decodes percent-encoded text; `undefined`: the encoding is broken or is not of UTF-8. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/**
 * A value of a client's JSON as the text of a parameter. A list or an object becomes empty brackets, which no parameter accepts: a message
 * of 16 KB can be nested so deeply that writing it out overflows the stack.
 */
export function scalarText(value: unknown): string {
  if (Array.isArray(value)) return '[]'
  if (typeof value === 'object' && value !== null) return '{}'
  return typeof value === 'number' ? PLAIN.format(value) : String(value)
}

function rejected(detail: string): { readonly kind: 'invalid'; readonly problem: Problem } {
  return { kind: 'invalid', problem: invalidParameter(detail) }
}

/** The values that a parameter expects, in words: those of the error for `null`, which no parameter takes. */
function expectationOf(parameter: z.core.$ZodType): string {
  return z.core.safeParse(parameter, null).error?.issues[0]?.message ?? ''
}

function decodeComponent(text: string): string | undefined {
  return decodePercent(text.replaceAll('+', ' '))
}

/** Numbers without an exponent, which parameters do not accept: `0.0000001` for `1e-7`. */
const PLAIN = new Intl.NumberFormat('en', { useGrouping: false, maximumFractionDigits: 100, signDisplay: 'negative' })
