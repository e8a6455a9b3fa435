import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { type Failure, failure } from './failure.ts'

export type Fetched = { readonly ok: true; readonly text: string } | Failure

type Unpack = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>

/** Encodings that servers use though the request asks for none. Several layers are not read. */
const UNPACK: Readonly<Record<string, Unpack>> = {
  '': async bytes => bytes,
  identity: async bytes => bytes,
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}

/** JSON by any of its media types, and the types that servers give to files without one. */
const TYPES = /^(?:$|application\/(?:json|[\w.-]+\+json|octet-stream|x-ndjson)|binary\/octet-stream|text\/(?:plain|json|x-json))$/

/** Reads and unpacks a body of at most `mostBytes`, before and after, as UTF-8 with U+FFFD for invalid bytes. Ends the connection. */
export async function readBody(response: IncomingMessage, mostBytes: number, deadline: AbortSignal): Promise<Fetched> {
  const type = (response.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const unpack = UNPACK[(response.headers['content-encoding'] ?? '').trim().toLowerCase()]
  if (!TYPES.test(type) || unpack === undefined) {
    response.destroy()
    return failure('wrong_type')
  }
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    // Leaving the loop early destroys the response and with it the connection.
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > mostBytes) return failure('too_large')
      chunks.push(chunk)
    }
  } catch {
    return failure(deadline.aborted ? 'too_slow' : 'no_connection')
  }
  try {
    const body = await unpack(Buffer.concat(chunks), { maxOutputLength: mostBytes })
    return { ok: true, text: new TextDecoder().decode(body) }
  } catch (error) {
    return failure(isTooLarge(error) ? 'too_large' : 'wrong_type')
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
}
