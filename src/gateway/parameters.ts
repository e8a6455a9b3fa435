import { type Address, parseAddress } from '#domain/address.ts'
import { invalidParameter, type Problem, quote } from './problem.ts'

/** How one parameter is read: `read` gives `undefined` for a text that is not what `expected` says. */
interface Reader<T> {
  /** Completes "<name> must be …". */
  readonly expected: string
  read(text: string): T | undefined
}

/** A parameter that may be left out, with or without a value that then stands for it. */
export interface Parameter<T, Absent> extends Reader<T> {
  readonly absent: { readonly kind: 'problem' } | { readonly kind: 'value'; readonly value: Absent }
}

export type Schema = Readonly<Record<string, Parameter<unknown, unknown>>>

type OptionalKeys<S extends Schema> = {
  [K in keyof S]: S[K] extends Parameter<unknown, infer A> ? (undefined extends A ? K : never) : never
}[keyof S]
type ValueOf<P> = P extends Parameter<infer T, unknown> ? T : never

/** What a schema's parameters are read to: optional ones are missing, not `undefined`, when they are not given. */
export type Values<S extends Schema> = { readonly [K in Exclude<keyof S, OptionalKeys<S>>]: ValueOf<S[K]> } & {
  readonly [K in OptionalKeys<S>]?: ValueOf<S[K]>
}

export type Parsed<S extends Schema> = { readonly ok: true; readonly values: Values<S> } | { readonly ok: false; readonly problem: Problem }

/** The texts of a request's parameters by name; more than one when a name is repeated. */
export type ParameterTexts = ReadonlyMap<string, readonly string[]>

/**
 * Reads every parameter of the schema strictly: a repeated, empty, malformed or out-of-range one is a problem that says what was
 * expected. Names that the schema lacks are ignored.
 */
export function parseParameters<S extends Schema>(schema: S, texts: ParameterTexts): Parsed<S> {
  const values: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(schema)) {
    const [text, ...repeated] = texts.get(name) ?? []
    if (repeated.length > 0) return rejected(`${name} is given ${repeated.length + 1} times; it must be given once`)
    if (text === undefined) {
      if (parameter.absent.kind === 'problem') return rejected(`${name} is required: it must be ${parameter.expected}`)
      if (parameter.absent.value !== undefined) values[name] = parameter.absent.value
      continue
    }
    const value = parameter.read(text)
    if (value === undefined) return rejected(`${name} must be ${parameter.expected}, got ${quote(text)}`)
    values[name] = value
  }
  return { ok: true, values: values as Values<S> }
}

function rejected(detail: string): { readonly ok: false; readonly problem: Problem } {
  return { ok: false, problem: invalidParameter(detail) }
}

/**
 * Splits a raw query string and decodes it as forms are (`+` is a space).
 *
 * @returns a problem when the percent-encoding is broken or does not hold UTF-8
 */
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

/** `undefined` when the percent-encoding is broken or does not hold UTF-8. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

export function required<T>(reader: Reader<T>): Parameter<T, never> {
  return { ...reader, absent: { kind: 'problem' } }
}

export function optional<T>(reader: Reader<T>): Parameter<T, undefined> {
  return { ...reader, absent: { kind: 'value', value: undefined } }
}

export function withDefault<T>(reader: Reader<T>, value: NoInfer<T>): Parameter<T, T> {
  return { ...reader, absent: { kind: 'value', value } }
}

/** Decimal digits without sign, leading zeros or exponent. */
export function integer(min: number, max: number, unit = ''): Reader<number> {
  return {
    expected: `an integer from ${min} to ${max}${unit}`,
    read(text) {
      const value = /^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN
      return value >= min && value <= max ? value : undefined
    },
  }
}

export function oneOf<const T extends string>(values: readonly T[]): Reader<T> {
  return { expected: `one of ${values.join(', ')}`, read: text => values.find(value => value === text) }
}

export const boolean: Reader<boolean> = {
  expected: 'true or false',
  read: text => (text === 'true' ? true : text === 'false' ? false : undefined),
}

export const address: Reader<Address> = { expected: 'an address (0x and 40 hex digits)', read: parseAddress }

/** Free text of so many characters, counted as people do, without control characters (PostgreSQL has no NUL). */
export function text(max: number): Reader<string> {
  return {
    expected: `1 to ${max} characters, not only spaces and no control characters`,
    read: value => (value.trim() !== '' && [...value].length <= max && !/\p{Cc}/u.test(value) ? value : undefined),
  }
}

/** A comma list without repetitions in the result. */
export function list<T>(reader: Reader<T>, max: number, of: string): Reader<readonly T[]> {
  return {
    expected: `at most ${max} ${of}, separated by commas`,
    read(text) {
      const items = text.split(',')
      if (items.length > max) return undefined
      const values = items.map(item => reader.read(item))
      return values.every(value => value !== undefined) ? [...new Set(values)] : undefined
    },
  }
}
