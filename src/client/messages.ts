import type { Address } from '#domain/address.ts'
import { MAX_MESSAGE_BYTES } from '#protocol/limits.ts'
import type { TokenUpdate } from '#protocol/tokenUpdate.ts'
import { addressSchema, holderSchema, integerSchema, sequenceSchema, timeSchema, tokenSchema, tradeSchema } from './resources.ts'
import { choice, list, mismatch, nullable, object, type Schema, type Shape, text } from './schema.ts'
import { TokenwireError } from './tokenwireError.ts'

export interface Subscribed {
  readonly type: 'subscribed'
  readonly token: Address
  /** The token's current one; `null`: it is not indexed. */
  readonly sequence: number | null
}

export interface Unsubscribed {
  readonly type: 'unsubscribed'
  readonly token: Address
}

export interface Refusal {
  readonly type: 'error'
  readonly code: string
  readonly message: string
  readonly token?: unknown
}

export type ServerMessage = Subscribed | Unsubscribed | TokenUpdate | Refusal

export const subscribedSchema: Schema<Subscribed> = object({
  type: choice('subscribed'),
  token: addressSchema,
  sequence: nullable(sequenceSchema),
})

export const unsubscribedSchema: Schema<Unsubscribed> = object({ type: choice('unsubscribed'), token: addressSchema })

export const tokenUpdateSchema: Schema<TokenUpdate> = object({
  type: choice('token.update'),
  sequence: sequenceSchema,
  token: tokenSchema,
  latestTrade: nullable(tradeSchema),
  holders: list(holderSchema, 20),
  reason: choice('chain'),
  sourceBlock: integerSchema,
  timestamp: timeSchema,
})

/** Without the list of codes: a newer server may have more of them, and nothing here depends on one that is not known. */
const refusalSchema: Schema<Omit<Refusal, 'token'>> = object({ type: choice('error'), code: text, message: text })

const SCHEMAS: Readonly<Record<ServerMessage['type'], Shape>> = {
  subscribed: subscribedSchema,
  unsubscribed: unsubscribedSchema,
  'token.update': tokenUpdateSchema,
  error: refusalSchema,
}

/** `unknown`: of a type that this client has not heard of, which is no fault. */
export type ReadMessage = ServerMessage | { readonly type: 'unknown' } | { readonly type: 'invalid'; readonly error: TokenwireError }

/** Reads what a server sent; never throws. */
export function readMessage(data: unknown): ReadMessage {
  const message = parseObject(data)
  if (message === null || typeof message.type !== 'string') return invalid('type')
  if (!Object.hasOwn(SCHEMAS, message.type)) return { type: 'unknown' }
  const known = message as unknown as ServerMessage
  const path = mismatch(SCHEMAS[known.type], message) ?? (known.type === 'token.update' ? contradiction(known) : null)
  return path === null ? known : invalid(path)
}

/** Whether an update speaks of two states or tokens at once: the sequence of one would stand for what is held of the other. */
function contradiction({ sequence, token, latestTrade }: TokenUpdate): string | null {
  return sequence === token.sequence && (latestTrade ?? { token: token.address }).token === token.address ? null : 'token'
}

function invalid(path: string): ReadMessage {
  return { type: 'invalid', error: new TokenwireError('invalid_answer', `the message is not as promised at "${path}"`, { path }) }
}

function parseObject(data: unknown): Readonly<Record<string, unknown>> | null {
  // None is longer: what is, is not worth the time of reading it.
  if (typeof data !== 'string' || data.length > MAX_MESSAGE_BYTES) return null
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
