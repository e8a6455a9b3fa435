import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import { createDirectory, type Directory, type IndexedDiscovery, positionKey } from '#launchpads/directory.ts'
import type { PoolFacts } from '#launchpads/tokenEvent.ts'
import type { WatchRows } from '#store/rows/watchRows.ts'

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
  const lockers = new Map(adapters.map(({ launchpad, positions }) => [launchpad, positions?.locker]))
  const pools = rows.pools.flatMap((row): readonly IndexedDiscovery[] => {
    const { address, token, launchpad, positionId, createdBlock: block } = row
    const pool = poolFacts(row)
    const tokenDecimals = decimals.get(token)
    if (tokenDecimals === undefined) throw new TypeError(`pool ${address} is of a token that is not indexed`)
    const role = address === token ? 'tokenCurve' : 'pool'
    const watched: IndexedDiscovery = { address, watched: { role, launchpad, token, pool, tokenDecimals }, block }
    const locker = lockers.get(launchpad)
    if (locker === undefined || positionId === null) return [watched]
    return [watched, { address: positionKey(locker, positionId), watched: { role: 'position', launchpad, token, pool }, block }]
  })
  // Pools first: a token that is its own curve is watched as both.
  return createDirectory(adapters, [...pools, ...tokens])
}

function poolFacts({ address, type, quoteToken, quoteDecimals, tokenIsToken0, feeBps, positionId }: WatchRows['pools'][number]): PoolFacts {
  return { address, type, quoteToken, quoteDecimals, tokenIsToken0, feeBps, ...(positionId !== null && { positionId }) }
}
