import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import type { Address } from '#domain/address.ts'
import { getOrInsert } from '#domain/maps.ts'
import { withoutApiKeys } from '#domain/secretPattern.ts'
import { nearestName } from '#domain/text.ts'
import type { ConnectionAdmission } from '#gateway/admission/admission.ts'
import { takesList } from '#resources/parameters.ts'
import type { ProblemCode, ProblemStatus } from '#resources/resource.ts'

/** An error answer. `headers`: the headers that its status requires. */
export interface Problem {
  readonly kind: 'problem'
  readonly status: ProblemStatus
  readonly code: ProblemCode
  /** A text for people that says what was expected, without internals. */
  readonly detail: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Whether the body repeats the detail as `message`. */
  readonly hasMessage?: boolean
}

/** The header that asks for a retry after 5 s, when a database or a price provider may work again. */
export const RETRY_AFTER = ['Retry-After', '5'] as const

const CONNECTION_RETRY_AFTER = ['Retry-After', '10'] as const
const WATCH_RETRY_AFTER = ['Retry-After', '60'] as const

export function problem(status: Problem['status'], code: ProblemCode, detail: string, headers: Problem['headers'] = []): Problem {
  return { kind: 'problem', status, code, detail, headers }
}

export function invalidParameter(detail: string): Problem {
  return problem(400, 'invalid_parameter', detail)
}

/** The problem of names of which one is no launchpad of the service; `null`: all are. */
export function problemOfLaunchpads(
  given: readonly string[] | undefined,
  known: readonly { readonly name: string }[],
  parameter = 'launchpad',
): Problem | null {
  const unknown = given?.find(name => !known.some(launchpad => launchpad.name === name))
  if (unknown === undefined) return null
  return invalidParameter(`${parameter} must be of ${known.map(({ name }) => name).join(', ')}, got ${quote(unknown)}`)
}

export function tokenNotFound(address: Address): Problem {
  return problem(404, 'token_not_found', `${address} is not an indexed token`)
}

/** A problem with status 503 and `Retry-After`. */
export function unavailable(code: 'data_unavailable' | 'price_unavailable', detail: string): Problem {
  return problem(503, code, detail, [RETRY_AFTER])
}

/** The answer to a WebSocket upgrade or an event stream that `Admission.openConnection` refused. */
export function connectionRefused(refused: Extract<ConnectionAdmission, { kind: 'refused' }>): Problem {
  const headers = [CONNECTION_RETRY_AFTER]
  return refused.status === 429
    ? problem(429, 'rate_limited', 'this client has as many WebSocket and SSE connections open as it may have', headers)
    : problem(503, 'data_unavailable', 'the server has as many WebSocket and SSE connections open as it may have', headers)
}

/** The answer to an event stream of a list or of candles that would be one too many. */
export function watchRefused({ limitOf, message }: { readonly limitOf: 'client' | 'server'; readonly message: string }): Problem {
  const headers = [WATCH_RETRY_AFTER]
  return limitOf === 'client' ? problem(429, 'rate_limited', message, headers) : problem(503, 'data_unavailable', message, headers)
}

export function originNotAllowed(origin: string): Problem {
  const detail = origin === '' ? 'this server wants an Origin header' : `pages of ${quote(origin)} may not use this server`
  return problem(403, 'origin_not_allowed', detail)
}

/** The problem of a key that is not in force, with status 401. */
export function unknownKey(): Problem {
  return problem(401, 'unauthorized', 'this API key is unknown or revoked')
}

/** The body of a problem by RFC 9457. `type` is `about:blank`, because the codes have no pages of their own. */
export function problemBody(problem: Problem, requestId: string): string {
  const { status, code, detail, hasMessage = false } = problem
  const message = hasMessage ? { message: detail } : {}
  return JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail, code, ...message, requestId })
}

/** The status line, such as `404 Not Found`. */
export function problemStatus(problem: Problem): string {
  return `${problem.status} ${STATUS_CODES[problem.status]}`
}

/** Makes input safe for an answer or a log: quoted, at most 64 characters, without control characters, bidi marks and API keys. */
export function quote(input: string): string {
  const characters = [...withoutApiKeys(input).replace(/[\p{C}\p{Z}]+/gu, ' ')]
  return JSON.stringify(characters.length <= 64 ? characters.join('') : `${characters.slice(0, 63).join('')}…`)
}

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

/** The values that a parameter expects, in words: those of the error for `null`, which no parameter takes. */
function expectationOf(parameter: z.core.$ZodType): string {
  return z.core.safeParse(parameter, null).error?.issues[0]?.message ?? ''
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

function rejected(detail: string): { readonly kind: 'invalid'; readonly problem: Problem } {
  return { kind: 'invalid', problem: invalidParameter(detail) }
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

function decodeComponent(text: string): string | undefined {
  return decodePercent(text.replaceAll('+', ' '))
}

/** Decodes percent-encoded text; `undefined`: the encoding is broken or is not of UTF-8. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Numbers without an exponent, which parameters do not accept: `0.0000001` for `1e-7`. */
const PLAIN = new Intl.NumberFormat('en', { useGrouping: false, maximumFractionDigits: 100, signDisplay: 'negative' })

/**
 * A value of a client's JSON as the text of a parameter. A list or an object becomes empty brackets, which no parameter accepts: a message
 * of 16 KB can be nested so deeply that writing it out overflows the stack.
 */
export function scalarText(value: unknown): string {
  if (Array.isArray(value)) return '[]'
  if (typeof value === 'object' && value !== null) return '{}'
  return typeof value === 'number' ? PLAIN.format(value) : String(value)
}
