import { claimableWithUsd } from '#domain/usd.ts'
import { jsonAnswer } from '#gateway/answer.ts'
import { address, required } from '#gateway/parameters.ts'
import { tokenNotFound } from '#gateway/problem.ts'
import { type Route, resource } from '#gateway/route.ts'
import type { Sources } from '#gateway/sources.ts'

const PARAMETERS = { address: required(address), creator: required(address) }

export function claimableRoute({ config, reads, ethUsd }: Pick<Sources, 'config' | 'reads' | 'ethUsd'>): Route {
  return resource(
    { path: '/api/tokens/:address/claimable', parameters: PARAMETERS, cacheControl: 'revalidate' },
    async ({ address, creator }) => {
      const claimable = await reads.claimable(address, creator)
      if (claimable === null) return tokenNotFound(address)
      return jsonAnswer(claimableWithUsd(claimable, ethUsd.ethUsd(), config.launchpads.weth))
    },
  )
}
