import type { Logger } from 'pino'
import type { BlockFeed } from '#bus/blockFeed.ts'
import type { IndexerStatus } from '#bus/indexerStatus.ts'
import { createNatsFeed } from '#bus/natsFeed.ts'
import { createNotifyFeed } from '#bus/notifyFeed.ts'
import { openNats } from '#bus/openNats.ts'
import { openReplica } from '#bus/openReplica.ts'
import { monotonicMs as now } from '#clock'
import type { Config } from '#config'
import type { IndexerView } from '#gateway/http/sources.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import type { OpenGatewayOptions } from './openGateway.ts'

export interface DatabaseCarrierOptions {
  readonly config: Pick<Config, 'databaseReadUrl' | 'nats'>
  readonly databaseUrl: string
  readonly primary: Queryable
  readonly chainId: number
  /** Receives the indexer's reports on itself. */
  readonly reported: IndexerStatus
  readonly logger: Logger
  readonly onStop: (stop: () => Promise<void> | void) => void
}

export interface DatabaseCarrier {
  /** Where to read: the replica, if there is one. */
  readonly db: Queryable
  readonly feed: BlockFeed
}

/**
 * Opens what a gateway needs to receive another process's commits.
 *
 * @throws `TokenwireError` with the reason
 */
export async function openDatabaseCarrier(options: DatabaseCarrierOptions): Promise<DatabaseCarrier> {
  const { config, databaseUrl, primary, chainId, reported, logger, onStop } = options
  const replica = config.databaseReadUrl === null ? null : await openReplica(config.databaseReadUrl, { primary, logger, now, onStop })
  const db = replica?.db ?? primary
  const nats = await openNats(config, logger)
  const common = {
    databaseUrl,
    db,
    ...(replica && { replica }),
    chainId,
    logger,
    now,
    onReport: reported.update,
    onNewest: reported.committed,
  }
  const feed: BlockFeed = nats === null ? createNotifyFeed(common) : createNatsFeed({ ...common, nats })
  return { db, feed }
}

/** What the indexer reports, until this process indexes itself. */
export function indexerView(
  reported: IndexerView,
  own: (() => OpenGatewayOptions['indexer'] | null) | undefined,
): OpenGatewayOptions['indexer'] {
  if (own === undefined) return reported
  return {
    state: () => (own() ?? reported).state(),
    chain: () => (own() ?? reported).chain(),
    isStandby: () => own() === null,
    metadata: () => own()?.metadata?.() ?? null,
    skippedLogs: () => own()?.skippedLogs?.() ?? [],
    eventLoop: () => own()?.eventLoop?.() ?? null,
  }
}
