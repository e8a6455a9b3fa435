import type { HttpResponse } from '#gateway/uWebSockets.ts'

export type RequestBody = { readonly kind: 'body'; readonly text: string } | { readonly kind: 'tooLong' } | { readonly kind: 'aborted' }

/**
 * Reads the body of a request as UTF-8. Call it before the first await: uWebSockets drops a body that nothing has asked for by then.
 *
 * @param maxBytes a longer body is `tooLong`, as soon as one byte more has come
 */
export function readRequestBody(res: HttpResponse, onAborted: (listener: () => void) => void, maxBytes: number): Promise<RequestBody> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let bytes = 0
    onAborted(() => resolve({ kind: 'aborted' }))
    res.onData((chunk, isLast) => {
      bytes += chunk.byteLength
      if (bytes > maxBytes) {
        chunks.length = 0
        resolve({ kind: 'tooLong' })
        return
      }
      // The chunk is valid only during this call.
      chunks.push(Buffer.from(new Uint8Array(chunk)))
      if (isLast) resolve({ kind: 'body', text: Buffer.concat(chunks).toString('utf8') })
    })
  })
}
