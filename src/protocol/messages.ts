import { z } from 'zod'
import { MAX_UPDATE_HOLDERS } from './limits.ts'
import { holderSchema, tokenSchema, tradeSchema } from './resources.ts'
import { address, integer, sequence, time } from './values.ts'

/** An address in any letter case, as clients may write it. */
const anyAddress = z.string().regex(/^0x[0-9a-f]{40}$/i)

/** What a client may send. The server itself reads messages with `parseClientMessage`, which a test holds against this schema. */
export const clientMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('subscribe'), token: anyAddress, sequence: sequence.nullish() }),
  z.object({ type: z.literal('unsubscribe'), token: anyAddress }),
])

/** Why a message was refused. */
export const ERROR_CODES = [
  'invalid_message',
  'unknown_type',
  'invalid_token',
  'too_many_subscriptions',
  'rate_limited',
  'message_too_large',
] as const

export const subscribedSchema = z.object({ type: z.literal('subscribed'), token: address, sequence: sequence.nullable() })

export const unsubscribedSchema = z.object({ type: z.literal('unsubscribed'), token: address })

/** The token's full state after a commit: whoever missed earlier ones is right again with it. */
export const tokenUpdateSchema = z.object({
  type: z.literal('token.update'),
  sequence,
  token: tokenSchema,
  latestTrade: tradeSchema.nullable(),
  holders: z.array(holderSchema).max(MAX_UPDATE_HOLDERS),
  reason: z.literal('chain'),
  sourceBlock: integer,
  timestamp: time,
})

export const errorSchema = z.object({
  type: z.literal('error'),
  code: z.enum(ERROR_CODES),
  message: z.string(),
  /** As the client wrote it, when the error concerns a token. */
  token: z.string().optional(),
})

export const serverMessageSchema = z.discriminatedUnion('type', [subscribedSchema, unsubscribedSchema, tokenUpdateSchema, errorSchema])

export type ErrorCode = (typeof ERROR_CODES)[number]
export type ErrorMessage = z.infer<typeof errorSchema>
export type { TokenUpdate } from './tokenUpdate.ts'
export type ServerMessage = z.infer<typeof serverMessageSchema>
