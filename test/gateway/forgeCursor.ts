import { type CursorCodec, encodeCursor, type ListIdentity } from '#gateway/http/cursor.ts'

/** A cursor with chosen fields, as a reader of the code would forge it. */
export function forgeCursor(codec: CursorCodec<never>, fields: readonly unknown[], list: ListIdentity): string {
  const genuine = encodeCursor(codec, {} as never, list)
  const [version, fingerprint] = JSON.parse(Buffer.from(genuine, 'base64url').toString()) as unknown[]
  return Buffer.from(JSON.stringify([version, fingerprint, ...fields])).toString('base64url')
}
