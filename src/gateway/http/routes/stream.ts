import { z } from 'zod'
import type { Address } from '#domain/address.ts'
import type { Outcome } from '#gateway/http/answer.ts'
import { EVENT_STREAM_HEADERS, type Exchange } from '#gateway/http/exchange.ts'
import type { ParameterTexts } from '#gateway/http/parameters.ts'
import { parseParameters } from '#gateway/http/parameters.ts'
import { originNotAllowed, type Problem, tokenNotFound } from '#gateway/http/problem.ts'
import { launchingEntries, type Route, type RouteDescription } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { CANDLE_PARAMETERS, CHANNEL_FILTERS, LIST_PARAMETERS, streamRequestOf } from '#gateway/realtime/channelRequest.ts'
import type { StreamSubscription } from '#gateway/realtime/eventStreamConnection.ts'
import { knownSequence } from '#gateway/realtime/webSocketConnection.ts'
import { CHANNELS } from '#protocol/channels.ts'
import { MAX_INTERVAL_MS } from '#protocol/limits.ts'
import { CROSSED_VALUES } from '#resources/channelEvent.ts'
import { booleanParameter, integerParameter, textParameter, tokenParameter, wordParameter } from '#resources/parameters.ts'

const minIntervalMs = integerParameter(0, MAX_INTERVAL_MS)
  .default(0)
  .describe('The least time between messages in ms: what comes meanwhile is sent together, or only the newest state.')

const parameters = z.object({
  address: tokenParameter,
  lastEventId: integerParameter(0, Number.MAX_SAFE_INTEGER)
    .exactOptional()
    .describe('The newest sequence that the client has: it gets a snapshot only of a newer state. `Last-Event-ID` takes precedence.'),
  delta: booleanParameter.default(false).describe('Whether changes may come as `token.delta`, which the client merges into its state.'),
  minIntervalMs,
})

type StreamSources = Pick<Sources, 'admission' | 'reads' | 'actors' | 'realtime'>

export function streamRoute(sources: StreamSources): Route {
  return eventStreamRoute(sources, {
    path: '/api/tokens/:address/stream',
    parameters,
    id: 'streamToken',
    summary: 'Updates of a token as server-sent events, which /asyncapi.json describes',
    meaning: 'Events `token.update`: the snapshot, then each update; with `delta` also `token.delta`.',
    problems: ['token_not_found', 'origin_not_allowed', 'data_unavailable'],
    async subscriptionOf(texts, { lastEventId }) {
      // Browsers send the header when they reconnect, so it is newer than the URL's parameter.
      const parsed = parseParameters(parameters, lastEventId === '' ? texts : new Map(texts).set('lastEventId', [lastEventId]))
      if (parsed.kind === 'invalid') return parsed.problem
      const { address: token, delta, minIntervalMs, lastEventId: known } = parsed.values
      if ((await currentSequence(token, sources)) === null) return tokenNotFound(token)
      return { kind: 'valid', subscription: { of: 'token', token, lastSequence: knownSequence(known, Date.now()), delta, minIntervalMs } }
    },
  })
}

/** Asks the token's actor first, so that clients that all reconnect after a restart need no read of the database. */
async function currentSequence(token: Address, { actors, reads }: StreamSources): Promise<number | null> {
  return actors.sequence(token) ?? (await reads.token({ address: token }))?.sequence ?? null
}

const chosen = z.object({
  channel: wordParameter(CHANNELS).describe('The channel to stream.'),
  lastEventId: textParameter(60)
    .exactOptional()
    .describe('The `id` of the last event that the client has. `Last-Event-ID` takes precedence.'),
  delta: booleanParameter.default(false).describe('For `list`: whether changes may come as `list.delta`.'),
  minIntervalMs,
})

const channelParameters = z.object({
  ...chosen.shape,
  ...CHANNEL_FILTERS.crossings.shape,
  ...CHANNEL_FILTERS.trades.shape,
  ...CHANNEL_FILTERS.launches.shape,
  ...CHANNEL_FILTERS.graduations.shape,
  ...LIST_PARAMETERS.shape,
  ...CANDLE_PARAMETERS.shape,
  of: wordParameter([...CANDLE_PARAMETERS.shape.of.unwrap().options, ...CROSSED_VALUES])
    .default('price')
    .describe('For `candles`: whether they show prices or market caps. For `crossings`, which needs it: the value that is compared.'),
  token: CANDLE_PARAMETERS.shape.token.exactOptional().describe('For `candles`, which needs it: address of the token.'),
})

/** The channels of WebSockets as server-sent events. */
export function channelStreamRoute(sources: Pick<Sources, 'admission' | 'config' | 'realtime'>): Route {
  return eventStreamRoute(sources, {
    path: '/api/stream',
    parameters: channelParameters,
    id: 'streamChannel',
    summary: 'A channel as server-sent events, which /asyncapi.json describes',
    meaning: 'The event `subscribed`, then those of the channel, `reorg` and `gap`. `list` and `candles` send their states only.',
    problems: ['origin_not_allowed', 'data_unavailable'],
    async subscriptionOf(texts, exchange) {
      const parsed = parseParameters(chosen, texts)
      if (parsed.kind === 'invalid') return parsed.problem
      const { channel, delta, minIntervalMs, lastEventId = '' } = parsed.values
      const stream = { channel, delta, lastEventId: exchange.lastEventId || lastEventId }
      const asked = streamRequestOf(stream, texts, launchingEntries(sources.config.launchpads))
      return asked.kind === 'invalid'
        ? asked.problem
        : { kind: 'valid', subscription: { of: 'channel', request: asked.request, minIntervalMs } }
    },
  })
}

interface EventStreamOptions extends Pick<Route, 'path' | 'parameters'>, Pick<RouteDescription, 'id' | 'summary' | 'problems'> {
  /** A text for people about the events of the stream. */
  readonly meaning: string
  /** The subscription that a request asks for. */
  subscriptionOf(
    texts: ParameterTexts,
    exchange: Exchange,
  ): Promise<{ readonly kind: 'valid'; readonly subscription: StreamSubscription } | Problem>
}

const HANDED_OVER: Outcome = { kind: 'handedOver' }

/** A route that answers with server-sent events. */
function eventStreamRoute(
  { admission, realtime }: Pick<Sources, 'admission' | 'realtime'>,
  { path, parameters, meaning, subscriptionOf, ...description }: EventStreamOptions,
): Route {
  return {
    path,
    parameters,
    access: 'public',
    limited: true,
    takesKeyInUrl: true,
    cacheControl: 'never',
    description: { tag: 'Realtime', answer: { contentType: 'text/event-stream', meaning }, ...description },
    async handle(texts, exchange) {
      const { origin, client } = exchange
      if (origin !== '' && !admission.originAllowed(origin, client.key)) return originNotAllowed(origin)
      const asked = await subscriptionOf(texts, exchange)
      if (asked.kind === 'problem') return asked
      if (exchange.isAborted()) return HANDED_OVER
      if (exchange.method === 'HEAD') return { kind: 'answer', status: '200 OK', headers: EVENT_STREAM_HEADERS, body: null }
      return realtime.openEventStream({ ...exchange, subscription: asked.subscription }) ?? HANDED_OVER
    },
  }
}
