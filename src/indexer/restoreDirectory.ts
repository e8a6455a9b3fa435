import type { WatchRows } from '#database/watchRows.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import { createDirectory, type Directory, type IndexedDiscovery } from '#launchpads/directory.ts'

/** The directory as it was after the last commit. */
export function restoreDirectory(adapters: readonly LaunchpadAdapter[], rows: WatchRows): Directory {
  const decimals = new Map(rows.tokens.map(token => [token.address, token.decimals]))
  const tokens = rows.tokens.map(
    ({ address, launchpad, createdBlock }): IndexedDiscovery => ({
      address,
      watched: { role: 'token', launchpad, token: address },
      block: createdBlock,
    }),
  )
  const pools = rows.pools.map(
    ({ address, token, launchpad, type, quoteToken, quoteDecimals, tokenIsToken0, feeBps, createdBlock }): IndexedDiscovery => {
      const pool = { address, type, quoteToken, quoteDecimals, tokenIsToken0, feeBps }
      const tokenDecimals = decimals.get(token)
      if (tokenDecimals === undefined) throw new TypeError(`pool ${address} is of a token that is not indexed`)
      const role = address === token ? 'tokenCurve' : 'pool'
      return { address, watched: { role, launchpad, token, pool, tokenDecimals }, block: createdBlock }
    },
  )
  // Pools first: a token that is its own curve is watched as both.
  return createDirectory(adapters, [...pools, ...tokens])
}
