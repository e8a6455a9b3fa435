import type { z } from 'zod'
import { encodeCursor, type ListIdentity } from '#gateway/http/readRoutes.ts'
import type { ListResource } from '#resources/resource.ts'

/** A cursor with chosen fields, as a reader of the code would forge it. */
export function forgeCursor(schema: z.ZodObject, fields: readonly unknown[], list: ListIdentity): string {
  const genuine = encodeCursor(schema, {}, list)
  const [version, fingerprint] = JSON.parse(Buffer.from(genuine, 'base64url').toString()) as unknown[]
  return Buffer.from(JSON.stringify([version, fingerprint, ...fields])).toString('base64url')
}

/** The fields of a list's cursor. */
export function cursorOf({ cursor }: Pick<ListResource, 'cursor'>, values: object = {}): z.ZodObject {
  if (cursor === null) throw new Error('the list has one page')
  return cursor(values as never)
}
