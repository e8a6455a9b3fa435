import { jsonAnswer } from '#gateway/http/answer.ts'
import { problem } from '#gateway/http/problem.ts'
import { type Route, resourceRoute } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { actor, actors as list } from '#resources/actors.ts'

export function actorRoutes({ actors }: Pick<Sources, 'actors'>): readonly Route[] {
  return [
    resourceRoute(list, async query => jsonAnswer({ data: actors.list(query), nextCursor: null })),
    resourceRoute(actor, async ({ address }) => {
      const state = actors.get(address)
      return state === null ? problem(404, 'not_found', `${address} has no actor: it has no subscriber`) : jsonAnswer(state)
    }),
  ]
}
