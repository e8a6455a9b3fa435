import { hash } from 'node:crypto'
import type { z } from 'zod'
import type { Page } from '#resources/resource.ts'
import { invalidParameter, type Problem } from './problem.ts'

/** The version of cursors. It rises when a field changes its meaning, so that older cursors are refused instead of misread. */
const VERSION = 3

/** The longest text that is decoded, which is longer than any cursor of this service. */
const MAX_CURSOR_LENGTH = 512

export interface ListBody<T> {
  readonly data: readonly T[]
  readonly nextCursor: string | null
  readonly asOfBlock: string | null
}

/** The identity of a list. A cursor is valid for its own list only. */
export interface ListIdentity {
  /** The `id` of the resource. */
  readonly id: string
  readonly chainId: number
  /** Every parameter that decides which rows come in which order. */
  readonly query: unknown
}

/** Encodes the cursor of the next page. `fields`: those of the list's cursors; `null`: the list has one page. */
export function listBody<T>(page: Page<T, Cursor>, fields: z.ZodObject | null, list: ListIdentity): ListBody<T> {
  const nextCursor = page.next === null || fields === null ? null : encodeCursor(fields, page.next, list)
  return { data: page.data, nextCursor, asOfBlock: page.asOfBlock }
}

/** A decoded cursor: the place in a list after which a page begins, by the fields of its schema. */
export type Cursor = Readonly<Record<string, unknown>>

/** The `nextCursor` of a page: a JSON list of the values in the order of their schema, in base64url, bound to the list and the chain. */
export function encodeCursor(fields: z.ZodObject, cursor: Cursor, list: ListIdentity): string {
  const values = Object.keys(fields.shape).map(name => cursor[name])
  return Buffer.from(JSON.stringify([VERSION, fingerprint(list), ...values])).toString('base64url')
}

/** Decodes a cursor. Gives the problem `invalid_parameter` for one of another list, chain or version. */
export function decodeCursor(
  fields: z.ZodObject,
  text: string,
  list: ListIdentity,
): { readonly kind: 'valid'; readonly cursor: Cursor } | { readonly kind: 'invalid'; readonly problem: Problem } {
  const [version, print, ...values] = listOf(text)
  const cursor = fields.safeParse(Object.fromEntries(Object.keys(fields.shape).map((name, index) => [name, values[index]])))
  if (version === VERSION && print === fingerprint(list) && cursor.success) return { kind: 'valid', cursor: cursor.data }
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
