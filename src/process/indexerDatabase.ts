import type { MikroORM } from '@mikro-orm/postgresql'
import { withSchema } from '#domain/databaseUrl.ts'
import { TokenwireError } from '#errors'
import { createOrm } from '#store/connection/orm.ts'
import { describeHolder, holdSessionLock, LOCKS, type LockHolder, type SessionLockInput } from '#store/connection/sessionLock.ts'
import { startEmbedded } from '#store/embedded/startEmbedded.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { secretsOf } from '#telemetry/redactor.ts'
import type { RoleOptions } from './run.ts'

export interface LockedDatabase {
  readonly databaseUrl: string
  readonly reading: MikroORM
}

type IndexerDatabase =
  | ({ readonly isTaken: false } & LockedDatabase)
  /** Another process indexes into it, and this one is a standby. */
  | { readonly isTaken: true; readonly lock: SessionLockInput }

/**
 * Starts the embedded PostgreSQL unless there is a `DATABASE_URL`, migrates the database, takes the writer's lock and connects for reads.
 *
 * @param loaded resolves when the modules are loaded. No connection is opened before, since loading blocks the event loop for longer than
 *   a connection may take to open
 * @throws `TokenwireError` `database_taken` when another process has the lock and this one is no standby; what `migrate` throws
 */
export async function openIndexerDatabase(options: RoleOptions, loaded: Promise<unknown>): Promise<IndexerDatabase> {
  const { config, logger, onFailure, onStop, giveUp } = options
  const databaseUrl = config.databaseUrl ?? withSchema(await startEmbeddedDatabase(options), config.schema)
  await loaded
  await migrate(databaseUrl, logger)
  const lock: SessionLockInput = {
    url: databaseUrl,
    key: LOCKS.writer,
    applicationName: 'tokenwire-writer',
    what: 'the right to index into the database',
    logger,
    giveUp,
    // The process then ends. When it is started again, it finds that the other process has the lock, and becomes its standby.
    ...(config.standby && { onTakenAway: holder => onFailure(lockTakenError(holder)) }),
  }
  const outcome = await holdSessionLock(lock)
  if (outcome.lock === null) {
    if (config.standby) return { isTaken: true, lock }
    throw lockTakenError(outcome.holder, '; stop it first')
  }
  onStop(() => outcome.lock.release())
  const reading = createOrm(databaseUrl, logger, { applicationName: 'tokenwire-reads', statementTimeoutMs: 10_000, giveUp })
  onStop(() => reading.close(true))
  return { isTaken: false, databaseUrl, reading }
}

async function startEmbeddedDatabase({ config, redactor, logger, onFailure, onStop }: RoleOptions): Promise<string> {
  // A second index is built beside the first one, on the same server.
  const mayShare = config.schema !== null
  const embedded = await startEmbedded({ dataDir: config.dataDir, logger, mayShare, onLost: () => onFailure(embeddedLostError()) })
  onStop(() => embedded.stop())
  redactor.add(secretsOf({ databaseUrl: embedded.url }))
  return embedded.url
}

function lockTakenError(holder: LockHolder, remedy = ''): TokenwireError {
  const sentence = `DATABASE_URL: another running Tokenwire indexes into this database${remedy} (${describeHolder(holder)})`
  return new TokenwireError('database_taken', sentence, { retryable: true })
}

/** This process lost its lock for a while, in which another one has committed. */
export function writerChangedError(): TokenwireError {
  const sentence = 'DATABASE_URL: another Tokenwire has indexed into this database meanwhile; this process has to start again'
  return new TokenwireError('database_taken', sentence, { retryable: true })
}

function embeddedLostError(): TokenwireError {
  const sentence =
    'embedded PostgreSQL is gone and does not start again, or the process that had started it has stopped; see postgres.log in DATA_DIR'
  return new TokenwireError('database_unavailable', sentence, { retryable: true })
}
