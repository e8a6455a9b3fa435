import { EventFilter } from '#actors/events/eventFilter.ts'
import type { ResumePosition } from '#actors/events/positions.ts'
import type { ParameterTexts } from '#gateway/http/parameters.ts'
import { invalidParameter, type Problem, problemOfLaunchpads, quote } from '#gateway/http/problem.ts'
import { scalarText } from '#gateway/http/scalarText.ts'
import type { ChannelName } from '#protocol/channels.ts'
import { MAX_LIST_ROWS, MAX_MESSAGE_CANDLES } from '#protocol/limits.ts'
import type { ParsedMessage } from '#protocol/parseClientMessage.ts'
import type { CandlesQuery } from '#resources/candles.ts'
import type { EventChannelName } from '#resources/channelEvent.ts'
import type { TokensRequest } from '#resources/tokens.ts'
import { parseTradeId } from '#resources/trades.ts'
import { CANDLE_PARAMETERS, filterTexts, LIST_PARAMETERS, parseChannelFilters, parseFilters } from './channelFilters.ts'

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
  { channel, id = channel, filters, after, reorgs, delta = false }: Omit<Extract<ParsedMessage, { type: 'subscribeChannel' }>, 'type'>,
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
const STREAM_PARAMETERS = new Set(['channel', 'lastEventId', 'delta', 'apiKey'])

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
