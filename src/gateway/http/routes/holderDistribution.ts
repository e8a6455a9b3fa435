import { z } from 'zod'
import { jsonAnswer } from '#gateway/http/answer.ts'
import { tokenParameter } from '#gateway/http/parameters.ts'
import { tokenNotFound } from '#gateway/http/problem.ts'
import { type Route, type RouteDescription, resource } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { holderDistributionSchema } from '#protocol/schemas/resources.ts'

const parameters = z.object({ address: tokenParameter })

const description: RouteDescription = {
  id: 'getHolderDistribution',
  tag: 'Tokens',
  summary: 'How a token is spread over its holders: the ten largest, the creator, and holders by size',
  answer: holderDistributionSchema,
  problems: ['token_not_found', 'data_unavailable'],
}

export function holderDistributionRoute({ reads }: Pick<Sources, 'reads'>): Route {
  return resource(
    {
      path: '/api/tokens/:address/holders/distribution',
      parameters,
      cacheControl: 'revalidate',
      keptUntil: () => 'tokenChanges',
      description,
    },
    async ({ address }) => {
      const distribution = await reads.holderDistribution(address)
      return distribution === null ? tokenNotFound(address) : jsonAnswer(distribution)
    },
  )
}
