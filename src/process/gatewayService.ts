import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { coalesce } from '#async/coalesce.ts'
import { repeat } from '#async/pause.ts'
import { type BlockFeed, createMovingFeed } from '#bus/blockFeed.ts'
import { createNotifyFeed } from '#bus/databaseFeed.ts'
import { createIndexerStatus, type IndexerStatus } from '#bus/indexerReport.ts'
import { createNatsFeed } from '#bus/natsFeed.ts'
import { openNats } from '#bus/openNats.ts'
import { openReplica } from '#bus/replicaReads.ts'
import { monotonicMs as now } from '#clock'
import type { Config } from '#config'
import { readIfPresent } from '#configuration/environment.ts'
import { withSchema } from '#domain/databaseUrl.ts'
import { hasCode, TokenwireError } from '#errors'
import type { IndexerView } from '#gateway/http/sources.ts'
import { toStartError } from '#store/connection/databaseErrors.ts'
import { followsSwitches, type Queryable, readCurrentSchema, readServedSchema } from '#store/connection/databaseSchema.ts'
import { createOrm } from '#store/connection/orm.ts'
import { requireDatabase } from '#store/connection/requireDatabase.ts'
import { readIdentity, type StoredIdentity } from '#store/rows/identity.ts'
import { GATEWAY_PROCESS } from './gatewayProcess.ts'
import type { OpenGatewayOptions } from './openGateway.ts'
import type { RoleOptions, StartedRole, Stop } from './run.ts'
import { type Served, type ServeOptions, serve } from './serve.ts'
import { watchFile } from './watchFile.ts'
import { watchRefusal } from './watchRefusal.ts'
import { switchedError, watchServedSchema } from './watchServedSchema.ts'

const REREAD_EVERY_MS = 1_000

export interface GatewayOptions extends RoleOptions {
  /** Only for a standby: the view of its own indexing, once it indexes, and the receiver of prices. */
  readonly indexing?: {
    view(): ServeOptions['indexer'] | null
    readonly onPrice: ServeOptions['onPrice']
  }
}

export interface StartedGateway extends StartedRole, Pick<Served, 'ethUsd'> {
  /** The database that the indexer writes. */
  readonly primary: Queryable
  /** With the launchpads of the index at present. */
  readonly config: Config
  readonly chainId: number
}

/**
 * Starts a gateway: it serves what an indexer writes into the same database, and writes nothing itself. When `npm run db:switch` makes
 * another index the served one, it serves that, and its clients stay connected.
 *
 * @throws `TokenwireError` with the reason
 */
export async function startGateway(options: GatewayOptions): Promise<StartedGateway> {
  const { config, logger, giveUp, indexing, onStop, onFailure } = options
  const { databaseUrl } = config
  if (databaseUrl === null) throw new TypeError('a gateway without DATABASE_URL is refused by the configuration')
  const reported = createIndexerStatus(now)
  const open = () => openServedIndex({ config, databaseUrl, reported, giveUp, logger })
  let index: ServedIndex = await open()
  onStop(() => index.close())
  onStop(watchRefusal({ db: () => index.primary, onFailure }))
  const { chainId } = index.identity
  const feed = createMovingFeed(index.feed)
  const db: Queryable = { getExecutor: () => index.db.getExecutor() }

  const move = async (): Promise<void> => {
    const before = index
    const next = await open()
    const difference = movingProblem(before, next)
    if (difference !== null) {
      await next.close()
      throw difference
    }
    index = next
    await feed.moveTo(next.feed)
    await before.close()
    logger.info({ schema: next.schema, launchpads: next.identity.launchpads.map(({ name }) => name) }, 'serving another schema')
  }
  const { schema } = index
  if (schema !== null) {
    const onSwitch = async (served: string): Promise<void> => {
      if (indexing !== undefined) return onFailure(switchedError(served))
      await move().catch((error: unknown) => {
        if (!(error instanceof TokenwireError) || hasCode(error, 'database_unavailable')) throw error
        onFailure(error)
      })
    }
    onStop(watchServedSchema({ db: () => index.primary, current: () => index.schema ?? schema, onSwitch, logger }))
  }

  const reread = coalesce<null>(
    async () => {
      const { primary, identity } = index
      const newer = await readIdentity(primary)
      if (newer === null || index.primary !== primary || isDeepStrictEqual(newer, identity)) return
      index = { ...index, identity: newer }
      feed.outdate()
      logger.info({ launchpads: newer.launchpads.map(({ name }) => name) }, 'the index has other launchpads than before')
    },
    // Logged by the parts that need the database.
    () => undefined,
  )
  const endRereads = repeat(REREAD_EVERY_MS, () => reread.request(null))
  onStop(async () => {
    endRereads()
    reread.stop()
    await reread.settled()
  })
  if (indexing === undefined && process.env[GATEWAY_PROCESS] === undefined) onStop(warnOfEdits(config, logger))

  const live = withLiveLaunchpads(config, () => index.identity)
  const indexer = indexerView(reported, indexing?.view)
  const onPrice = indexing?.onPrice ?? (() => undefined)
  const { url, ethUsd } = await serve({
    ...options,
    config: live,
    chainId,
    schema: () => index.schemaName,
    databaseUrl,
    db,
    feed,
    indexer,
    onPrice,
  })
  return { url, databaseUrl, ethUsd, config: live, chainId, primary: { getExecutor: () => index.primary.getExecutor() } }
}

function warnOfEdits({ launchpadsFile: file }: Pick<Config, 'launchpadsFile'>, logger: Logger): () => void {
  const sentence = 'LAUNCHPADS_FILE has changed, and a gateway has the launchpads of the index: edit that of the process that indexes'
  return watchFile({ read: () => readIfPresent(file), onChanged: () => logger.warn({ file }, sentence) }).stop
}

/** Why a gateway can't go from one index to another with its clients; `null`: it can. */
function movingProblem(before: ServedIndex, { identity }: ServedIndex): TokenwireError | null {
  const { chainId, weth } = before.identity
  if (identity.chainId === chainId && identity.weth === weth) return null
  return new TokenwireError('database_foreign', `DATABASE_URL: the schema that is served now is of chain ${identity.chainId}`, {
    retryable: true,
  })
}

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
async function openDatabaseCarrier(options: DatabaseCarrierOptions): Promise<DatabaseCarrier> {
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
function indexerView(reported: IndexerView, own: (() => OpenGatewayOptions['indexer'] | null) | undefined): OpenGatewayOptions['indexer'] {
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

/** After this wait the process ends, and its supervisor starts it again. A stop that is requested meanwhile waits as long. */
const MAX_WAIT_MS = 5_000
const ASK_AGAIN_MS = 250

/** An index that a gateway serves: its identity, where to read it, and its commits. */
interface ServedIndex {
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
async function openServedIndex(options: ServedIndexOptions): Promise<ServedIndex> {
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

/** The configuration with the launchpads of the index, which may change while the process runs. */
export function withLiveLaunchpads(config: Config, launchpads: () => Config['launchpads']): Config {
  return Object.defineProperty({ ...config }, 'launchpads', { get: launchpads, enumerable: true })
}
