import { hash } from 'node:crypto'
import type { Problem } from './problem.ts'

export type HeaderField = readonly [name: string, value: string]

const JSON_TYPE = 'application/json; charset=utf-8'

/** What a handler answers when nothing is wrong with the request. */
export interface Answer {
  readonly kind: 'answer'
  readonly status: '200 OK' | '204 No Content' | '308 Permanent Redirect' | '503 Service Unavailable'
  readonly headers: readonly HeaderField[]
  /** `null`: none, and no length of one. */
  readonly body: string | Buffer | null
  /** The body's entity tag where it is known beforehand. */
  readonly tag?: string
}

/** The response belongs to somebody else: an event stream, or nobody any more. */
export interface HandedOver {
  readonly kind: 'handedOver'
}

export type Outcome = Answer | Problem | HandedOver

export function jsonAnswer(body: unknown, headers: readonly HeaderField[] = [], status: Answer['status'] = '200 OK'): Answer {
  return { kind: 'answer', status, headers: [['Content-Type', JSON_TYPE], ...headers], body: JSON.stringify(body) }
}

/** A strong entity tag of the exact bytes: they depend on nothing but the body, so it is the same from every process. */
export function entityTag(body: string | Buffer): string {
  return `"${hash('sha1', body, 'base64url')}"`
}

/**
 * Whether `If-None-Match` names the tag: `*`, or a list compared weakly, since caches and proxies that compress turn tags into weak ones
 * (RFC 9110, 13.1.2). Malformed parts match nothing.
 */
export function noneMatchNames(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true
  return Array.from(ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g), match => match[1]).includes(tag)
}
