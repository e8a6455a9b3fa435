import type { Address } from '#domain/address.ts'
import type { ChannelName, StateChannelName } from './channels.ts'
import { CHANNELS, isChannel } from './channels.ts'
import { MAX_INTERVAL_MS, MAX_MESSAGE_BYTES, MAX_MESSAGE_ID, MAX_TOKENS_PER_MESSAGE } from './limits.ts'

export interface ErrorMessage {
  readonly type: 'error'
  readonly code: 'invalid_message' | 'unknown_type' | 'invalid_token' | 'too_many_subscriptions' | 'rate_limited' | 'message_too_large'
  readonly message: string
  /** The token as the client wrote it; present when the error is about a token. */
  readonly token?: string
  /** The `id` of the message that the error answers. */
  readonly id?: string
}

/** Answers to a message carry its `id`. */
interface Named {
  readonly id?: string
}

/** A client's message, or the error that answers a message that can't be read. */
export type ParsedMessage =
  | ({
      readonly type: 'subscribe'
      readonly tokens: readonly Address[]
      readonly sequence: number | null
      readonly holders: boolean
      readonly delta: boolean
      readonly minIntervalMs: number
    } & Named)
  | ({ readonly type: 'unsubscribe'; readonly token: Address } & Named)
  | ({ readonly type: 'subscribeChannel' } & ChannelFields & Named)
  /** `id`: of the subscription. */
  | { readonly type: 'unsubscribeChannel'; readonly id: string }
  | ({ readonly type: 'ping' } & Named)
  | ErrorMessage

/** What a `subscribe` to a channel asks for. The gateway checks these fields, because filters name launchpads of its configuration. */
interface ChannelFields {
  readonly channel: ChannelName
  readonly filters: unknown
  readonly after: unknown
  readonly reorgs: unknown
  readonly delta: unknown
  readonly minIntervalMs: number
}

type Fields = Readonly<Record<string, unknown>>

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
  const { id } = message
  if (id === undefined) return parseFields(message)
  if (typeof id !== 'string' || id.length > MAX_MESSAGE_ID)
    return refuse('invalid_message', `the id must be a string of at most ${MAX_MESSAGE_ID} characters`)
  return { ...parseFields(message), id }
}

function parseFields(message: Fields): ParsedMessage {
  switch (message['type']) {
    case 'subscribe':
      return parseSubscribe(message)
    case 'unsubscribe':
      return parseUnsubscribe(message)
    case 'ping':
      return { type: 'ping' }
    default:
      return typeof message['type'] === 'string'
        ? refuse('unknown_type', 'the type must be "subscribe", "unsubscribe" or "ping"')
        : refuse('invalid_message', 'a message must have a string "type"')
  }
}

/** A message with `token` is about that token, whatever other fields it has. */
function parseSubscribe(message: Fields): ParsedMessage {
  const { token, tokens, channel, filters, after, reorgs, delta, minIntervalMs = 0 } = message
  if (token === undefined && tokens !== undefined) return parseMany(tokens, message)
  if (token === undefined && channel !== undefined) {
    if (!isChannel(channel)) return refuseChannel()
    if (!isInterval(minIntervalMs)) return refuse('invalid_message', EXPECTED_INTERVAL)
    return { type: 'subscribeChannel', channel, filters, after, reorgs, delta, minIntervalMs }
  }
  if (token === undefined) return refuse('invalid_message', 'a subscribe must have a token, tokens or a channel')
  if (!isAddress(token)) return refuseToken(token)
  return subscribeTo([token], message, token)
}

function parseMany(tokens: unknown, message: Fields): ParsedMessage {
  if (!Array.isArray(tokens) || tokens.length === 0 || tokens.length > MAX_TOKENS_PER_MESSAGE)
    return refuse('invalid_message', `the tokens must be a list of 1 to ${MAX_TOKENS_PER_MESSAGE} addresses`)
  const wrong = tokens.findIndex(token => !isAddress(token))
  if (wrong >= 0) return refuseToken(tokens[wrong])
  return subscribeTo(tokens, message)
}

/** @param named the token that an error names */
function subscribeTo(tokens: readonly string[], fields: Fields, named?: string): ParsedMessage {
  const { sequence = null, holders = true, delta = false, minIntervalMs = 0 } = fields
  if (!isSequence(sequence)) return refuse('invalid_message', 'the sequence must be a non-negative safe integer', named)
  if (typeof holders !== 'boolean') return refuse('invalid_message', 'holders must be true or false', named)
  if (typeof delta !== 'boolean') return refuse('invalid_message', 'delta must be true or false', named)
  if (!isInterval(minIntervalMs)) return refuse('invalid_message', EXPECTED_INTERVAL, named)
  return { type: 'subscribe', tokens: tokens.map(lowerCase), sequence, holders, delta, minIntervalMs }
}

const EXPECTED_INTERVAL = `minIntervalMs must be a whole number from 0 to ${MAX_INTERVAL_MS}`

function isInterval(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_INTERVAL_MS
}

function parseUnsubscribe({ token, channel, id = channel }: Fields): ParsedMessage {
  if (token === undefined && id === undefined) return refuse('invalid_message', 'an unsubscribe must have a token, a channel or an id')
  if (token !== undefined) return isAddress(token) ? { type: 'unsubscribe', token: lowerCase(token) } : refuseToken(token)
  if (channel !== undefined && !isChannel(channel)) return refuseChannel()
  return { type: 'unsubscribeChannel', id: id as string }
}

/** Safe for any bytes: `JSON.parse` makes `__proto__` an ordinary property and does not recurse into deep nesting. */
function parseObject(bytes: Uint8Array): Fields | undefined {
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

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && ADDRESS.test(value)
}

function lowerCase(address: string): Address {
  return address.toLowerCase() as Address
}

function isSequence(value: unknown): value is number | null {
  return value === null || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
}

function refuseToken(token: unknown): ErrorMessage {
  const message = 'the token must be an address: 0x and 40 hex digits'
  return typeof token === 'string' && token.length <= MAX_ECHO
    ? refuse('invalid_token', message, token.toWellFormed())
    : refuse('invalid_token', message)
}

function refuseChannel(): ErrorMessage {
  return refuse('invalid_message', `the channel must be one of ${CHANNELS.join(', ')}`)
}

function refuse(code: ErrorMessage['code'], message: string, token?: string): ErrorMessage {
  return token === undefined ? { type: 'error', code, message } : { type: 'error', code, message, token }
}

/* The server's answers to a client's messages, as the text of a WebSocket message. Each carries the message's `id`, if that has one. */

export function encodeSubscribed(token: Address, sequence: number | null, id?: string): string {
  return `{"type":"subscribed","token":"${token}","sequence":${sequence}${idField(id)}}`
}

export function encodeUnsubscribed(token: Address, id?: string): string {
  return `{"type":"unsubscribed","token":"${token}"${idField(id)}}`
}

/** Confirms the end of a subscription to a channel. */
export function encodeChannelUnsubscribed(id: string): string {
  return `{"type":"unsubscribed"${idField(id)}}`
}

/** Confirms a subscription to a list or to candles. */
export function encodeStateSubscribed(channel: StateChannelName, id: string, filters: object): string {
  return JSON.stringify({ type: 'subscribed', id, channel, filters })
}

/** @param atMs the time of the answer, in ms since the epoch */
export function encodePong(atMs: number, id?: string): string {
  return `{"type":"pong","timestamp":"${new Date(atMs).toISOString()}"${idField(id)}}`
}

export function encodeError(error: Omit<ErrorMessage, 'type'>): string {
  return JSON.stringify({ type: 'error', ...error })
}

function idField(id: string | undefined): string {
  return id === undefined ? '' : `,"id":${JSON.stringify(id)}`
}
