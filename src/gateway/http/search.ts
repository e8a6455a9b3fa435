import { withUsd } from '#domain/usd.ts'
import { jsonAnswer } from '#gateway/answer.ts'
import { integer, required, text, withDefault } from '#gateway/parameters.ts'
import { type Route, resource } from '#gateway/route.ts'
import type { Sources } from '#gateway/sources.ts'

const PARAMETERS = { q: required(text(100)), limit: withDefault(integer(1, 50), 20) }

export function searchRoute({ reads, ethUsd }: Pick<Sources, 'reads' | 'ethUsd'>): Route {
  return resource({ path: '/api/search', parameters: PARAMETERS, cacheControl: 'seconds' }, async query => {
    const tokens = await reads.search(query)
    const price = ethUsd.ethUsd()
    return jsonAnswer({ data: tokens.map(token => withUsd(token, price)), nextCursor: null })
  })
}
