import type { Logger } from 'pino'
import type { Address } from '#domain/address.ts'
import { createOrm } from '#store/connection/orm.ts'
import { toStartError } from '#store/connection/startError.ts'
import { requireChain } from '#store/rows/cursor.ts'
import type { ConnectedChain } from './connectChain.ts'
import { requireLaunchpads } from './requireLaunchpads.ts'

export interface CheckDatabaseOptions {
  readonly databaseUrl: string
  readonly chain: Pick<ConnectedChain, 'chainId' | 'genesisHash' | 'launchpads'>
  readonly weth: Address
  readonly logger: Logger
}

/**
 * Finds out at the start of a standby what would prevent it from indexing later.
 *
 * @throws `TokenwireError` `database_foreign`, `database_unavailable`
 */
export async function checkDatabase({ databaseUrl, chain, weth, logger }: CheckDatabaseOptions): Promise<void> {
  const orm = createOrm(databaseUrl, logger, { poolSize: 1 })
  const { chainId, genesisHash, launchpads } = chain
  try {
    requireLaunchpads(await requireChain(orm.em.getKysely<unknown>(), { chainId, genesisHash, weth }), launchpads)
  } catch (error) {
    throw toStartError(error, { url: databaseUrl, setting: 'DATABASE_URL' })
  } finally {
    await orm.close(true)
  }
}
