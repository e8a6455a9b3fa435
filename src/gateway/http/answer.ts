import { hash } from 'node:crypto'
import type { Problem } from './problem.ts'

export type HeaderField = readonly [name: string, value: string]

const JSON_TYPE = 'application/json; charset=utf-8'

export interface Answer {
  readonly kind: 'answer'
  /** The status line, such as `200 OK`. */
  readonly status: `${number} ${string}`
  readonly headers: readonly HeaderField[]
  /** The body; `null`: the answer has neither a body nor a `Content-Length`. */
  readonly body: string | Buffer | null
  readonly tag?: string
}

/** The result of a handler. `handedOver`: the response belongs to an event stream, or the client has gone. */
export type Outcome = Answer | Problem | { readonly kind: 'handedOver' }

/** A JSON answer. Default status 200. */
export function jsonAnswer(body: unknown, headers?: readonly HeaderField[], status?: Answer['status']): Answer {
  return jsonTextAnswer(JSON.stringify(body), headers, status)
}

/** A JSON answer whose body is encoded already. */
export function jsonTextAnswer(body: string | Buffer, headers: readonly HeaderField[] = [], status: Answer['status'] = '200 OK'): Answer {
  return { kind: 'answer', status, headers: [['Content-Type', JSON_TYPE], ...headers], body }
}

/** An answer with status 200 and a text. */
export function textAnswer(contentType: `text/${string}`, body: string, headers: readonly HeaderField[] = []): Answer {
  return { kind: 'answer', status: '200 OK', headers: [['Content-Type', `${contentType}; charset=utf-8`], ...headers], body }
}

/** A strong entity tag. It depends only on the bytes, so it is the same in every process. */
export function entityTag(body: string | Buffer): string {
  return `"${hash('sha1', body, 'base64url')}"`
}

/** Whether `If-None-Match` names a tag, or is `*`. Weak tags match too, because proxies that compress make tags weak (RFC 9110, 13.1.2). */
export function noneMatchNames(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch === '') return false
  if (ifNoneMatch.trim() === '*') return true
  return Array.from(ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g), match => match[1]).includes(tag)
}
