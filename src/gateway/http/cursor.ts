import { hash } from 'node:crypto'
import type { z } from 'zod'
import type { Page } from '#resources/resource.ts'
import { invalidParameter, type Problem } from './problem.ts'

/** Rises when the fields of a cursor change their meaning: older cursors are then refused instead of misread. */
const VERSION = 3

/** Longer than any cursor of this service. A longer text is not decoded. */
const MAX_CURSOR_LENGTH = 512

export interface ListBody<T> {
  readonly data: readonly T[]
  readonly nextCursor: string | null
  readonly asOfBlock: string | null
}

/** What distinguishes one list from another. A cursor is valid for the same list only. */
export interface ListIdentity {
  /** The `id` of the resource. */
  readonly id: string
  readonly chainId: number
  /** Every parameter that decides which rows come in which order. */
  readonly query: unknown
}

/** A cursor is a JSON list of the fields of a place, in the order of their schema. */
export function listBody<T>(page: Page<T, Place>, fields: z.ZodObject | null, list: ListIdentity): ListBody<T> {
  const nextCursor = page.next === null || fields === null ? null : encodeCursor(fields, page.next, list)
  return { data: page.data, nextCursor, asOfBlock: page.asOfBlock }
}

/** The place of a row in a list, by the fields of the list's cursor. */
export type Place = Readonly<Record<string, unknown>>

/** The `nextCursor` of a page: base64url, bound to the list and the chain. */
export function encodeCursor(fields: z.ZodObject, place: Place, list: ListIdentity): string {
  const values = Object.keys(fields.shape).map(name => place[name])
  return Buffer.from(JSON.stringify([VERSION, fingerprint(list), ...values])).toString('base64url')
}

/** The place in a cursor, or the problem `invalid_parameter` for a cursor of another list, chain or version. */
export function decodeCursor(
  fields: z.ZodObject,
  text: string,
  list: ListIdentity,
): { readonly kind: 'valid'; readonly place: Place } | { readonly kind: 'invalid'; readonly problem: Problem } {
  const [version, print, ...values] = listOf(text)
  const place = fields.safeParse(Object.fromEntries(Object.keys(fields.shape).map((name, index) => [name, values[index]])))
  if (version === VERSION && print === fingerprint(list) && place.success) return { kind: 'valid', place: place.data }
  const detail = `cursor must be the nextCursor of an answer of chain ${list.chainId} to the same request (only limit may differ)`
  return { kind: 'invalid', problem: invalidParameter(detail) }
}

function listOf(text: string): readonly unknown[] {
  if (text.length > MAX_CURSOR_LENGTH || !/^[\w-]+$/.test(text)) return []
  try {
    const list: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}

function fingerprint({ id, chainId, query }: ListIdentity): string {
  return hash('sha1', JSON.stringify([id, chainId, query]), 'base64url').slice(0, 8)
}
