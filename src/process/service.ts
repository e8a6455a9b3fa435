import type { MikroORM } from '@mikro-orm/postgresql'
import type { Logger } from 'pino'
import { announceReports } from '#bus/indexerReport.ts'
import { openNatsOutlet } from '#bus/openNats.ts'
import { createThreadFeed } from '#bus/threadFeed.ts'
import type { Config } from '#config'
import { TokenwireError } from '#errors'
import { describeHolder, LOCKS, type LockHolder } from '#store/connection/advisoryLocks.ts'
import { createOrm } from '#store/connection/orm.ts'
import { holdSessionLock, type SessionLockInput } from '#store/connection/sessionLock.ts'
import { DATABASE_PATIENCE_MS } from '#store/connection/silence.ts'
import { startEmbedded } from '#store/embedded/startEmbedded.ts'
import { migrate } from '#store/migrations/migrate.ts'
import type { Redactor } from '#telemetry/redactor.ts'
import { secretsOf } from '#telemetry/secrets.ts'
import type { WriteLock } from '#telemetry/writeLock.ts'
import type { StartedThread } from '#worker/startIndexing.ts'

export interface ServiceOptions {
  readonly config: Config
  readonly redactor: Redactor
  readonly logger: Logger
  /** Called when the service can not go on. It is to be stopped then. */
  readonly onFailure: (error: TokenwireError) => void
  /** Called when a thread has ended by itself, with its error. It ends the process. */
  readonly onCrash: (error: unknown) => void
  /** Shared by all threads that log. */
  readonly writeLock: WriteLock
  /** Has not opened the database yet. Closed by `stop`, and when the start fails. `null`: for a gateway. */
  readonly thread: StartedThread | null
}

export interface RunningService {
  readonly url: string
  /** Contains the password. */
  readonly databaseUrl: string
  /** Stops everything in reverse order of its start. */
  stop(): Promise<void>
}

type Stops = (() => Promise<void> | void)[]

/**
 * Starts the service in order: database, chain, actors, gateway, indexing. Each step needs the ones before it.
 *
 * @throws `TokenwireError` with the reason; everything started before is stopped
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const stops: Stops = []
  const impatience = new AbortController()
  const stop = async () => {
    const late = setTimeout(() => {
      options.logger.warn({ afterMs: DATABASE_PATIENCE_MS }, 'stopping takes long; the connections to the database are ended')
      impatience.abort()
    }, DATABASE_PATIENCE_MS)
    try {
      for (const step of stops.splice(0).reverse()) await step()
    } finally {
      clearTimeout(late)
    }
  }
  try {
    return { ...(await startSteps(options, stops, impatience.signal)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startSteps(options: ServiceOptions, stops: Stops, giveUp: AbortSignal): Promise<Omit<RunningService, 'stop'>> {
  const { thread } = options
  if (thread === null) {
    const { startGateway } = await import('./gatewayService.ts')
    return startGateway({ ...options, giveUp, onStop: stop => void stops.push(stop) })
  }
  stops.push(() => thread.close())
  // Loading it takes as long as creating a database.
  const loading = import('./serve.ts')
  const onStop = (stop: () => Promise<void> | void) => void stops.push(stop)
  const opened = await openDatabase(options, stops, giveUp)
  if (opened.isTaken) {
    const { startStandby } = await import('./standbyService.ts')
    return startStandby({ ...options, giveUp, thread, lock: opened.lock, onStop })
  }
  const { databaseUrl, reading } = opened
  stops.push(() => thread.close())
  const indexing = await thread.open(databaseUrl)
  if (options.config.standby) void indexing.replaced.then(() => options.onFailure(replaced()))
  const { serve } = await loading
  const { chainId, launchpads, view } = indexing
  const db = reading.em.getKysely<unknown>()
  onStop(announceReports(db, () => ({ state: view.state(), chain: view.chain() })))
  const outlet = await openNatsOutlet({ config: options.config, chainId, db, logger: options.logger, onStop })
  const config = { ...options.config, launchpads: { weth: options.config.launchpads.weth, launchpads } }
  const known = { ...options, config, chainId, onPrice: indexing.priced, onStop }
  if (config.gatewayThreads > 1) {
    const { serveInThreads } = await import('./gatewayThreads.ts')
    const url = await serveInThreads({ ...known, databaseUrl, carrier: 'thread', connect: thread.connect })
    onStop(() => indexing.stop())
    indexing.blocks.subscribe(block => outlet?.publish(block))
    return { url, databaseUrl }
  }
  const url = await serve({ ...known, databaseUrl, db, feed: createThreadFeed(indexing), indexer: view })
  if (outlet !== null) indexing.blocks.subscribe(outlet.publish)
  return { url, databaseUrl }
}

type OpenedDatabase =
  | { readonly isTaken: false; readonly databaseUrl: string; readonly reading: MikroORM }
  /** Another process indexes into it, and this one is a standby. */
  | { readonly isTaken: true; readonly lock: SessionLockInput }

async function openDatabase(
  { config, redactor, logger, onFailure }: ServiceOptions,
  stops: Stops,
  giveUp: AbortSignal,
): Promise<OpenedDatabase> {
  let { databaseUrl } = config
  if (databaseUrl === null) {
    const embedded = await startEmbedded({ dataDir: config.dataDir, logger, onLost: () => onFailure(embeddedLost()) })
    stops.push(() => embedded.stop())
    databaseUrl = embedded.url
    redactor.add(secretsOf({ databaseUrl }))
  }
  await migrate(databaseUrl, logger)
  const lock: SessionLockInput = {
    url: databaseUrl,
    key: LOCKS.writer,
    applicationName: 'tokenwire-writer',
    what: 'the right to index into the database',
    logger,
    giveUp,
    // Starts again as the other one's standby.
    ...(config.standby && { onTakenAway: holder => onFailure(taken(holder)) }),
  }
  const outcome = await holdSessionLock(lock)
  if (outcome.lock === null) {
    if (config.standby) return { isTaken: true, lock }
    throw taken(outcome.holder, '; stop it first')
  }
  stops.push(() => outcome.lock.release())
  const reading = createOrm(databaseUrl, logger, { applicationName: 'tokenwire-reads', statementTimeoutMs: 10_000, giveUp })
  stops.push(() => reading.close(true))
  return { isTaken: false, databaseUrl, reading }
}

function taken(holder: LockHolder, remedy = ''): TokenwireError {
  const sentence = `DATABASE_URL: another running Tokenwire indexes into this database${remedy} (${describeHolder(holder)})`
  return new TokenwireError('database_taken', sentence, { retryable: true })
}

/** This process lost its lock for a while, in which another one has committed. */
export function replaced(): TokenwireError {
  const sentence = 'DATABASE_URL: another Tokenwire has indexed into this database meanwhile; this process has to start again'
  return new TokenwireError('database_taken', sentence, { retryable: true })
}

function embeddedLost(): TokenwireError {
  const sentence = 'embedded PostgreSQL is gone and does not start again; see postgres.log in DATA_DIR'
  return new TokenwireError('database_unavailable', sentence, { retryable: true })
}
