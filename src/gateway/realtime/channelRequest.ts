import { z } from 'zod'
import type { ResumePosition } from '#actors/events/eventChannel.ts'
import { EventFilter, type EventFilters } from '#actors/events/eventFilter.ts'
import { parseDecimal } from '#domain/decimal.ts'
import type { ParameterTexts, ParsedParameters } from '#gateway/http/parameters.ts'
import { parseParameters, refuseUnknown, scalarText } from '#gateway/http/parameters.ts'
import { invalidParameter, type Problem, problemOfLaunchpads, quote } from '#gateway/http/problem.ts'
import type { ChannelName } from '#protocol/channels.ts'
import { MAX_LIST_ROWS, MAX_LONG_LIST_ROWS, MAX_MESSAGE_CANDLES } from '#protocol/limits.ts'
import type { ParsedMessage } from '#protocol/parseClientMessage.ts'
import { type CandlesQuery, candleParameters } from '#resources/candles.ts'
import { CROSSED_VALUES, type CrossedValue, type EventChannelName, GRADUATION_EVENT_STATUSES } from '#resources/channelEvent.ts'
import {
  addressParameter,
  decimalParameter,
  integerParameter,
  launchpadParameter,
  listParameter,
  tokenParameter,
  wordParameter,
} from '#resources/parameters.ts'
import { type TokensRequest, tokenListFilters } from '#resources/tokens.ts'
import { parseTradeId } from '#resources/trades.ts'

interface Request {
  readonly id: string
  /** The filters as the service has parsed them, which `subscribed` repeats. */
  readonly accepted: object
}

/** A valid request to subscribe to a channel. */
export type ChannelRequest =
  | (Request & { readonly channel: EventChannelName; readonly filter: EventFilter; readonly position: ResumePosition })
  | (Request & { readonly channel: 'list'; readonly query: TokensRequest; readonly takesChanges: boolean })
  | (Request & { readonly channel: 'candles'; readonly query: CandlesQuery; readonly takesChanges: true })

export type ParsedChannelRequest =
  | { readonly kind: 'valid'; readonly request: ChannelRequest }
  | { readonly kind: 'invalid'; readonly problem: Problem }

type Launchpads = readonly { readonly name: string }[]

/** Parses the request of a WebSocket message. */
export function channelRequestOf(
  {
    channel,
    id = channel,
    filters,
    after,
    reorgs,
    delta = false,
  }: Omit<Extract<ParsedMessage, { type: 'subscribeChannel' }>, 'type' | 'minIntervalMs'>,
  known: Launchpads,
): ParsedChannelRequest {
  const texts = filterTexts(filters)
  if (texts === null) return wrong('filters must be an object')
  if (typeof delta !== 'boolean') return wrong('delta must be true or false')
  if (channel === 'list') return listRequestOf(id, texts, known, delta)
  if (channel === 'candles') return candlesRequestOf(id, texts)
  const place = typeof after === 'string' ? parseTradeId(after) : null
  if (place === null && after !== undefined && after !== null) {
    return wrong(`after must be <block>-<logIndex>, got ${quote(scalarText(after))}`)
  }
  if (reorgs !== undefined && reorgs !== null && !isCount(reorgs)) return wrong('reorgs must be a non-negative safe integer')
  return requestOf({ channel, id, texts, position: { place, reorgs: reorgs ?? null } }, known)
}

interface StreamRequest {
  readonly channel: ChannelName
  readonly delta: boolean
  /** The id of the last event: `<block>-<logIndex>-<reorgs>`, or without reorgs; `''`: none. */
  readonly lastEventId: string
}

/** Parses the request of an event stream. */
export function streamRequestOf(
  { channel, delta, lastEventId }: StreamRequest,
  texts: ParameterTexts,
  known: Launchpads,
): ParsedChannelRequest {
  const filters = new Map([...texts].filter(([name]) => !STREAM_PARAMETERS.has(name)))
  if (channel === 'list') return listRequestOf(channel, filters, known, delta)
  if (channel === 'candles') return candlesRequestOf(channel, filters)
  const [, id = '', count = null] = /^(\d+-\d+)(?:-(\d{1,15}))?$/.exec(lastEventId) ?? []
  const place = parseTradeId(id)
  if (lastEventId !== '' && place === null) return wrong(`lastEventId must be the id of an event, got ${quote(lastEventId)}`)
  return requestOf({ channel, id: channel, texts: filters, position: { place, reorgs: count === null ? null : Number(count) } }, known)
}

/** Parameters of an event stream that are no filters. */
const STREAM_PARAMETERS = new Set(['channel', 'lastEventId', 'delta', 'minIntervalMs', 'apiKey'])

interface Requested {
  readonly channel: EventChannelName
  readonly id: string
  readonly position: ResumePosition
  readonly texts: ParameterTexts
}

/** A list has no position to resume from: only its newest state is sent. */
function listRequestOf(id: string, texts: ParameterTexts, known: Launchpads, takesChanges: boolean): ParsedChannelRequest {
  const parsed = parseFilters(LIST_PARAMETERS, texts)
  if (parsed.kind === 'invalid') return parsed
  const problem = problemOfLaunchpads(parsed.values.launchpad, known)
  if (problem !== null) return { kind: 'invalid', problem }
  const { limit } = parsed.values
  if (limit > MAX_LIST_ROWS && !takesChanges) return wrong(`limit must be at most ${MAX_LIST_ROWS} without delta, got ${limit}`)
  return { kind: 'valid', request: { channel: 'list', id, accepted: parsed.values, query: parsed.values, takesChanges } }
}

/** Candles of a token that is not indexed may be asked for: they appear when the token is indexed. */
function candlesRequestOf(id: string, texts: ParameterTexts): ParsedChannelRequest {
  const parsed = parseFilters(CANDLE_PARAMETERS, texts)
  if (parsed.kind === 'invalid') return parsed
  const { token: address, ...selected } = parsed.values
  const query = { address, ...selected, fill: false, limit: MAX_MESSAGE_CANDLES }
  return { kind: 'valid', request: { channel: 'candles', id, accepted: parsed.values, query, takesChanges: true } }
}

function requestOf({ texts, ...request }: Requested, known: Launchpads): ParsedChannelRequest {
  const parsed = parseChannelFilters(request.channel, texts, known)
  if (parsed.kind === 'invalid') return parsed
  return { kind: 'valid', request: { ...request, accepted: parsed.accepted, filter: new EventFilter(parsed.filters) } }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function wrong(detail: string): ParsedChannelRequest {
  return { kind: 'invalid', problem: invalidParameter(detail) }
}

const addresses = () => listParameter(addressParameter, 100, 'addresses (0x and 40 hex digits)').exactOptional()
const launchpads = launchpadParameter.exactOptional().describe('Only events of tokens of these launchpads.')

const tokens = addresses().describe('Only events of these tokens.')

/** A bound of a value. Prices of tokens with many decimals have many zeros after the point. */
const bound = z
  .string({ error: 'a decimal number of at most 18 digits before the point and 40 after it' })
  .regex(/^(?:0|[1-9]\d{0,17})(?:\.\d{1,40})?$/)
  .exactOptional()

/** The filters of each channel, written as parameters of a request. In a WebSocket message lists are JSON arrays. */
export const CHANNEL_FILTERS = {
  trades: z.object({
    tokens,
    makers: addresses().describe('Only trades of these accounts.'),
    launchpads,
    side: wordParameter(['buy', 'sell']).exactOptional().describe('Only buys, or only sells.'),
    minWeth: decimalParameter.exactOptional().describe('Only trades of at least this amount of WETH, fee included.'),
  }),
  launches: z.object({ launchpads, creators: addresses().describe('Only tokens of these creators.') }),
  graduations: z.object({
    launchpads,
    status: listParameter(wordParameter(GRADUATION_EVENT_STATUSES), 2, `of ${GRADUATION_EVENT_STATUSES.join(', ')}`)
      .exactOptional()
      .describe('Only tokens that reached these statuses.'),
  }),
  crossings: z.object({
    tokens,
    launchpads,
    of: wordParameter(CROSSED_VALUES).describe('The value that is compared with the bound.'),
    above: bound.describe('Values that rise from below this to this or more.'),
    below: bound.describe('Values that fall from above this to this or less.'),
  }),
} as const satisfies Record<EventChannelName, z.ZodObject>

/** The parameters of a list that is subscribed to. */
export const LIST_PARAMETERS = z.object({
  ...tokenListFilters,
  limit: integerParameter(1, MAX_LONG_LIST_ROWS)
    .default(MAX_LIST_ROWS)
    .describe('Maximum number of rows of the list. More than 50, whose rows have no images, need `delta`.'),
})

/** The parameters of candles that are subscribed to. */
export const CANDLE_PARAMETERS = z.object({ token: tokenParameter, ...candleParameters })

export type ChannelFilters =
  | { readonly kind: 'valid' /** As accepted. */; readonly accepted: object; readonly filters: EventFilters }
  | { readonly kind: 'invalid'; readonly problem: Problem }

/** As `parseParameters`, of texts that are filters. Any other name is a problem. */
function parseFilters<S extends z.ZodObject>(schema: S, texts: ParameterTexts): ParsedParameters<S> {
  const problem = refuseUnknown(texts.keys(), Object.keys(schema.shape), 'filter')
  return problem === null ? parseParameters(schema, texts) : { kind: 'invalid', problem }
}

/** @param known the launchpads of the service */
export function parseChannelFilters(
  channel: EventChannelName,
  texts: ParameterTexts,
  known: readonly { readonly name: string }[],
): ChannelFilters {
  const parsed = parseFilters(CHANNEL_FILTERS[channel] as z.ZodObject, texts)
  if (parsed.kind === 'invalid') return parsed
  const accepted = parsed.values as AcceptedFilters
  const problem = problemOfLaunchpads(accepted.launchpads, known, 'launchpads')
  if (problem !== null) return { kind: 'invalid', problem }
  const { makers, creators, of, above, below, ...others } = accepted
  const wallets = makers ?? creators
  const filters = wallets === undefined ? others : { ...others, wallets }
  if (of === undefined) return { kind: 'valid', accepted, filters }
  const value = above ?? below
  if (value === undefined || (above !== undefined && below !== undefined)) {
    const detail = 'crossings must have above or below, and not both: a subscription has one bound'
    return { kind: 'invalid', problem: invalidParameter(detail) }
  }
  const side = above === undefined ? 'below' : 'above'
  return { kind: 'valid', accepted, filters: { ...filters, bound: { of, side, value: parseDecimal(value) } } }
}

interface AcceptedFilters extends Omit<EventFilters, 'wallets' | 'bound'> {
  readonly makers?: EventFilters['wallets']
  readonly creators?: EventFilters['wallets']
  readonly of?: CrossedValue
  readonly above?: string
  readonly below?: string
}

/** The filters of a message as the texts of a request's parameters; `null`: they are no object. */
export function filterTexts(filters: unknown): ParameterTexts | null {
  if (filters === undefined || filters === null) return new Map()
  if (typeof filters !== 'object' || Array.isArray(filters)) return null
  return new Map(Object.entries(filters).map(([name, value]) => [name, [textOf(value)]]))
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.map(scalarText).join(',') : scalarText(value)
}
