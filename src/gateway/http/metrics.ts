import { type Route, resource } from '#gateway/route.ts'
import type { Sources } from '#gateway/sources.ts'

export function metricsRoute({ metrics }: Pick<Sources, 'metrics'>): Route {
  return resource({ path: '/metrics', cacheControl: 'never', access: 'operator' }, async () => ({
    kind: 'answer',
    status: '200 OK',
    headers: [['Content-Type', metrics.contentType]],
    body: await metrics.render(),
  }))
}
