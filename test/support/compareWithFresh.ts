import type { Directory } from '#launchpads/directory/directory.ts'
import { readSnapshots } from '#store/reads/snapshots.ts'
import type { TestDatabase } from './database.ts'
import { dumpTables } from './indexChain.ts'
import type { SimulatedChain } from './simulatedChain.ts'
import { cursorOf, indexAtOnce, readDirectory, watchedKeys } from './simulatedIndex.ts'
import { START_BLOCK } from './simulatedLaunchpad.ts'
import { type TokenWatcher, withoutReorgs } from './tokenWatcher.ts'

interface Compared {
  readonly indexed: TestDatabase
  /** Empty: the chain is indexed into it at once. */
  readonly fresh: TestDatabase
  readonly chain: SimulatedChain
  /** Of the process that has indexed; `undefined`: none lives. */
  readonly directory: Directory | undefined
  readonly watcher: TokenWatcher
}

/** Compares what an index, its process and a client of all tokens hold at the end with a fresh index of the same blocks. */
export async function compareWithFresh(
  { indexed, fresh, chain, directory, watcher }: Compared,
  expectEqual: (a: unknown, b: unknown) => void,
): Promise<void> {
  await indexAtOnce(fresh, chain, (await cursorOf(indexed.kysely))?.number ?? START_BLOCK)
  expectEqual(await dumpTables(indexed.kysely), await dumpTables(fresh.kysely))
  expectEqual(directory && watchedKeys(directory), watchedKeys(await readDirectory(indexed)))
  const held = [...watcher.held.keys()].toSorted()
  expectEqual(
    held.map(token => withoutReorgs(watcher.held.get(token))),
    (await readSnapshots(indexed.kysely, { chainId: 1, addresses: held }))
      .toSorted((a, b) => (a.token.address < b.token.address ? -1 : 1))
      .map(withoutReorgs),
  )
}
