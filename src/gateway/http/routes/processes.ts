import { jsonAnswer } from '#gateway/http/answer.ts'
import { type Route, resourceRoute } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { processes as list } from '#resources/processes.ts'

export function processesRoute({ processes }: Pick<Sources, 'processes'>): Route {
  return resourceRoute(list, async () => jsonAnswer({ data: processes(), nextCursor: null }))
}
