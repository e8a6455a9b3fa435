import { z } from 'zod'
import { ACTOR_SORTS, ACTOR_STATE_NAMES } from '#domain/health.ts'
import { jsonAnswer } from '#gateway/http/answer.ts'
import { integerParameter, tokenParameter, wordParameter } from '#gateway/http/parameters.ts'
import { problem } from '#gateway/http/problem.ts'
import { type Route, resource } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { actorListSchema, actorStateSchema } from '#protocol/schemas/operations.ts'

const listParameters = z.object({
  state: wordParameter(ACTOR_STATE_NAMES).exactOptional().describe('Only actors in this state.'),
  sort: wordParameter(ACTOR_SORTS).default('subscribers').describe('What the actors are sorted by, the largest or newest first.'),
  limit: integerParameter(1, 500).default(50).describe('Maximum number of actors returned.'),
})

export function actorsRoute({ actors }: Pick<Sources, 'actors'>): Route {
  return resource(
    {
      path: '/api/indexer/health/actors',
      parameters: listParameters,
      cacheControl: 'never',
      access: 'operator',
      description: { id: 'listActors', tag: 'Health', summary: 'The actors of this process', answer: actorListSchema, problems: [] },
    },
    async query => jsonAnswer({ data: await actors.list(query), nextCursor: null }),
  )
}

const parameters = z.object({ address: tokenParameter })

export function actorRoute({ actors }: Pick<Sources, 'actors'>): Route {
  return resource(
    {
      path: '/api/indexer/health/actors/:address',
      parameters,
      cacheControl: 'never',
      access: 'operator',
      description: { id: 'getActor', tag: 'Health', summary: 'The actor of a token', answer: actorStateSchema, problems: ['not_found'] },
    },
    async ({ address }) => {
      const state = await actors.get(address)
      return state === null ? problem(404, 'not_found', `${address} has no actor: it has no subscriber`) : jsonAnswer(state)
    },
  )
}
