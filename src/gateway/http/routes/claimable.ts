import { z } from 'zod'
import { claimableWithUsd } from '#domain/usd.ts'
import { jsonAnswer } from '#gateway/http/answer.ts'
import { addressParameter, tokenParameter } from '#gateway/http/parameters.ts'
import { tokenNotFound } from '#gateway/http/problem.ts'
import { type Route, type RouteDescription, resource } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { claimableSchema } from '#protocol/schemas/resources.ts'

const parameters = z.object({
  address: tokenParameter,
  creator: addressParameter.describe('The account whose claims are listed.'),
})

const description: RouteDescription = {
  id: 'getClaimable',
  tag: 'Tokens',
  summary: 'What a creator can claim of a token’s fees, and the calls that pay it out',
  answer: claimableSchema,
  problems: ['token_not_found', 'data_unavailable'],
}

export function claimableRoute({ config, reads, ethUsd }: Pick<Sources, 'config' | 'reads' | 'ethUsd'>): Route {
  return resource(
    { path: '/api/tokens/:address/claimable', parameters, cacheControl: 'revalidate', keptUntil: () => 'commit', description },
    async ({ address, creator }) => {
      const claimable = await reads.claimable(address, creator)
      if (claimable === null) return tokenNotFound(address)
      return jsonAnswer(claimableWithUsd(claimable, ethUsd.ethUsd(), config.launchpads))
    },
  )
}
