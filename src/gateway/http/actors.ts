import { jsonAnswer } from '#gateway/answer.ts'
import { address, integer, oneOf, optional, required, withDefault } from '#gateway/parameters.ts'
import { problem } from '#gateway/problem.ts'
import { type Route, resource } from '#gateway/route.ts'
import type { Sources } from '#gateway/sources.ts'

const LIST_PARAMETERS = {
  state: optional(oneOf(['activating', 'live', 'resyncing', 'passivated'])),
  sort: withDefault(oneOf(['subscribers', 'sequence', 'lastUpdateAt']), 'subscribers'),
  limit: withDefault(integer(1, 500), 50),
}

export function actorsRoute({ actors }: Pick<Sources, 'actors'>): Route {
  return resource(
    { path: '/api/indexer/health/actors', parameters: LIST_PARAMETERS, cacheControl: 'never', access: 'operator' },
    async query => jsonAnswer({ data: actors.list(query), nextCursor: null }),
  )
}

const ACTOR_PARAMETERS = { address: required(address) }

export function actorRoute({ actors }: Pick<Sources, 'actors'>): Route {
  return resource(
    { path: '/api/indexer/health/actors/:address', parameters: ACTOR_PARAMETERS, cacheControl: 'never', access: 'operator' },
    async ({ address }) => {
      const state = actors.get(address)
      return state === null ? problem(404, 'not_found', `${address} has no actor: nobody watches it`) : jsonAnswer(state)
    },
  )
}
