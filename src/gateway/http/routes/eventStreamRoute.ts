import type { Outcome } from '#gateway/http/answer.ts'
import type { Exchange } from '#gateway/http/exchange.ts'
import { EVENT_STREAM_HEADERS } from '#gateway/http/headers.ts'
import type { ParameterTexts } from '#gateway/http/parameters.ts'
import { originNotAllowed, type Problem } from '#gateway/http/problem.ts'
import type { Route, RouteDescription } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import type { StreamSubscription } from '#gateway/realtime/streamSubscription.ts'

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
export function eventStreamRoute(
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
