import { setTimeout as delay } from 'node:timers/promises'
import type { MikroORM } from '@mikro-orm/postgresql'
import type { Kysely } from 'kysely'
import { monotonicMs as now } from '#clock'
import { TokenwireError } from '#errors'
import { createOrm } from '#store/connection/orm.ts'
import { requireDatabase } from '#store/connection/requireDatabase.ts'
import { toStartError } from '#store/connection/startError.ts'
import { readIdentity, type StoredIdentity } from '#store/rows/identity.ts'
import { indexerView, openDatabaseCarrier } from './databaseCarrier.ts'
import { type ServeOptions, serve } from './serve.ts'
import type { RoleOptions, StartedRole } from './serviceOptions.ts'

/** After this wait the process ends, and its supervisor starts it again. A stop that is requested meanwhile waits as long. */
const MAX_WAIT_MS = 5_000
const ASK_AGAIN_MS = 250

export interface GatewayOptions extends RoleOptions {
  /** Only for a standby: the view of its own indexing, once it indexes, and the receiver of prices. */
  readonly indexing?: {
    view(): ServeOptions['indexer'] | null
    readonly onPrice: ServeOptions['onPrice']
  }
}

export interface StartedGateway extends StartedRole {
  readonly reading: MikroORM
}

/**
 * Starts a gateway: it serves what an indexer writes into the same database, and writes nothing itself.
 *
 * @throws `TokenwireError` with the reason
 */
export async function startGateway(options: GatewayOptions): Promise<StartedGateway> {
  const { config, logger, onStop, giveUp, indexing } = options
  const { databaseUrl } = config
  if (databaseUrl === null) throw new TypeError('a gateway without DATABASE_URL is refused by the configuration')
  const reading = createOrm(databaseUrl, logger, { applicationName: 'tokenwire-reads', statementTimeoutMs: 10_000, giveUp })
  onStop(() => reading.close(true))
  const primary = reading.em.getKysely<unknown>()
  const { chainId, weth, launchpads } = await prepared(primary, databaseUrl, options)
  const known = { ...options, config: { ...config, launchpads: { weth, launchpads } }, chainId }
  const onPrice = indexing?.onPrice ?? (() => undefined)
  const carrier = await openDatabaseCarrier({ ...known, databaseUrl, primary })
  const indexer = indexerView(carrier.reported, indexing?.view)
  const url = await serve({ ...known, databaseUrl, db: carrier.db, feed: carrier.feed, indexer, onPrice })
  return { url, databaseUrl, reading }
}

/** Waits a little for an indexer to prepare the database, as when both start together. */
async function prepared(db: Kysely<unknown>, url: string, { config, logger }: RoleOptions): Promise<StoredIdentity> {
  const untilMs = now() + MAX_WAIT_MS
  await requireDatabase(db, { url, use: 'serve', logger })
  for (;;) {
    const identity = await readIdentity(db).catch((error: unknown) => {
      throw toStartError(error, { url, setting: 'DATABASE_URL' })
    })
    if (identity !== null) {
      if (config.chainId === null || config.chainId === identity.chainId) return identity
      throw new TokenwireError(
        'chain_mismatch',
        `CHAIN_ID: expected chain ${config.chainId}, and the database is of chain ${identity.chainId}`,
      )
    }
    if (now() > untilMs) {
      throw new TokenwireError(
        'database_unavailable',
        'DATABASE_URL: no indexer (ROLE=indexer) of this version has prepared this database yet',
        {
          retryable: true,
        },
      )
    }
    await delay(ASK_AGAIN_MS)
  }
}
