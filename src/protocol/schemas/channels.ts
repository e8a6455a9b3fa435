import { z } from 'zod'
import { CHANNELS, EVENT_CHANNELS, type StateChannelName } from '#protocol/channels.ts'
import { LIST_COLUMNS } from '#protocol/encodeListRows.ts'
import { MAX_LONG_LIST_ROWS, MAX_MESSAGE_CANDLES } from '#protocol/limits.ts'
import { candleSchema } from '#resources/candles.ts'
import { count, integerText, messageType } from '#resources/values.ts'
import { crossingsSchema, graduationsSchema, launchesSchema, place, reorgs, subscriptionId, tradesSchema } from './channelEvents.ts'
import { candleFilters, crossingFilters, eventFilters, listFilters } from './channelFilters.ts'

/* The messages of channels: events over all tokens, lists of tokens, and candles. */

/** `crossings` has messages of its own, since it needs a filter. */
const eventChannel = z.enum(EVENT_CHANNELS).exclude(['crossings']).describe('Name of the channel.')

const crossings = z.literal('crossings').describe('Name of the channel.')

const anyChannel = z.enum(CHANNELS).describe('Name of the channel.')

const subscribeChannelSchema = z
  .object({
    type: messageType('subscribe'),
    channel: eventChannel,
    id: subscriptionId.exactOptional(),
    filters: eventFilters.exactOptional(),
    after: place
      .exactOptional()
      .describe('The last `cursor` that the client has received: later events are sent first. Absent: only new events are sent.'),
    reorgs: count.exactOptional().describe('The `reorgs` that came with that cursor. Absent: only new reorgs are reported.'),
  })
  .meta({
    id: 'subscribe.channel',
    description:
      'Answered by `subscribed`, then by events. A connection may have 20 such subscriptions, told apart by `id`; a new ' +
      'one replaces the one with the same `id`. Events after `after` are read from the database. If the channel has ' +
      'more than 10,000 of them, a `gap` says which are left out.',
  })

const subscribeCrossingsSchema = subscribeChannelSchema.extend({ channel: crossings, filters: crossingFilters }).meta({
  id: 'subscribe.crossings',
  description:
    'The same for `crossings`, which needs a bound. Values are compared before and after each block, whatever is committed together; a move ' +
    'of the price of ETH alone crosses nothing. The changes of the last four days are kept: for what came before them, a `gap` is sent.',
})

const subscribeListSchema = z
  .object({
    type: messageType('subscribe'),
    channel: z.literal('list').describe('Name of the channel.'),
    id: subscriptionId.exactOptional(),
    filters: listFilters.exactOptional(),
    delta: z.boolean().exactOptional().describe('`true`: changes may come as `list.delta`. Default false.'),
  })
  .meta({ id: 'subscribe.list', description: 'Answered by `subscribed`, then by a `list`, and by a new `list` whenever it changes.' })

const subscribeCandlesSchema = z
  .object({
    type: messageType('subscribe'),
    channel: z.literal('candles').describe('Name of the channel.'),
    id: subscriptionId.exactOptional(),
    filters: candleFilters,
  })
  .meta({
    id: 'subscribe.candles',
    description:
      'Answered by `subscribed`, then by a `candles` message with the newest candles, and by another one with the ' +
      'changed candles whenever some change.',
  })

export const unsubscribeChannelSchema = z
  .union([
    z
      .object({ type: messageType('unsubscribe'), id: subscriptionId, channel: anyChannel.exactOptional() })
      .describe('Names the subscription by its `id`.'),
    z
      .object({ type: messageType('unsubscribe'), id: subscriptionId.exactOptional(), channel: anyChannel })
      .describe('Names a subscription without an `id` of its own by its channel.'),
  ])
  .meta({ id: 'unsubscribe.channel', description: 'Answered by `unsubscribed`; no message of that subscription follows it.' })

export const subscribedChannelSchema = z
  .object({
    type: messageType('subscribed'),
    id: subscriptionId,
    channel: eventChannel,
    filters: eventFilters.describe('The filters as the server understood them.'),
    cursor: place.describe('`<block>-<logIndex>`: only events after this place are sent.'),
    reorgs,
  })
  .meta({ id: 'subscribed.channel', description: 'Answer to `subscribe` with a channel.' })

const subscribedCrossingsSchema = subscribedChannelSchema
  .extend({ channel: crossings, filters: crossingFilters.describe('The filters as the server understood them.') })
  .meta({ id: 'subscribed.crossings', description: 'Answer to `subscribe` with the channel `crossings`.' })

/** The answer of any channel of events. */
export const subscribedEventsSchema = subscribedChannelSchema.extend({ channel: z.enum(EVENT_CHANNELS) })

function subscribedToStateSchema<const Channel extends StateChannelName, Filters extends z.ZodType>(channel: Channel, filters: Filters) {
  return z
    .object({
      type: messageType('subscribed'),
      id: subscriptionId,
      channel: z.literal(channel).describe('Name of the channel.'),
      filters: filters.describe('The filters as the server understood them, with defaults.'),
    })
    .meta({ id: `subscribed.${channel}`, description: `Answer to \`subscribe\` with the channel \`${channel}\`.` })
}

const subscribedListSchema = subscribedToStateSchema('list', listFilters)

const subscribedCandlesSchema = subscribedToStateSchema('candles', candleFilters)

const unsubscribedChannelSchema = z
  .object({ type: messageType('unsubscribed'), id: subscriptionId })
  .meta({ id: 'unsubscribed.channel', description: 'Answer to `unsubscribe` with a channel or the `id` of a subscription to one.' })

export const reorgSchema = z
  .object({
    type: messageType('reorg'),
    id: subscriptionId,
    fromBlock: integerText.describe('Number of the first block whose events are void.'),
    cursor: place.describe('`<block>-<logIndex>`: the replacing events come after this place. Send it back as `after` to resume.'),
    reorgs,
  })
  .meta({
    id: 'reorg',
    description: 'Events already sent of blocks from `fromBlock` on are void. The events that replace them follow.',
  })

export const gapSchema = z
  .object({
    type: messageType('gap'),
    id: subscriptionId,
    from: place.describe('`<block>-<logIndex>`, exclusive. Send it as `after` to `/api/trades`.'),
    to: place.describe('`<block>-<logIndex>`, inclusive. Send it back as `after` to resume.'),
    reorgs,
  })
  .meta({ id: 'gap', description: 'Events between `from` and `to` are left out, because there are too many. Read them over REST.' })

const cells = z.array(z.union([z.string(), z.number(), z.null()]))

const matches = count
  .nullable()
  .exactOptional()
  .describe('Only of lists of more than 50 rows: how many tokens match. `null`: more than 1,000, or several filters let more through each.')

const listStateSchema = z
  .object({
    type: messageType('list'),
    id: subscriptionId,
    sequence: count.describe('Rises with each state of the list on a connection. Another connection may begin lower.'),
    asOfBlock: integerText.nullable().describe('Number of the newest indexed block. `null`: nothing is indexed yet.'),
    columns: z.array(z.string()).describe(`Names of the cells of a row: ${LIST_COLUMNS.join(', ')}.`),
    data: z
      .array(cells)
      .max(MAX_LONG_LIST_ROWS)
      .describe('The rows in order. Symbols and names have at most 32 characters, prices and values 10 significant digits.'),
    matches,
  })
  .meta({
    id: 'list',
    description:
      'A whole list of tokens, sent whenever it has changed. It replaces the previous one. If 50 rows do not fit into ' +
      '16 KB, images become `null`, from the last row on, then names, then symbols. Lists of more than 50 rows have no images, and what does ' +
      'not fit follows at once as `list.delta`.',
  })

const listDeltaSchema = z
  .object({
    type: messageType('list.delta'),
    id: subscriptionId,
    base: count.describe('Sequence of the list that this one is a change of: the one sent before on this connection.'),
    sequence: count.describe('As in `list`.'),
    asOfBlock: integerText.nullable().describe('As in `list`.'),
    data: z
      .array(z.union([count, cells]))
      .max(MAX_LONG_LIST_ROWS)
      .describe('The rows in order: the place of an unchanged row in the list before, from 0, or the cells of a new or changed one.'),
    matches,
  })
  .meta({
    id: 'list.delta',
    description:
      'A change of a list, sent only to subscriptions with `delta`. A large change comes as several. Rows whose place is not in `data` are gone. The cells have the columns of ' +
      'the last `list`. A client that holds another list than `base` subscribes again.',
  })

export const candleStateSchema = z
  .object({
    type: messageType('candles'),
    id: subscriptionId,
    sequence: count.describe('Rises with each state of the candles on a connection. Another connection may begin lower.'),
    from: count.describe('Unix seconds: `data` replaces the client’s candles of this time and later. 0: it replaces all of them.'),
    data: z
      .array(candleSchema)
      .max(MAX_MESSAGE_CANDLES)
      .describe('Every candle from `from` on, times ascending. With `from` 0: the newest candles.'),
  })
  .meta({
    id: 'candles',
    description:
      `The candles that changed, appeared or, after a reorg, disappeared. The first message has \`from\` 0 and the newest ${MAX_MESSAGE_CANDLES} ` +
      'candles, or fewer if they do not fit into 16 KB. The same is sent when older candles than those change: read those over REST.',
  })

export const CHANNEL_CLIENT_MESSAGES = {
  'subscribe.candles': subscribeCandlesSchema,
  'subscribe.list': subscribeListSchema,
  'subscribe.channel': subscribeChannelSchema,
  'subscribe.crossings': subscribeCrossingsSchema,
  'unsubscribe.channel': unsubscribeChannelSchema,
} as const

export const CHANNEL_SERVER_MESSAGES = {
  'subscribed.channel': subscribedChannelSchema,
  'subscribed.crossings': subscribedCrossingsSchema,
  'subscribed.list': subscribedListSchema,
  'subscribed.candles': subscribedCandlesSchema,
  'unsubscribed.channel': unsubscribedChannelSchema,
  trades: tradesSchema,
  launches: launchesSchema,
  graduations: graduationsSchema,
  crossings: crossingsSchema,
  reorg: reorgSchema,
  gap: gapSchema,
  list: listStateSchema,
  'list.delta': listDeltaSchema,
  candles: candleStateSchema,
} as const
