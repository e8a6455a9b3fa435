import type { Logger } from 'pino'
import type { LaunchpadsConfig } from '#config'
import { describeChanges } from '#launchpads/describePlan.ts'
import { planLaunchpads } from '#launchpads/planLaunchpads.ts'
import { createOrm } from '#store/connection/orm.ts'
import { toStartError } from '#store/connection/startError.ts'
import { requireChain } from '#store/rows/cursor.ts'
import { readListInForce } from '#store/rows/listInForce.ts'
import type { ConnectedChain } from './connectChain.ts'

export interface CheckDatabaseOptions {
  readonly databaseUrl: string
  readonly chain: Pick<ConnectedChain, 'chainId' | 'genesisHash' | 'launchpads'>
  readonly launchpads: LaunchpadsConfig
  readonly logger: Logger
}

/**
 * Finds out what would prevent a process from indexing later.
 *
 * @returns what `launchpads.json` would change in the index, a line per launchpad
 * @throws `TokenwireError` `database_foreign`, `database_unavailable`
 */
export async function checkDatabase({ databaseUrl, chain, launchpads, logger }: CheckDatabaseOptions): Promise<readonly string[]> {
  const orm = createOrm(databaseUrl, logger, { poolSize: 1 })
  const { chainId, genesisHash } = chain
  const { weth, pegUsd } = launchpads
  try {
    const db = orm.em.getKysely<unknown>()
    await requireChain(db, { chainId, genesisHash, weth })
    return describeChanges(planLaunchpads(await readListInForce(db), { launchpads: chain.launchpads, pegUsd }), null)
  } catch (error) {
    throw toStartError(error, { url: databaseUrl, setting: 'DATABASE_URL' })
  } finally {
    await orm.close(true)
  }
}
