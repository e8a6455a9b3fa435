import { z } from 'zod'
import type { Address } from '#domain/address.ts'
import type { Outcome } from '#gateway/http/answer.ts'
import type { Exchange } from '#gateway/http/exchange.ts'
import { EVENT_STREAM_HEADERS } from '#gateway/http/headers.ts'
import { parseParameters } from '#gateway/http/parameters.ts'
import { originNotAllowed, tokenNotFound } from '#gateway/http/problem.ts'
import type { Route } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { knownSequence } from '#gateway/realtime/knownSequence.ts'
import { booleanParameter, integerParameter, tokenParameter } from '#resources/parameters.ts'

const parameters = z.object({
  address: tokenParameter,
  lastEventId: integerParameter(0, Number.MAX_SAFE_INTEGER)
    .exactOptional()
    .describe('The newest sequence that the client has: it gets a snapshot only of a newer state. `Last-Event-ID` takes precedence.'),
  delta: booleanParameter.default(false).describe('Whether changes may come as `token.delta`, which the client merges into its state.'),
})

const HANDED_OVER: Outcome = { kind: 'handedOver' }

type StreamSources = Pick<Sources, 'admission' | 'reads' | 'actors' | 'realtime'>

export function streamRoute(sources: StreamSources): Route {
  return {
    path: '/api/tokens/:address/stream',
    parameters,
    access: 'public',
    limited: true,
    takesKeyInUrl: true,
    cacheControl: 'never',
    description: {
      id: 'streamToken',
      tag: 'Realtime',
      summary: 'Updates of a token as server-sent events, which /asyncapi.json describes',
      answer: {
        contentType: 'text/event-stream',
        meaning: 'Events `token.update`: the snapshot, then each update; with `delta` also `token.delta`.',
      },
      problems: ['token_not_found', 'origin_not_allowed', 'data_unavailable'],
    },
    async handle(texts, exchange) {
      const { origin, lastEventId, client } = exchange
      if (origin !== '' && !sources.admission.originAllowed(origin, client.key)) return originNotAllowed(origin)
      // Browsers send the header when they reconnect, so it is newer than the URL's parameter.
      const parsed = parseParameters(parameters, lastEventId === '' ? texts : new Map(texts).set('lastEventId', [lastEventId]))
      if (parsed.kind === 'invalid') return parsed.problem
      return open(parsed.values, exchange, sources)
    },
  }
}

async function open(
  values: { readonly address: Address; readonly lastEventId?: number; readonly delta: boolean },
  exchange: Exchange,
  sources: StreamSources,
): Promise<Outcome> {
  const token = values.address
  const current = await currentSequence(token, sources)
  if (current === null) return tokenNotFound(token)
  if (exchange.isAborted()) return HANDED_OVER
  if (exchange.method === 'HEAD') return { kind: 'answer', status: '200 OK', headers: EVENT_STREAM_HEADERS, body: null }
  const lastSequence = knownSequence(values.lastEventId, Date.now())
  return (
    sources.realtime.openEventStream({ ...exchange, subscription: { of: 'token', token, lastSequence, delta: values.delta } }) ??
    HANDED_OVER
  )
}

/** Asks the token's actor first, so that clients that all reconnect after a restart don't reach the database. */
async function currentSequence(token: Address, { actors, reads }: StreamSources): Promise<number | null> {
  return actors.sequence(token) ?? (await reads.token({ address: token }))?.sequence ?? null
}
