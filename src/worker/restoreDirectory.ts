import type { Hex } from '#domain/address.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import { createDirectory, type Directory } from '#launchpads/directory.ts'
import { type IndexedSource, poolSource, positionKey, tokenSource } from '#launchpads/logSource.ts'
import type { PoolFacts } from '#launchpads/tokenEvent.ts'
import type { WatchRows } from '#store/rows/watchRows.ts'

/** The directory as it was after the last commit. */
export function restoreDirectory(adapters: readonly LaunchpadAdapter[], rows: WatchRows): Directory {
  const decimals = new Map(rows.tokens.map(token => [token.address, token.decimals]))
  const tokens = rows.tokens.map(
    ({ address, launchpad, createdBlock: block }): IndexedSource => ({ ...tokenSource(launchpad, address), block }),
  )
  const lockers = new Map(adapters.map(({ launchpad, lpPositions }) => [launchpad, lpPositions?.locker]))
  const configured = new Set<Hex>(adapters.flatMap(({ quotePool }) => quotePool?.key ?? []))
  const pools = rows.pools.flatMap((row): readonly IndexedSource[] => {
    if (configured.has(row.address)) return []
    const { address, token, launchpad, positionId, createdBlock: block } = row
    const pool = poolFacts(row)
    const tokenDecimals = decimals.get(token)
    if (tokenDecimals === undefined) throw new TypeError(`pool ${address} is of a token that is not indexed`)
    if (address === token) return [{ key: token, source: { role: 'tokenCurve', launchpad, token, pool, tokenDecimals }, block }]
    const itself = { ...poolSource(launchpad, token, pool, tokenDecimals), block }
    const locker = lockers.get(launchpad)
    if (locker === undefined || positionId === null) return [itself]
    return [itself, { key: positionKey(locker, positionId), source: { role: 'position', launchpad, token, pool }, block }]
  })
  const contracts = rows.contracts.map(
    ({ address, launchpad, role, createdBlock: block }): IndexedSource => ({ key: address, source: { role, launchpad }, block }),
  )
  // Pools first: of a token that is its own curve, the source is the curve.
  return createDirectory(adapters, [...pools, ...tokens, ...contracts])
}

function poolFacts({ address, type, quoteToken, tokenIsToken0, feeBps, positionId }: WatchRows['pools'][number]): PoolFacts {
  return { address, type, quoteToken, tokenIsToken0, feeBps, ...(positionId !== null && { positionId }) }
}
