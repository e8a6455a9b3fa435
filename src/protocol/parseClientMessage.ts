import type { Address } from '#domain/address.ts'
import { MAX_MESSAGE_BYTES } from './limits.ts'

export interface ErrorMessage {
  readonly type: 'error'
  readonly code: 'invalid_message' | 'unknown_type' | 'invalid_token' | 'too_many_subscriptions' | 'rate_limited' | 'message_too_large'
  readonly message: string
  /** As the client wrote it; present when the error is about a token. */
  readonly token?: string
}

/** An error is the answer to the message. */
export type ParsedMessage =
  | { readonly type: 'subscribe'; readonly token: Address; readonly sequence: number | null }
  | { readonly type: 'unsubscribe'; readonly token: Address }
  | ErrorMessage

const ADDRESS = /^0x[0-9a-f]{40}$/i
const OPENING_BRACE = 0x7b

/** Longest malformed token that an error repeats, in UTF-16 units: an error must not amplify a flood of messages. */
const MAX_ECHO = 64

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Accepts any bytes and never throws; unknown fields are ignored. Written by hand because floods arrive here: a refusal names the wrong
 * part without the cost of a validation error.
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

/** Safe for any bytes: `JSON.parse` makes `__proto__` an ordinary property and does not recurse into deep nesting. */
function parseObject(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  if (!beginsWithBrace(bytes)) return undefined
  try {
    return JSON.parse(decoder.decode(bytes)) as Record<string, unknown>
  } catch {
    return undefined
  }
}

/** Whether the first byte after JSON whitespace is a brace: JSON that begins with one is an object. */
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

function refuseToken(token: unknown): ErrorMessage {
  const message = 'the token must be an address: 0x and 40 hex digits'
  return typeof token === 'string' && token.length <= MAX_ECHO
    ? refuse('invalid_token', message, token.toWellFormed())
    : refuse('invalid_token', message)
}

function refuse(code: ErrorMessage['code'], message: string, token?: string): ErrorMessage {
  return token === undefined ? { type: 'error', code, message } : { type: 'error', code, message, token }
}
