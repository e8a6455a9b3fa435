import process from 'node:process'
import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import { coalesce } from '#async/coalesce.ts'
import { repeat } from '#async/repeat.ts'
import { createIndexerStatus } from '#bus/indexerStatus.ts'
import { createMovingFeed } from '#bus/movingFeed.ts'
import { monotonicMs as now } from '#clock'
import type { Config } from '#config'
import { readIfPresent } from '#configuration/environment.ts'
import { hasCode, TokenwireError } from '#errors'
import type { Queryable } from '#store/connection/queryable.ts'
import { readIdentity } from '#store/rows/identity.ts'
import { indexerView } from './databaseCarrier.ts'
import { GATEWAY_PROCESS } from './gatewayProcess.ts'
import { withLiveLaunchpads } from './liveLaunchpads.ts'
import { type Served, type ServeOptions, serve } from './serve.ts'
import { openServedIndex, type ServedIndex } from './servedIndex.ts'
import type { RoleOptions, StartedRole } from './serviceOptions.ts'
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
