import { z } from 'zod'
import { MAX_INTERVAL_MS, MAX_MESSAGE_ID, MAX_TOKENS_PER_MESSAGE, MAX_UPDATE_HOLDERS } from '#protocol/limits.ts'
import { holderSchema } from '#resources/holders.ts'
import { tokenSchema } from '#resources/token.ts'
import { tradeSchema } from '#resources/trades.ts'
import { addressText, anyCaseAddressText, integerText, messageType, SEQUENCE_MEANING, sequence, timeText } from '#resources/values.ts'
import { CHANNEL_CLIENT_MESSAGES, CHANNEL_SERVER_MESSAGES } from './channels.ts'

/** The changes of a value: of an object any of its fields, of anything else the new value. */
function patchOf(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodNullable) return patchOf(schema.unwrap() as z.ZodType).nullable()
  if (!(schema instanceof z.ZodObject)) return schema
  const fields = Object.entries(schema.shape)
  const { description } = schema
  const patch = z.object(Object.fromEntries(fields.map(([name, field]) => [name, patchOf(field).exactOptional()])))
  return description === undefined ? patch : patch.describe(description)
}

/*
 * The messages of the WebSocket. Clients' messages are read with `parseClientMessage` and answers are written by `encodeAnswer.ts`, both
 * without these schemas: tests compare the two.
 */

const tokenAddress = anyCaseAddressText.describe('Address of the token, in any letter case.')

const messageId = z
  .string()
  .max(MAX_MESSAGE_ID)
  .exactOptional()
  .describe('Id that the client gives the message. Answers to the message carry it.')

const answeredId = z.string().max(MAX_MESSAGE_ID).exactOptional().describe('The `id` of the answered message. Absent if that has none.')

const lastSequence = sequence
  .nullish()
  .describe(
    'The newest sequence that the client has: a snapshot is sent only if the state is newer. Absent or `null`: the client has none.',
  )

const holders = z.boolean().default(true).describe('`false`: updates have an empty list of holders and are smaller.')

const delta = z
  .boolean()
  .default(false)
  .describe('`true`: changes may come as `token.delta`, which the client merges into the state that this connection was sent last.')

const interval = z
  .int()
  .min(0)
  .max(MAX_INTERVAL_MS)
  .default(0)
  .describe('The least time between two updates of a token in ms: the newest state is sent at most that often.')

export const subscribeSchema = z
  .object({
    type: messageType('subscribe'),
    token: tokenAddress,
    sequence: lastSequence,
    holders,
    delta,
    minIntervalMs: interval,
    id: messageId,
  })
  .meta({
    id: 'subscribe',
    description: 'Answered by `subscribed`, then by a `token.update` if the state is newer than `sequence`. Repeating it is harmless.',
  })

export const subscribeTokensSchema = z
  .object({
    type: messageType('subscribe'),
    tokens: z.array(tokenAddress).min(1).max(MAX_TOKENS_PER_MESSAGE).describe('Addresses of tokens, in any letter case.'),
    sequence: lastSequence,
    holders,
    delta,
    minIntervalMs: interval,
    id: messageId,
  })
  .meta({
    id: 'subscribe.tokens',
    description:
      'The same as one `subscribe` per token: each token gets its own `subscribed`. If one entry is not an address, all are refused.',
  })

export const unsubscribeSchema = z
  .object({ type: messageType('unsubscribe'), token: tokenAddress, id: messageId })
  .meta({ id: 'unsubscribe', description: 'Answered by `unsubscribed`; no update of that token follows it.' })

export const pingSchema = z
  .object({ type: messageType('ping'), id: messageId })
  .meta({ id: 'ping', description: 'Answered by `pong`. For clients that cannot send pings of the WebSocket protocol, such as browsers.' })

export const clientMessageSchema = z.union([
  subscribeSchema,
  subscribeTokensSchema,
  unsubscribeSchema,
  pingSchema,
  ...Object.values(CHANNEL_CLIENT_MESSAGES),
])

export const subscribedSchema = z
  .object({
    type: messageType('subscribed'),
    token: addressText.describe('Address of the token.'),
    sequence: sequence
      .nullable()
      .describe('The token’s current sequence. `null`: the token is not indexed yet; its updates follow once it is.'),
    id: answeredId,
  })
  .meta({ id: 'subscribed', description: 'Answer to `subscribe`.' })

export const unsubscribedSchema = z
  .object({
    type: messageType('unsubscribed'),
    token: addressText.describe('Address of the token.'),
    id: answeredId,
  })
  .meta({ id: 'unsubscribed', description: 'Answer to `unsubscribe`.' })

export const pongSchema = z
  .object({
    type: messageType('pong'),
    timestamp: timeText.describe('Time of the server, with which a client can measure how far its own clock is off.'),
    id: answeredId,
  })
  .meta({ id: 'pong', description: 'Answer to `ping`.' })

export const tokenUpdateSchema = z
  .object({
    type: messageType('token.update'),
    sequence: sequence.describe(SEQUENCE_MEANING),
    token: tokenSchema,
    latestTrade: tradeSchema.nullable().describe('The token’s newest trade. `null`: none yet.'),
    holders: z
      .array(holderSchema)
      .max(MAX_UPDATE_HOLDERS)
      .describe('The largest holders: fewer if the message would be too large, none if the subscription has `holders` `false`.'),
    reason: z.literal('chain').describe('What changed the token: blocks of the chain.'),
    sourceBlock: integerText.describe('Number of the block that this state is of.'),
    timestamp: timeText.describe('Time of the commit.'),
    trades: z
      .array(tradeSchema)
      .nullable()
      .describe(
        'All trades since the previous update, newest last. `null`: they do not fit, or the server does not know the ' +
          'previous update, as with the first one after subscribing. Then read trades over REST, back to the newest trade ' +
          'that you have with the same `blockHash`.',
      ),
    replacedFrom: integerText
      .exactOptional()
      .describe(
        'After a reorg: number of the first block whose earlier trades are void. Drop your trades from that block on, then add `trades`.',
      ),
  })
  .meta({
    id: 'token.update',
    description: 'A token’s full state after a commit. It replaces all earlier ones: after a missed update, the next one is enough.',
  })

export const tokenDeltaSchema = z
  .object({
    type: messageType('token.delta'),
    token: addressText.describe('Address of the token.'),
    base: sequence.describe('The sequence that this connection was sent last. With a state of another sequence, subscribe again.'),
    sequence: sequence.describe(SEQUENCE_MEANING),
    patch: patchOf(tokenSchema).describe(
      'The changed fields of `token`. Objects are merged field by field. Lists and `null` are values that replace the earlier one.',
    ),
    holders: z
      .object({
        set: z.array(holderSchema).max(MAX_UPDATE_HOLDERS).describe('New and changed holders.'),
        removed: z.array(addressText).max(MAX_UPDATE_HOLDERS).describe('Addresses that are no longer among the largest holders.'),
      })
      .describe('Drop `removed`, replace or add `set`, and sort by `rank`.'),
    reason: z.literal('chain').describe('What changed the token: blocks of the chain.'),
    sourceBlock: integerText.describe('Number of the block that this state is of.'),
    timestamp: timeText.describe('Time of the commit.'),
    trades: z
      .array(tradeSchema)
      .describe('All trades since the state with the sequence `base`, newest last. `latestTrade` is the last of them, or as before.'),
    replacedFrom: tokenUpdateSchema.shape.replacedFrom,
  })
  .meta({
    id: 'token.delta',
    description:
      'How a token’s state differs from the one with the sequence `base`, for clients that subscribed with `delta`. Merged, it is what a ' +
      '`token.update` would say. A `token.update` may come at any time instead.',
  })

/** The codes of `error` messages, and what they mean. */
export const ERROR_CODES = {
  invalid_message: 'The message is not a JSON object of a described form.',
  unknown_type: 'The server does not know this `type`.',
  invalid_token: 'The `token` is not an address.',
  too_many_subscriptions: 'The connection already has as many subscriptions as allowed.',
  rate_limited: 'The client sent more messages than allowed; the connection closes with 4429.',
  message_too_large: 'The message has more than 16,384 bytes; the connection closes with 1009.',
} as const

export const errorSchema = z
  .object({
    type: messageType('error'),
    code: z.enum(Object.keys(ERROR_CODES) as (keyof typeof ERROR_CODES)[]).describe('What is wrong, for programs. Stable.'),
    message: z.string().describe('What is wrong, for people.'),
    token: z.string().exactOptional().describe('The token that the error concerns, as the client wrote it.'),
    id: answeredId,
  })
  .meta({
    id: 'error',
    description: 'Answer to a message that the server can’t obey. The connection stays open, unless the meaning of `code` says otherwise.',
  })

export const serverMessageSchema = z.union([
  subscribedSchema,
  unsubscribedSchema,
  pongSchema,
  tokenUpdateSchema,
  tokenDeltaSchema,
  errorSchema,
  ...Object.values(CHANNEL_SERVER_MESSAGES),
])

export type ServerMessage = z.infer<typeof serverMessageSchema>
