import { Buffer } from 'node:buffer'

/** The first buffer for an answer without a `Content-Length`. */
const USUAL_BYTES = 64 * 1024

/** The body as text; `null` when it has more bytes than this. */
export async function readBody(response: Response, maxBytes: number): Promise<string | null> {
  const stated = Number(response.headers.get('Content-Length'))
  if (stated > maxBytes) {
    await response.body?.cancel()
    return null
  }
  // Chunks are copied into one buffer as they come: many small buffers that wait for the last one raise the peak of memory.
  let bytes = Buffer.allocUnsafe(stated > 0 ? stated : USUAL_BYTES)
  let size = 0
  for await (const chunk of response.body ?? []) {
    // Leaving the loop cancels the rest.
    if (size + chunk.length > maxBytes) return null
    if (size + chunk.length > bytes.length) bytes = Buffer.concat([bytes], Math.max(bytes.length * 2, size + chunk.length))
    bytes.set(chunk, size)
    size += chunk.length
  }
  return bytes.toString('utf8', 0, size)
}

/** The characters of a refusal that are read. */
const WORDS_READ = 4_000

/** The words of a page, or of any text, from its beginning: for an error message. */
export function wordsOfBody(text: string): string {
  // Cut between words, so that no part of a key is left that looks like a word.
  const read = text.length <= WORDS_READ ? text : text.slice(0, WORDS_READ).replace(/[^\s<>]*$/, '')
  return read.replace(/<(style|script)\b[\s\S]*?<\/\1>|<[^>]*>/gi, ' ')
}
