import { z } from 'zod'
import type { Address } from '#domain/address.ts'
import { parseParameters } from '#gateway/http/parameters.ts'
import { tokenNotFound } from '#gateway/http/problem.ts'
import type { Route } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { knownSequence } from '#gateway/realtime/knownSequence.ts'
import { booleanParameter, integerParameter, tokenParameter } from '#resources/parameters.ts'
import { eventStreamRoute } from './eventStreamRoute.ts'

const parameters = z.object({
  address: tokenParameter,
  lastEventId: integerParameter(0, Number.MAX_SAFE_INTEGER)
    .exactOptional()
    .describe('The newest sequence that the client has: it gets a snapshot only of a newer state. `Last-Event-ID` takes precedence.'),
  delta: booleanParameter.default(false).describe('Whether changes may come as `token.delta`, which the client merges into its state.'),
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
      const { address: token, delta, lastEventId: known } = parsed.values
      if ((await currentSequence(token, sources)) === null) return tokenNotFound(token)
      return { kind: 'valid', subscription: { of: 'token', token, lastSequence: knownSequence(known, Date.now()), delta } }
    },
  })
}

/** Asks the token's actor first, so that clients that all reconnect after a restart need no read of the database. */
async function currentSequence(token: Address, { actors, reads }: StreamSources): Promise<number | null> {
  return actors.sequence(token) ?? (await reads.token({ address: token }))?.sequence ?? null
}
