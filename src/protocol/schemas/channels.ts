import { z } from 'zod'
import { CHANNELS, EVENT_CHANNELS, type StateChannelName } from '#protocol/channels.ts'
import { LIST_COLUMNS } from '#protocol/encodeListRows.ts'
import { MAX_LIST_ROWS, MAX_MESSAGE_CANDLES, MAX_MESSAGE_ID } from '#protocol/limits.ts'
import { candleSchema } from './resources.ts'
import { tokenSchema, tradeSchema } from './token.ts'
import { anyCaseAddressText, count, decimalText, integerText, messageType } from './values.ts'

/* The messages of channels: events over all tokens, lists of tokens, and candles. */

const place = z.string().regex(/^(?:0|[1-9][0-9]*)-(?:0|[1-9][0-9]*)$/)

const eventChannel = z.enum(EVENT_CHANNELS).describe('Name of the channel.')

const anyChannel = z.enum(CHANNELS).describe('Name of the channel.')

const subscriptionId = z.string().max(MAX_MESSAGE_ID).describe('What the client calls the subscription. Default: the name of the channel.')

const reorgs = count.describe('How many reorgs this position knows of. To be sent back with `after`.')

const CURSOR = '`<block>-<logIndex>` of the last event. To be sent back as `after`.'

const addressList = z.array(anyCaseAddressText).min(1).max(100)

const eventFilters = z
  .object({
    tokens: addressList.exactOptional().describe('Of `trades`: only those of these tokens.'),
    makers: addressList.exactOptional().describe('Of `trades`: only those of these accounts.'),
    creators: addressList.exactOptional().describe('Of `launches`: only tokens of these creators.'),
    launchpads: z.array(z.string()).min(1).max(20).exactOptional().describe('Only of tokens of these launchpads.'),
    side: z.enum(['buy', 'sell']).exactOptional().describe('Of `trades`: only buys, or only sells.'),
    minWeth: decimalText.exactOptional().describe('Of `trades`: only those of at least this amount of WETH, fee included.'),
  })
  .describe('An event has to fit all that are given; in a list, one of it.')

const subscribeChannelSchema = z
  .object({
    type: messageType('subscribe'),
    channel: eventChannel,
    id: subscriptionId.exactOptional(),
    filters: eventFilters.exactOptional(),
    after: place.exactOptional().describe('The `cursor` that the client has: what came since is sent first. Absent: from now on.'),
    reorgs: count.exactOptional().describe('The `reorgs` beside that cursor. Absent: the client is told of later reorgs only.'),
  })
  .meta({
    id: 'subscribe.channel',
    description:
      'Answered by `subscribed`, then by what happens. Up to 20 per connection, told apart by `id`; one of the same `id` is replaced. What came ' +
      'since `after` is read from the database, up to 10,000 events of the channel, else a `gap` says what is left out.',
  })

const listFilters = z
  .record(z.string(), z.union([z.string(), z.number(), z.array(z.string())]))
  .describe('The parameters of `/api/tokens` but `cursor`, with lists as arrays; `limit` at most 50.')

const subscribeListSchema = z
  .object({
    type: messageType('subscribe'),
    channel: z.literal('list').describe('Name of the channel.'),
    id: subscriptionId.exactOptional(),
    filters: listFilters.exactOptional(),
  })
  .meta({ id: 'subscribe.list', description: 'Answered by `subscribed`, then by the `list`, and by another one whenever it has changed.' })

const candleFilters = z
  .object({
    token: anyCaseAddressText.describe('Address of the token. One that is not indexed yet has no candles.'),
    interval: z.enum(['1m', '5m', '15m', '1h', '4h', '1d']).exactOptional().describe('Length of a candle. Default: `1m`.'),
    of: z.enum(['price', 'marketCap']).exactOptional().describe('What the candles are of. Default: `price`.'),
    currency: z.enum(['weth', 'usd', 'quote']).exactOptional().describe('Currency of prices and volume. Default: `weth`.'),
  })
  .describe('Those of `/api/tokens/<address>/candles`.')

const subscribeCandlesSchema = z
  .object({
    type: messageType('subscribe'),
    channel: z.literal('candles').describe('Name of the channel.'),
    id: subscriptionId.exactOptional(),
    filters: candleFilters,
  })
  .meta({
    id: 'subscribe.candles',
    description: 'Answered by `subscribed`, then by the newest `candles`, and by those that changed whenever some have.',
  })

export const unsubscribeChannelSchema = z
  .union([
    z.object({ type: messageType('unsubscribe'), id: subscriptionId, channel: anyChannel.exactOptional() }).describe('By the id.'),
    z
      .object({ type: messageType('unsubscribe'), id: subscriptionId.exactOptional(), channel: anyChannel })
      .describe('Without an id of its own.'),
  ])
  .meta({ id: 'unsubscribe.channel', description: 'Answered by `unsubscribed`; no message of that subscription follows it.' })

export const subscribedChannelSchema = z
  .object({
    type: messageType('subscribed'),
    id: subscriptionId,
    channel: eventChannel,
    filters: eventFilters.describe('As they were understood.'),
    cursor: place.describe('`<block>-<logIndex>` after which events are told.'),
    reorgs,
  })
  .meta({ id: 'subscribed.channel', description: 'Answer to `subscribe` with a channel.' })

function subscribedToStateSchema<const Channel extends StateChannelName, Filters extends z.ZodType>(channel: Channel, filters: Filters) {
  return z
    .object({
      type: messageType('subscribed'),
      id: subscriptionId,
      channel: z.literal(channel).describe('Name of the channel.'),
      filters: filters.describe('As they were understood.'),
    })
    .meta({ id: `subscribed.${channel}`, description: `Answer to \`subscribe\` with the channel \`${channel}\`.` })
}

const subscribedListSchema = subscribedToStateSchema('list', listFilters)

const subscribedCandlesSchema = subscribedToStateSchema('candles', candleFilters)

const unsubscribedChannelSchema = z
  .object({ type: messageType('unsubscribed'), id: subscriptionId })
  .meta({ id: 'unsubscribed.channel', description: 'Answer to `unsubscribe` with a channel or the `id` of a subscription to one.' })

function eventsSchema<const Type extends string, Extra extends z.ZodRawShape>(type: Type, extra: Extra, description: string) {
  return z
    .object({
      type: messageType(type),
      id: subscriptionId,
      cursor: place.describe(CURSOR),
      reorgs,
      block: integerText.describe('Number of the block.'),
      ...extra,
    })
    .meta({ id: type, description: `${description} A block’s events come in as many messages as they take, in order.` })
}

export const tradesSchema = eventsSchema(
  'trades',
  { data: z.array(tradeSchema).min(1).describe('Trades of the block, in order.') },
  'Trades.',
)

export const launchesSchema = eventsSchema(
  'launches',
  { data: z.array(tokenSchema).min(1).describe('The launched tokens, in order, as they are now.') },
  'Launches of tokens.',
)

export const graduationsSchema = eventsSchema(
  'graduations',
  {
    status: z.enum(['completed', 'migrated']).describe('What the graduations came to.'),
    data: z.array(tokenSchema).min(1).describe('The tokens, in order, as they are now.'),
  },
  'Tokens that reached their target, or whose liquidity has moved to a pool.',
)

export const reorgSchema = z
  .object({
    type: messageType('reorg'),
    id: subscriptionId,
    fromBlock: integerText.describe('Number of the first void block.'),
    cursor: place.describe('`<block>-<logIndex>` after which the events follow that took their place. To be sent back as `after`.'),
    reorgs,
  })
  .meta({
    id: 'reorg',
    description: 'What was told of blocks from `fromBlock` on is void. What took its place follows.',
  })

export const gapSchema = z
  .object({
    type: messageType('gap'),
    id: subscriptionId,
    from: place.describe('`<block>-<logIndex>`, exclusive: `after` of `/api/trades`.'),
    to: place.describe('`<block>-<logIndex>`, inclusive. To be sent back as `after`.'),
    reorgs,
  })
  .meta({ id: 'gap', description: 'Events that are not told, because there are too many: to be read over REST.' })

const listStateSchema = z
  .object({
    type: messageType('list'),
    id: subscriptionId,
    sequence: count.describe('Rises with each state of the list on a connection. Another connection may begin lower.'),
    asOfBlock: integerText.nullable().describe('Number of the newest indexed block. `null`: nothing is indexed yet.'),
    columns: z.array(z.string()).describe(`Names of the cells of a row: ${LIST_COLUMNS.join(', ')}.`),
    data: z
      .array(z.array(z.union([z.string(), z.number(), z.null()])))
      .max(MAX_LIST_ROWS)
      .describe('The rows in order. Symbols and names have at most 32 characters, prices and values 10 significant digits.'),
  })
  .meta({
    id: 'list',
    description:
      'A whole list of tokens, whenever it has changed. It replaces the one before. Where 16 KB have no room for all, images are `null`, from ' +
      'the last row, then names and symbols.',
  })

export const candleStateSchema = z
  .object({
    type: messageType('candles'),
    id: subscriptionId,
    sequence: count.describe('Rises with each state of the candles on a connection. Another connection may begin lower.'),
    from: count.describe('Unix seconds: `data` replaces all candles of this time and later ones. 0: all that the client has.'),
    data: z.array(candleSchema).max(MAX_MESSAGE_CANDLES).describe('Every candle from `from` on, or the newest ones, times ascending.'),
  })
  .meta({
    id: 'candles',
    description:
      `The candles that changed, appeared or, after a reorg, disappeared. The first message has \`from\` 0 and the newest ${MAX_MESSAGE_CANDLES} ` +
      'candles, fewer where 16 KB have no room for them. So has one after changes that reach behind those: older candles are then read over REST.',
  })

export const CHANNEL_CLIENT_MESSAGES = {
  'subscribe.candles': subscribeCandlesSchema,
  'subscribe.list': subscribeListSchema,
  'subscribe.channel': subscribeChannelSchema,
  'unsubscribe.channel': unsubscribeChannelSchema,
} as const

export const CHANNEL_SERVER_MESSAGES = {
  'subscribed.channel': subscribedChannelSchema,
  'subscribed.list': subscribedListSchema,
  'subscribed.candles': subscribedCandlesSchema,
  'unsubscribed.channel': unsubscribedChannelSchema,
  trades: tradesSchema,
  launches: launchesSchema,
  graduations: graduationsSchema,
  reorg: reorgSchema,
  gap: gapSchema,
  list: listStateSchema,
  candles: candleStateSchema,
} as const
