import { z } from 'zod'
import { claimableWithUsd } from '#domain/usd.ts'
import { jsonAnswer } from '#gateway/answer.ts'
import { addressParameter, tokenParameter } from '#gateway/parameters.ts'
import { tokenNotFound } from '#gateway/problem.ts'
import { type Route, resource } from '#gateway/route.ts'
import type { Sources } from '#gateway/sources.ts'

const parameters = z.object({
  address: tokenParameter,
  creator: addressParameter.describe('The account whose claims are listed.'),
})

export function claimableRoute({ config, reads, ethUsd }: Pick<Sources, 'config' | 'reads' | 'ethUsd'>): Route {
  return resource({ path: '/api/tokens/:address/claimable', parameters, cacheControl: 'revalidate' }, async ({ address, creator }) => {
    const claimable = await reads.claimable(address, creator)
    if (claimable === null) return tokenNotFound(address)
    return jsonAnswer(claimableWithUsd(claimable, ethUsd.ethUsd(), config.launchpads.weth))
  })
}
