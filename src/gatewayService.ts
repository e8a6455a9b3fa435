import { setTimeout as delay } from 'node:timers/promises'
import type { MikroORM } from '@mikro-orm/postgresql'
import type { BlockFeed } from '#bus/blockFeed.ts'
import { createIndexerStatus } from '#bus/indexerStatus.ts'
import { createNatsFeed } from '#bus/natsFeed.ts'
import { createNotifyFeed } from '#bus/notifyFeed.ts'
import { openNats } from '#bus/openNats.ts'
import { openReplica } from '#bus/openReplica.ts'
import { monotonicMs as now } from '#clock'
import type { Config } from '#config'
import { TokenwireError } from '#errors'
import type { IndexerView } from '#gateway/sources.ts'
import { toDatabaseError } from '#store/connection/databaseErrors.ts'
import { createOrm } from '#store/connection/orm.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { readIdentity, type StoredIdentity } from '#store/rows/identity.ts'
import type { ServeOptions } from './serve.ts'
import type { ServiceOptions } from './service.ts'

/** Then the process ends, and its supervisor starts it again. A stop that is requested meanwhile waits as long. */
const MOST_WAIT_MS = 5_000
const ASK_AGAIN_MS = 250

export interface GatewayOptions extends Pick<ServiceOptions, 'config' | 'redactor' | 'logger'> {
  readonly onStop: ServeOptions['onStop']
  /** Ends the connections to the database when a stop takes too long. */
  readonly giveUp: AbortSignal
  /** Of a standby: what its own indexing says, once it indexes, and receives. */
  readonly indexing?: { view(): ServeOptions['indexer'] | null; readonly onPrice: ServeOptions['onPrice'] }
}

export interface StartedGateway {
  readonly url: string
  readonly databaseUrl: string
  readonly reading: MikroORM
}

/**
 * Starts a gateway: it serves what an indexer writes into the same database, and writes nothing itself.
 *
 * @throws `TokenwireError` with the reason
 */
export async function startGateway({ config, redactor, logger, onStop, giveUp, indexing }: GatewayOptions): Promise<StartedGateway> {
  const { databaseUrl } = config
  if (databaseUrl === null) throw new TypeError('a gateway without DATABASE_URL is refused by the configuration')
  const reading = createOrm(databaseUrl, logger, { applicationName: 'tokenwire-reads', statementTimeoutMs: 10_000, giveUp })
  onStop(() => reading.close(true))
  const loading = import('./serve.ts')
  const primary = reading.em.getKysely<unknown>()
  const { chainId, weth, launchpads } = await prepared(primary, config)
  const replica = config.databaseReadUrl === null ? null : await openReplica(config.databaseReadUrl, { primary, logger, now, onStop })
  const db = replica?.db ?? primary
  const reported = createIndexerStatus(() => feed.health(), now)
  const nats = await openNats(config, logger)
  const options = { databaseUrl, db, ...(replica && { replica }), chainId, logger, now, onReport: reported.update }
  const feed: BlockFeed = nats === null ? createNotifyFeed(options) : createNatsFeed({ ...options, nats })
  const { serve } = await loading
  const url = await serve({
    config: { ...config, launchpads: { weth, launchpads } },
    logger,
    redactor,
    db,
    chainId,
    feed,
    indexer: indexerView(reported, indexing?.view),
    onPrice: indexing?.onPrice ?? (() => undefined),
    onStop,
  })
  return { url, databaseUrl, reading }
}

/** What the indexer reports, until this process indexes itself. */
function indexerView(reported: IndexerView, own: (() => ServeOptions['indexer'] | null) | undefined): ServeOptions['indexer'] {
  if (own === undefined) return reported
  return {
    state: () => (own() ?? reported).state(),
    chain: () => (own() ?? reported).chain(),
    isStandby: () => own() === null,
    metadata: () => own()?.metadata?.() ?? null,
    eventLoop: () => own()?.eventLoop?.() ?? null,
  }
}

/** Waits a little for an indexer to prepare the database, as when both start together. */
async function prepared(db: Queryable, config: Config): Promise<StoredIdentity> {
  const untilMs = now() + MOST_WAIT_MS
  for (;;) {
    const identity = await readIdentity(db).catch((error: unknown) => {
      throw toDatabaseError(error)
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
