import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { BlockFeed } from '#bus/blockFeed.ts'
import type { IndexerStatus } from '#bus/indexerStatus.ts'
import { monotonicMs as now } from '#clock'
import type { Config } from '#config'
import { withSchema } from '#domain/databaseUrl.ts'
import { TokenwireError } from '#errors'
import { followsSwitches, readCurrentSchema, readServedSchema } from '#store/connection/databaseSchema.ts'
import { createOrm } from '#store/connection/orm.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { requireDatabase } from '#store/connection/requireDatabase.ts'
import { toStartError } from '#store/connection/startError.ts'
import { readIdentity, type StoredIdentity } from '#store/rows/identity.ts'
import { openDatabaseCarrier } from './databaseCarrier.ts'
import type { Stop } from './serviceOptions.ts'

/** After this wait the process ends, and its supervisor starts it again. A stop that is requested meanwhile waits as long. */
const MAX_WAIT_MS = 5_000
const ASK_AGAIN_MS = 250

/** An index that a gateway serves: its identity, where to read it, and its commits. */
export interface ServedIndex {
  /** Its schema, if the process goes with `npm run db:switch`; `null`: the configuration names the schema. */
  readonly schema: string | null
  /** The name of its schema, in any case. */
  readonly schemaName: string
  readonly identity: StoredIdentity
  readonly primary: Kysely<unknown>
  /** Where to read: the replica, if there is one. */
  readonly db: Queryable
  /** Not started yet. */
  readonly feed: BlockFeed
  close(): Promise<void>
}

export interface ServedIndexOptions {
  readonly config: Pick<Config, 'chainId' | 'databaseReadUrl' | 'nats'>
  readonly databaseUrl: string
  readonly reported: IndexerStatus
  readonly giveUp: AbortSignal
  readonly logger: Logger
}

/**
 * Opens the index that is served now. Its connections stay with its schema, whichever is served later.
 *
 * @throws `TokenwireError` with the reason; nothing is left open then
 */
export async function openServedIndex(options: ServedIndexOptions): Promise<ServedIndex> {
  const { config, databaseUrl, reported, giveUp, logger } = options
  const stops: Stop[] = []
  const onStop = (stop: Stop) => void stops.push(stop)
  const close = async () => {
    for (const stop of stops.splice(0).reverse()) await stop()
  }
  const open = (url: string) => {
    const orm = createOrm(url, logger, { applicationName: 'tokenwire-reads', statementTimeoutMs: 10_000, giveUp })
    onStop(() => orm.close(true))
    return orm.em.getKysely<unknown>()
  }
  try {
    const follows = followsSwitches(databaseUrl)
    const anywhere = open(databaseUrl)
    const identity = await prepared(anywhere, databaseUrl, options)
    const schema = follows ? await readServedSchema(anywhere) : null
    const url = withSchema(databaseUrl, schema)
    const primary = schema === null ? anywhere : open(url)
    const readUrl = config.databaseReadUrl === null ? null : withSchema(config.databaseReadUrl, schema)
    const schemaName = schema ?? (await readCurrentSchema(primary))
    const carried = { config: { ...config, databaseReadUrl: readUrl }, databaseUrl: url, primary, chainId: identity.chainId, reported }
    const { db, feed } = await openDatabaseCarrier({ ...carried, logger, onStop })
    return { schema, schemaName, identity, primary, db, feed, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Waits a little for an indexer to prepare the database, as when both start together. */
async function prepared(db: Kysely<unknown>, url: string, { config, logger }: ServedIndexOptions): Promise<StoredIdentity> {
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
      const sentence = 'DATABASE_URL: no indexer (ROLE=indexer) of this version has prepared this database yet'
      throw new TokenwireError('database_unavailable', sentence, { retryable: true })
    }
    await delay(ASK_AGAIN_MS)
  }
}
