import { z } from 'zod'
import { withUsd } from '#domain/usd.ts'
import { jsonAnswer } from '#gateway/answer.ts'
import { integerParameter, textParameter } from '#gateway/parameters.ts'
import { type Route, resource } from '#gateway/route.ts'
import type { Sources } from '#gateway/sources.ts'

const parameters = z.object({
  q: textParameter(100).describe('Part of a symbol or name, or the beginning of an address.'),
  limit: integerParameter(1, 50).default(20).describe('Most tokens returned.'),
})

export function searchRoute({ reads, ethUsd }: Pick<Sources, 'reads' | 'ethUsd'>): Route {
  return resource({ path: '/api/search', parameters, cacheControl: 'seconds' }, async query => {
    const tokens = await reads.search(query)
    const price = ethUsd.ethUsd()
    return jsonAnswer({ data: tokens.map(token => withUsd(token, price)), nextCursor: null })
  })
}
