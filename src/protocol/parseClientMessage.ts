import type { Address } from '#domain/address.ts'
import { MAX_MESSAGE_BYTES } from './limits.ts'
import type { ErrorCode } from './messages.ts'

/** What a client wants, or the error that answers it. */
export type ParsedMessage =
  | { readonly type: 'subscribe'; readonly token: Address; readonly sequence: number | null }
  | { readonly type: 'unsubscribe'; readonly token: Address }
  | { readonly type: 'error'; readonly code: ErrorCode; readonly message: string; readonly token?: string }

const ADDRESS = /^0x[0-9a-f]{40}$/i
const OPENING_BRACE = 0x7b

/** How much of a malformed token an error repeats: enough to find the caller's mistake, too little to be worth an attack. */
const MAX_ECHO = 64

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a message of a client: any bytes in, a message or the error that answers it out; it never throws. Fields that it does not know are
 * ignored. Written by hand since floods come this way: a refusal says which part is wrong without making a validation error first.
 *
 * Cost: one UTF-8 decoding and one `JSON.parse` of at most 16,384 bytes, and neither when the first byte is not a brace.
 */
export function parseClientMessage(bytes: Uint8Array, isBinary: boolean): ParsedMessage {
  if (bytes.byteLength > MAX_MESSAGE_BYTES) return refuse('message_too_large', `a message may have ${MAX_MESSAGE_BYTES} bytes`)
  if (isBinary) return refuse('invalid_message', 'a message must be text, not binary')
  const message = parseObject(bytes)
  if (message === undefined) return refuse('invalid_message', 'a message must be a JSON object')
  const { type } = message
  if (typeof type !== 'string') return refuse('invalid_message', 'a message must have a string "type"')
  if (type !== 'subscribe' && type !== 'unsubscribe') return refuse('unknown_type', 'the type must be "subscribe" or "unsubscribe"')
  const { token } = message
  if (typeof token !== 'string' || !ADDRESS.test(token)) return refuseToken(token)
  const address = token.toLowerCase() as Address
  if (type === 'unsubscribe') return { type, token: address }
  const { sequence } = message
  if (sequence === undefined || sequence === null) return { type, token: address, sequence: null }
  if (!isSequence(sequence)) return refuse('invalid_message', 'the sequence must be a non-negative safe integer', token)
  return { type, token: address, sequence }
}

/**
 * An own property of the result is all that a caller can see of the input: `JSON.parse` makes `__proto__` an ordinary property, and
 * arrays have none of the names that are asked for. Its parser does not recurse, so depth costs nothing.
 */
function parseObject(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  if (!beginsWithBrace(bytes)) return undefined
  try {
    return JSON.parse(decoder.decode(bytes)) as Record<string, unknown>
  } catch {
    return undefined
  }
}

/** Skips the whitespace that JSON allows. A text that begins with a brace and parses is an object. */
function beginsWithBrace(bytes: Uint8Array): boolean {
  for (const byte of bytes) {
    if (byte === OPENING_BRACE) return true
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return false
  }
  return false
}

function isSequence(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function refuseToken(token: unknown): ParsedMessage {
  const message = 'the token must be an address: 0x and 40 hex digits'
  return typeof token === 'string' && token.length <= MAX_ECHO
    ? refuse('invalid_token', message, token.toWellFormed())
    : refuse('invalid_token', message)
}

function refuse(code: ErrorCode, message: string, token?: string): ParsedMessage {
  return token === undefined ? { type: 'error', code, message } : { type: 'error', code, message, token }
}
