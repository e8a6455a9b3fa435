import { STATUS_CODES } from 'node:http'
import type { Address } from '#domain/address.ts'
import { withoutApiKeys } from '#domain/secretPattern.ts'
import type { ConnectionAdmission } from '#gateway/admission/admission.ts'
import type { ProblemCode, ProblemStatus } from '#resources/problem.ts'

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
