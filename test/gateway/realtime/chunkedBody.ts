/** What a response in `Transfer-Encoding: chunked` has carried so far. */
export interface ChunkedBody {
  readonly head: string
  readonly body: Buffer
  /** Whether the last chunk has come. */
  readonly isComplete: boolean
}

/** Takes a response apart, down to the last byte. Throws when the bytes are no chunks. */
export function chunkedBody(bytes: Buffer): ChunkedBody {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return { head: '', body: Buffer.alloc(0), isComplete: false }
  const head = bytes.subarray(0, headEnd).toString()
  const chunks: Buffer[] = []
  let offset = headEnd + 4
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', offset)
    if (lineEnd === -1) break
    const line = bytes.subarray(offset, lineEnd).toString()
    if (!/^[0-9a-fA-F]+$/.test(line)) throw new Error(`not the size of a chunk at ${offset}: ${JSON.stringify(line.slice(0, 80))}`)
    const size = Number.parseInt(line, 16)
    const start = lineEnd + 2
    if (bytes.length < start + size + 2) {
      chunks.push(bytes.subarray(start, start + size))
      break
    }
    if (bytes.toString('latin1', start + size, start + size + 2) !== '\r\n')
      throw new Error(`a chunk of ${size} does not end at ${start + size}`)
    if (size === 0) return { head, body: Buffer.concat(chunks), isComplete: true }
    chunks.push(bytes.subarray(start, start + size))
    offset = start + size + 2
  }
  return { head, body: Buffer.concat(chunks), isComplete: false }
}
