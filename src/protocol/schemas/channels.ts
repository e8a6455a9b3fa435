import { z } from 'zod'
import { CANDLE_INTERVALS, type CandleInterval } from '#domain/candle.ts'
import type { StateChannelName } from '#protocol/channels.ts'
import { CHANNELS, EVENT_CHANNELS } from '#protocol/channels.ts'
import { MAX_INTERVAL_MS, MAX_LONG_LIST_ROWS, MAX_MESSAGE_CANDLES, MAX_MESSAGE_ID } from '#protocol/limits.ts'
import { LIST_COLUMNS } from '#protocol/listCells.ts'
import { candleSchema } from '#resources/candles.ts'
import { CROSSED_VALUES, crossingSchema, GRADUATION_EVENT_STATUSES } from '#resources/channelEvent.ts'
import { tokenSchema } from '#resources/token.ts'
import { tradeSchema } from '#resources/trades.ts'
import { anyCaseAddressText, count, decimalText, integerText, messageType } from '#resources/values.ts'

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

/* The filters of channels, as messages have them. */

const addressList = z.array(anyCaseAddressText).min(1).max(100)

export const eventFilters = z
  .object({
    tokens: addressList.exactOptional().describe('For `trades`: only trades of these tokens.'),
    makers: addressList.exactOptional().describe('For `trades`: only trades of these accounts.'),
    creators: addressList.exactOptional().describe('For `launches`: only tokens of these creators.'),
    launchpads: z.array(z.string()).min(1).max(20).exactOptional().describe('Only events of tokens of these launchpads.'),
    status: z
      .array(z.enum(GRADUATION_EVENT_STATUSES))
      .min(1)
      .max(2)
      .exactOptional()
      .describe('For `graduations`: only tokens that reached these statuses.'),
    side: z.enum(['buy', 'sell']).exactOptional().describe('For `trades`: only buys, or only sells.'),
    minWeth: decimalText.exactOptional().describe('For `trades`: only trades of at least this amount of WETH, fee included.'),
  })
  .describe('An event must match every given filter. It matches a list if it matches one entry.')

export const crossingFilters = z
  .object({
    tokens: addressList.exactOptional().describe('Only these tokens.'),
    launchpads: eventFilters.shape.launchpads,
    of: z.enum(CROSSED_VALUES).describe('The value that is compared.'),
    above: decimalText
      .exactOptional()
      .describe('The value rises from below this to this or more. Exactly one of `above` and `below` is given.'),
    below: decimalText.exactOptional().describe('The value falls from above this to this or less.'),
  })
  .describe('The bound of a value, and the tokens of which it is compared.')

const listFilters = z
  .record(z.string(), z.union([z.string(), z.number(), z.array(z.string())]))
  .describe('The parameters of `/api/tokens` except `cursor`. Lists are arrays; `limit` is at most 50, and with `delta` at most 200.')

export const candleFilters = z
  .object({
    token: anyCaseAddressText.describe('Address of the token. One that is not indexed yet has no candles.'),
    interval: z
      .enum(Object.keys(CANDLE_INTERVALS) as [CandleInterval, ...CandleInterval[]])
      .exactOptional()
      .describe('Length of a candle. Default: `1m`.'),
    of: z.enum(['price', 'marketCap']).exactOptional().describe('Whether candles show prices or market caps. Default: `price`.'),
    currency: z.enum(['weth', 'usd', 'quote']).exactOptional().describe('Currency of prices and volume. Default: `weth`.'),
  })
  .describe('These select candles as the parameters of `/api/tokens/<address>/candles` do.')

/* The messages of channels: events over all tokens, lists of tokens, and candles. */

/** `crossings` has messages of its own, since it needs a filter. */
const eventChannel = z.enum(EVENT_CHANNELS).exclude(['crossings']).describe('Name of the channel.')

const crossings = z.literal('crossings').describe('Name of the channel.')

const anyChannel = z.enum(CHANNELS).describe('Name of the channel.')

const interval = z
  .int()
  .min(0)
  .max(MAX_INTERVAL_MS)
  .exactOptional()
  .describe('The least time between messages in ms: what comes meanwhile is sent together, or only the newest state. Default 0.')

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
    minIntervalMs: interval,
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
    minIntervalMs: interval,
  })
  .meta({ id: 'subscribe.list', description: 'Answered by `subscribed`, then by a `list`, and by a new `list` whenever it changes.' })

const subscribeCandlesSchema = z
  .object({
    type: messageType('subscribe'),
    channel: z.literal('candles').describe('Name of the channel.'),
    id: subscriptionId.exactOptional(),
    filters: candleFilters,
    minIntervalMs: interval,
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

export const listStateSchema = z
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
