import { z } from 'zod'
import { MAX_MESSAGE_ID } from '#protocol/limits.ts'
import { GRADUATION_EVENT_STATUSES } from '#resources/channelEvent.ts'
import { crossingSchema } from '#resources/crossings.ts'
import { tokenSchema } from '#resources/token.ts'
import { tradeSchema } from '#resources/trades.ts'
import { count, integerText, messageType } from '#resources/values.ts'

/* The events of channels, and what their messages have in common with others of channels. */

export const place = z.string().regex(/^(?:0|[1-9][0-9]*)-(?:0|[1-9][0-9]*)$/)

export const subscriptionId = z
  .string()
  .max(MAX_MESSAGE_ID)
  .describe('Id that the client gives the subscription. Default: the name of the channel.')

export const reorgs = count.describe(
  'Number of reorgs that this position takes into account. Send it back as `reorgs`, together with `after`.',
)

function eventsSchema<const Type extends string, Extra extends z.ZodRawShape>(type: Type, extra: Extra, description: string) {
  return z
    .object({
      type: messageType(type),
      id: subscriptionId,
      cursor: place.describe('`<block>-<logIndex>` of the last event of the message. Send it back as `after` to resume.'),
      reorgs,
      block: integerText.describe('Number of the block.'),
      ...extra,
    })
    .meta({ id: type, description: `${description} The events of a block come in order, in as many messages as needed.` })
}

export const tradesSchema = eventsSchema(
  'trades',
  { data: z.array(tradeSchema).min(1).describe('Trades of the block, in order.') },
  'Trades.',
)

export const launchesSchema = eventsSchema(
  'launches',
  { data: z.array(tokenSchema).min(1).describe('The launched tokens, in order, each in its current state.') },
  'Launches of tokens.',
)

export const graduationsSchema = eventsSchema(
  'graduations',
  {
    status: z
      .enum(GRADUATION_EVENT_STATUSES)
      .describe('`completed`: the tokens reached their target; `migrated`: their liquidity moved to a pool.'),
    data: z.array(tokenSchema).min(1).describe('The tokens, in order, each in its current state.'),
  },
  'Tokens that reached their target, or whose liquidity has moved to a pool.',
)

export const crossingsSchema = eventsSchema(
  'crossings',
  {
    data: z
      .array(crossingSchema)
      .min(1)
      .describe('The tokens whose value crossed the bound of the subscription with the commit of the block.'),
  },
  'Values of tokens that crossed a bound. Their `cursor` is a place among the changes of a block, and no log index.',
)
