import type { Address } from '#domain/address.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import { configuredSources, createDirectory, type Directory } from '#launchpads/directory.ts'
import { KnownSources } from '#launchpads/knownSources.ts'
import { type IndexedSource, poolSource, positionKey, tokenSource } from '#launchpads/logSource.ts'
import { NO_ROW, PackedTable } from '#launchpads/packedTable.ts'
import type { Transaction } from '#store/connection/transaction.ts'
import { announcedContracts, type WatchedPoolRow, watchedPools, watchedTokens } from '#store/rows/watchRows.ts'

/** The directory as it was after the last commit. Reads every token and pool. */
export function restoreDirectory(adapters: readonly LaunchpadAdapter[], transaction: Transaction): Promise<Directory> {
  const configured = configuredSources(adapters)
  const known = new KnownSources()
  const put = (source: IndexedSource) => {
    if (!configured.has(source.key)) known.put(source)
  }
  const lockers = new Map(adapters.map(({ launchpad, lpPositions }) => [launchpad, lpPositions?.locker]))
  const decimals = new PackedTable(20, 1)
  return transaction(async db => {
    for await (const { address, launchpad, role, createdBlock: block } of announcedContracts(db)) {
      put({ key: address, source: { role, launchpad }, block })
    }
    for await (const { address, launchpad, decimals: ofToken, createdBlock: block } of watchedTokens(db)) {
      decimals.setValue(decimals.add(address), 0, ofToken)
      put({ ...tokenSource(launchpad, address), block })
    }
    // After the tokens: of a token that is its own curve, the source is the curve.
    for await (const pool of watchedPools(db)) {
      if (configured.has(pool.address)) continue
      const row = decimals.find(pool.token)
      if (row === NO_ROW) throw new TypeError(`pool ${pool.address} is of a token that is not indexed`)
      for (const source of sourcesOf(pool, decimals.value(row, 0), lockers.get(pool.launchpad))) put(source)
    }
    return createDirectory(adapters, known)
  })
}

function sourcesOf(row: WatchedPoolRow, tokenDecimals: number, locker: Address | undefined): readonly IndexedSource[] {
  const { address, token, launchpad, positionId, createdBlock: block, type, quoteToken, tokenIsToken0, feeBps } = row
  const pool = { address, type, quoteToken, tokenIsToken0, feeBps }
  if (address === token) return [{ key: token, source: { role: 'tokenCurve', launchpad, token, pool, tokenDecimals }, block }]
  const itself = { ...poolSource(launchpad, token, pool, tokenDecimals), block }
  if (locker === undefined || positionId === null) return [itself]
  return [itself, { key: positionKey(locker, BigInt(positionId)), source: { role: 'position', launchpad, token, pool }, block }]
}
