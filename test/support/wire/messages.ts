import { z } from 'zod'
import { MAX_UPDATE_HOLDERS } from '#protocol/limits.ts'
import { holderSchema, tokenSchema, tradeSchema } from './resources.ts'
import { addressText, integerText, sequence, timeText } from './values.ts'

/** Clients may write addresses in any letter case. */
const anyAddress = z.string().regex(/^0x[0-9a-f]{40}$/i)

/** What a client may send. The server reads messages with `parseClientMessage`, which a test compares with this schema. */
export const clientMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('subscribe'), token: anyAddress, sequence: sequence.nullish() }),
  z.object({ type: z.literal('unsubscribe'), token: anyAddress }),
])

export const subscribedSchema = z.object({ type: z.literal('subscribed'), token: addressText, sequence: sequence.nullable() })

export const unsubscribedSchema = z.object({ type: z.literal('unsubscribed'), token: addressText })

export const tokenUpdateSchema = z.object({
  type: z.literal('token.update'),
  sequence,
  token: tokenSchema,
  latestTrade: tradeSchema.nullable(),
  holders: z.array(holderSchema).max(MAX_UPDATE_HOLDERS),
  reason: z.literal('chain'),
  sourceBlock: integerText,
  timestamp: timeText,
})

export const errorSchema = z.object({
  type: z.literal('error'),
  code: z.enum(['invalid_message', 'unknown_type', 'invalid_token', 'too_many_subscriptions', 'rate_limited', 'message_too_large']),
  message: z.string(),
  /** As the client wrote it; present when the error is about a token. */
  token: z.string().exactOptional(),
})

export const serverMessageSchema = z.discriminatedUnion('type', [subscribedSchema, unsubscribedSchema, tokenUpdateSchema, errorSchema])

export type ServerMessage = z.infer<typeof serverMessageSchema>
