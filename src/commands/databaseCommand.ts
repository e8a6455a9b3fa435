import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { type DatabaseConfig, loadDatabaseConfig } from '#configuration/loadConfig.ts'
import { withSchema } from '#domain/databaseUrl.ts'
import { TokenwireError } from '#errors'
import { toStartError } from '#store/connection/databaseErrors.ts'
import { createOrm } from '#store/connection/orm.ts'
import { requireDatabase } from '#store/connection/requireDatabase.ts'
import { dataVersion, layoutOf } from '#store/embedded/serverProcess.ts'
import { type EmbeddedServer, findEmbeddedUrl, startEmbedded } from '#store/embedded/startEmbedded.ts'
import { readIdentity, type StoredIdentity } from '#store/rows/identity.ts'
import { createLogger, errorOutput } from '#telemetry/logger.ts'
import { createRedactor, type Redactor, secretsOf } from '#telemetry/redactor.ts'

interface CommandOptions {
  /** Where the text is printed. Default: standard output. */
  readonly told?: { write(text: string): void }
  /** Whether an embedded database is created where there is none. Default: no, and that is said. */
  readonly creates?: boolean
}

/**
 * Runs a command on the configured database, and starts the embedded one for it where none runs. Prints the text that the work returns, or
 * the error. Exit codes: 0 done, 75 try again later, 1 something has to be changed first.
 */
export function databaseCommand<C extends DatabaseConfig>(
  load: () => C,
  work: (database: { readonly url: string; readonly config: C; readonly logger: Logger }) => Promise<string>,
  { told = process.stdout, creates = false }: CommandOptions = {},
): Promise<void> {
  return configuredCommand(
    load,
    async (config, redactor) => {
      const logger = createLogger({ level: config.logLevel, format: config.logFormat, redactor, output: errorOutput() })
      const { url, stop } = await openDatabase(config, creates, logger)
      redactor.add(secretsOf({ databaseUrl: url }))
      try {
        return await work({ url, config, logger })
      } catch (error) {
        throw toStartError(error, { url, setting: 'DATABASE_URL' })
      } finally {
        await stop()
      }
    },
    told,
  )
}

/** As `databaseCommand`, for work that needs only the settings. */
export async function configuredCommand<C extends Parameters<typeof secretsOf>[0]>(
  load: () => C,
  work: (config: C, redactor: Redactor) => Promise<string>,
  told: { write(text: string): void } = process.stdout,
): Promise<void> {
  const redactor = createRedactor([])
  try {
    const config = load()
    redactor.add(secretsOf(config))
    told.write(`${await work(config, redactor)}\n`)
  } catch (error) {
    const known = error instanceof TokenwireError ? error : null
    errorOutput().write(`${redactor.text(known?.message ?? String(error))}\n`)
    process.exitCode = known?.retryable === true ? 75 : 1
  }
}

/** Where the database is, and how to stop its server if it was started for this. */
async function openDatabase(
  { databaseUrl, schema, dataDir }: DatabaseConfig,
  creates: boolean,
  logger: Logger,
): Promise<Pick<EmbeddedServer, 'url' | 'stop'>> {
  if (databaseUrl !== null) return { url: databaseUrl, stop: async () => undefined }
  if (!creates && (await dataVersion(layoutOf(dataDir))) === null) {
    const remedy = 'npm start begins an index there; for another one, set DATABASE_URL, or the DATA_DIR with which it was started'
    throw new TokenwireError('config_invalid', `DATA_DIR: nothing is indexed in ${dataDir}: ${remedy}`)
  }
  const running = await findEmbeddedUrl(dataDir)
  const { url, stop } = running === null ? await startEmbedded({ dataDir, logger }) : { url: running, stop: async () => undefined }
  return { url: withSchema(url, schema), stop }
}

/** The settings that commands on the database need. @throws as `loadDatabaseConfig` */
export function databaseConfig(): DatabaseConfig {
  return loadDatabaseConfig(process.env, { cwd: process.cwd() })
}

interface OnIndexOptions {
  readonly url: string
  readonly applicationName: string
  readonly logger: Logger
}

/**
 * Runs the work of a command on the index that is in the database.
 *
 * @throws `TokenwireError` as `requireDatabase`; `config_invalid` when there is no index of this version
 */
export async function onIndex<T>(
  { url, applicationName, logger }: OnIndexOptions,
  work: (db: Kysely<unknown>, identity: StoredIdentity) => Promise<T>,
): Promise<T> {
  const orm = createOrm(url, logger, { poolSize: 2, applicationName })
  try {
    const db = orm.em.getKysely<unknown>()
    await requireDatabase(db, { url, use: 'serve', logger })
    const identity = await readIdentity(db)
    if (identity === null) throw new TokenwireError('config_invalid', 'DATABASE_URL: there is no index of this version in the database')
    return await work(db, identity)
  } finally {
    await orm.close(true)
  }
}
