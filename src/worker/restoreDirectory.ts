import type { Address, Hex } from '#domain/address.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import { configuredSources, createDirectory, type Directory } from '#launchpads/directory/directory.ts'
import { KnownSources } from '#launchpads/directory/knownSources.ts'
import { NO_ROW, PackedTable } from '#launchpads/directory/packedTable.ts'
import { positionKey } from '#launchpads/logSource.ts'
import type { Transaction } from '#store/connection/transaction.ts'
import { announcedContracts, type PackedPools, readOneState, watchedPools, watchedTokens } from '#store/rows/watchRows.ts'

const ADDRESS_BYTES = 20
const BLOCK_BYTES = 8

/** Where the sources of some launchpads are read. */
export interface DirectoryPart {
  readonly transaction: Transaction
  /** The launchpads to read; `null`: all that are there. */
  readonly launchpads: ReadonlySet<string> | null
}

/** The directory as it was after the last commit. Reads every token and pool. */
export function restoreDirectory(adapters: readonly LaunchpadAdapter[], transaction: Transaction): Promise<Directory> {
  return restoreDirectoryOf(adapters, [{ transaction, launchpads: null }])
}

/** The directory of the launchpads of several indexes. */
export async function restoreDirectoryOf(adapters: readonly LaunchpadAdapter[], parts: readonly DirectoryPart[]): Promise<Directory> {
  const configured = [...configuredSources(adapters).keys()]
  const known = new KnownSources()
  const lockers = new Map(adapters.map(({ launchpad, lpPositions }) => [launchpad, lpPositions?.locker]))
  for (const part of parts) await readPart(part, { configured, known, lockers })
  for (const key of configured) known.remove(key)
  return createDirectory(adapters, known)
}

interface ReadInto {
  readonly configured: readonly Hex[]
  readonly known: KnownSources
  readonly lockers: ReadonlyMap<string, Address | undefined>
}

function readPart({ transaction, launchpads }: DirectoryPart, { configured, known, lockers }: ReadInto): Promise<void> {
  const isWanted = (launchpad: string) => launchpads?.has(launchpad) ?? true
  const decimals = new PackedTable(ADDRESS_BYTES, 1)
  return transaction(async db => {
    await readOneState(db)
    for await (const { launchpad, role, records } of announcedContracts(db)) {
      if (isWanted(launchpad)) known.putAll({ like: { role, launchpad }, keyBytes: ADDRESS_BYTES, records })
    }
    for await (const { launchpad, decimals: ofTokens, records } of watchedTokens(db)) {
      if (!isWanted(launchpad)) continue
      for (let at = 0; at < records.length; at += 2 * ADDRESS_BYTES + BLOCK_BYTES) {
        decimals.setValue(decimals.addBytes(records, at), 0, ofTokens)
      }
      known.putAll({
        like: { role: 'token', launchpad, token: hexAt(records, 0, ADDRESS_BYTES) as Address },
        keyBytes: ADDRESS_BYTES,
        records,
      })
    }
    // Put after the tokens: the curve becomes the source of a token that is its own curve.
    for await (const pools of watchedPools(db, configured)) {
      if (isWanted(pools.launchpad)) putPools(pools, known, decimals, lockers.get(pools.launchpad))
    }
  })
}

function putPools(pools: PackedPools, known: KnownSources, decimals: PackedTable, locker: Address | undefined): void {
  const { launchpad, type, quoteToken, tokenIsToken0, feeBps, isToken, keyBytes, records } = pools
  const recordBytes = keyBytes + ADDRESS_BYTES + BLOCK_BYTES
  const positionIds = pools.positionIds?.split(',') ?? []
  const poolAt = (at: number) => ({ address: hexAt(records, at, keyBytes), type, quoteToken, tokenIsToken0, feeBps })
  const tokenAt = (at: number) => hexAt(records, at + keyBytes, ADDRESS_BYTES) as Address
  const decimalsAt = (at: number) => {
    const row = decimals.findBytes(records, at + keyBytes)
    if (row === NO_ROW) throw new TypeError(`pool ${hexAt(records, at, keyBytes)} is of a token that is not indexed`)
    return decimals.value(row, 0)
  }
  for (let from = 0, to = 0; from < records.length; from = to) {
    const tokenDecimals = decimalsAt(from)
    for (to = from + recordBytes; to < records.length && decimalsAt(to) === tokenDecimals; ) to += recordBytes
    const role = isToken ? 'tokenCurve' : 'pool'
    const like = { role, launchpad, token: tokenAt(from), pool: poolAt(from), tokenDecimals } as const
    known.putAll({ like, keyBytes, records: records.subarray(from, to) })
  }
  if (locker === undefined || isToken) return
  for (const [index, id] of positionIds.entries()) {
    const at = index * recordBytes
    const source = { role: 'position', launchpad, token: tokenAt(at), pool: poolAt(at) } as const
    const block = Number(records.readBigUInt64BE(at + keyBytes + ADDRESS_BYTES))
    known.put({ key: positionKey(locker, BigInt(id)), source, block })
  }
}

function hexAt(bytes: Buffer, at: number, length: number): Hex {
  return `0x${bytes.toString('hex', at, at + length)}`
}
