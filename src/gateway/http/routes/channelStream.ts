import { z } from 'zod'
import { launchingEntries } from '#gateway/http/launchingEntries.ts'
import { parseParameters } from '#gateway/http/parameters.ts'
import type { Route } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { CANDLE_PARAMETERS, CHANNEL_FILTERS, LIST_PARAMETERS } from '#gateway/realtime/channelFilters.ts'
import { streamRequestOf } from '#gateway/realtime/channelRequest.ts'
import { CHANNELS } from '#protocol/channels.ts'
import { CROSSED_VALUES } from '#resources/crossings.ts'
import { booleanParameter, textParameter, wordParameter } from '#resources/parameters.ts'
import { eventStreamRoute } from './eventStreamRoute.ts'

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

/** The channels of WebSockets as server-sent events. */
export function channelStreamRoute(sources: Pick<Sources, 'admission' | 'config' | 'realtime'>): Route {
  return eventStreamRoute(sources, {
    path: '/api/stream',
    parameters,
    id: 'streamChannel',
    summary: 'A channel as server-sent events, which /asyncapi.json describes',
    meaning: 'The event `subscribed`, then those of the channel, `reorg` and `gap`. `list` and `candles` send their states only.',
    problems: ['origin_not_allowed', 'data_unavailable'],
    async subscriptionOf(texts, exchange) {
      const parsed = parseParameters(chosen, texts)
      if (parsed.kind === 'invalid') return parsed.problem
      const { channel, delta, lastEventId = '' } = parsed.values
      const stream = { channel, delta, lastEventId: exchange.lastEventId || lastEventId }
      const asked = streamRequestOf(stream, texts, launchingEntries(sources.config.launchpads))
      return asked.kind === 'invalid' ? asked.problem : { kind: 'valid', subscription: { of: 'channel', request: asked.request } }
    },
  })
}
