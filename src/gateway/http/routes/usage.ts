import { jsonAnswer } from '#gateway/http/answer.ts'
import { problem } from '#gateway/http/problem.ts'
import { type Route, resourceRoute } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { usage } from '#resources/usage.ts'

/** The usage of keys. Operators see all keys, other clients the key that they send. */
export function usageRoute(sources: Pick<Sources, 'admission'>): Route {
  return resourceRoute(usage, async (_, isOperator, { client }) => {
    const { keys } = sources.admission
    const shown = isOperator ? keys.all() : client.key === null ? null : [client.key]
    if (shown === null) return problem(401, 'unauthorized', 'send an API key as X-Api-Key, or the operator token')
    return jsonAnswer({ data: shown.map(key => key.usage()), nextCursor: null })
  })
}
