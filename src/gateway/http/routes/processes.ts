import { jsonAnswer } from '#gateway/http/answer.ts'
import { type Route, resource } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { processListSchema } from '#protocol/schemas/operations.ts'

export function processesRoute({ processes }: Pick<Sources, 'processes'>): Route {
  return resource(
    {
      path: '/api/indexer/health/processes',
      cacheControl: 'never',
      access: 'operator',
      description: {
        id: 'listProcesses',
        tag: 'Health',
        summary: 'The processes that use the same database: indexers, standbys and gateways',
        answer: processListSchema,
        problems: [],
      },
    },
    async () => jsonAnswer({ data: await processes(), nextCursor: null }),
  )
}
