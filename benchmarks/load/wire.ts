/*
 * What connections of the load send, as bytes: requests, WebSocket frames, and the files that contain them for the native load (`load.c`
 * describes their layout).
 */

/** A WebSocket of the load. */
export interface ConnectionPlan {
  /** Whether its messages are only counted: the n-th message counts as the n-th update. Default: not. */
  readonly isCounted?: boolean
  /** The HTTP request that opens it. */
  readonly request: string
  /** What it sends after the answer's head. */
  readonly greeting: Uint8Array
  /** The connection counts as open once this text has arrived `times` times. */
  readonly ready: { readonly text: string; readonly times: number }
}

/** One message of an open connection. */
export interface SendPlan {
  readonly connection: number
  readonly bytes: Uint8Array
}

export function upgradeRequest(path: string, host: string, headers: readonly string[] = []): string {
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: ${host}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${Buffer.from('benchmark load 1').toString('base64')}`,
    ...headers,
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** A client's text message, masked with zero, which the protocol allows and which leaves the bytes unchanged. */
export function textFrame(text: string): Buffer {
  const payload = Buffer.from(text)
  if (payload.length > 0xffff) throw new RangeError(`a message of ${payload.length} bytes`)
  const short = payload.length < 126
  const header = Buffer.alloc(short ? 6 : 8)
  header[0] = 0x81
  header[1] = 0x80 | (short ? payload.length : 126)
  if (!short) header.writeUInt16BE(payload.length, 2)
  return Buffer.concat([header, payload])
}

export function connectFile(connections: Iterable<ConnectionPlan>): Buffer {
  const parts: Uint8Array[] = []
  for (const { isCounted = false, request, greeting, ready } of connections) {
    parts.push(Uint8Array.of(isCounted ? 1 : 0), ...sized(Buffer.from(request)), ...sized(greeting))
    parts.push(u32(ready.times), ...sized(Buffer.from(ready.text)))
  }
  return Buffer.concat(parts)
}

export function sendFile(messages: Iterable<SendPlan>): Buffer {
  const parts: Uint8Array[] = []
  for (const { connection, bytes } of messages) parts.push(u32(connection), ...sized(bytes))
  return Buffer.concat(parts)
}

function sized(bytes: Uint8Array): readonly Uint8Array[] {
  return [u32(bytes.length), bytes]
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
