import { jsonAnswer } from '#gateway/answer.ts'
import { type Route, resource } from '#gateway/route.ts'
import type { Sources } from '#gateway/sources.ts'

export function ethUsdRoute({ ethUsd }: Pick<Sources, 'ethUsd'>): Route {
  return resource({ path: '/api/market/eth-usd', cacheControl: 'revalidate' }, async () => jsonAnswer(await ethUsd.get()))
}
