import { z } from 'zod'
import type { Outcome } from '#gateway/http/answer.ts'
import { EVENT_STREAM_HEADERS } from '#gateway/http/headers.ts'
import { launchingEntries } from '#gateway/http/launchingEntries.ts'
import { parseParameters } from '#gateway/http/parameters.ts'
import { originNotAllowed } from '#gateway/http/problem.ts'
import type { Route } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { CANDLE_PARAMETERS, CHANNEL_FILTERS, LIST_PARAMETERS } from '#gateway/realtime/channelFilters.ts'
import { streamRequestOf } from '#gateway/realtime/channelRequest.ts'
import { CHANNELS } from '#protocol/channels.ts'
import { CROSSED_VALUES } from '#resources/crossings.ts'
import { booleanParameter, textParameter, wordParameter } from '#resources/parameters.ts'

const chosen = z.object({
  channel: wordParameter(CHANNELS).describe('The channel to stream.'),
  lastEventId: textParameter(60)
    .exactOptional()
    .describe('The `id` of the last event that the client has. `Last-Event-ID` takes precedence.'),
  delta: booleanParameter.default(false).describe('For `list`: whether changes may come as `list.delta`.'),
})

const parameters = z.object({
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

const HANDED_OVER: Outcome = { kind: 'handedOver' }

/** The channels of WebSockets as server-sent events. */
export function channelStreamRoute({ admission, config, realtime }: Pick<Sources, 'admission' | 'config' | 'realtime'>): Route {
  return {
    path: '/api/stream',
    parameters,
    access: 'public',
    limited: true,
    takesKeyInUrl: true,
    cacheControl: 'never',
    description: {
      id: 'streamChannel',
      tag: 'Realtime',
      summary: 'A channel as server-sent events, which /asyncapi.json describes',
      answer: {
        contentType: 'text/event-stream',
        meaning: 'The event `subscribed`, then those of the channel, `reorg` and `gap`. `list` and `candles` send their states only.',
      },
      problems: ['origin_not_allowed', 'data_unavailable'],
    },
    async handle(texts, exchange) {
      const { origin, client } = exchange
      if (origin !== '' && !admission.originAllowed(origin, client.key)) return originNotAllowed(origin)
      const parsed = parseParameters(chosen, texts)
      if (parsed.kind === 'invalid') return parsed.problem
      const { channel, delta, lastEventId = '' } = parsed.values
      const stream = { channel, delta, lastEventId: exchange.lastEventId || lastEventId }
      const request = streamRequestOf(stream, texts, launchingEntries(config.launchpads))
      if (request.kind === 'invalid') return request.problem
      if (exchange.isAborted()) return HANDED_OVER
      if (exchange.method === 'HEAD') return { kind: 'answer', status: '200 OK', headers: EVENT_STREAM_HEADERS, body: null }
      return realtime.openEventStream({ ...exchange, subscription: { of: 'channel', request: request.request } }) ?? HANDED_OVER
    },
  }
}
