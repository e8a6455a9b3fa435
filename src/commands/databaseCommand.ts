import type { Logger } from 'pino'
import { type DatabaseConfig, loadDatabaseConfig } from '#configuration/loadConfig.ts'
import { withSchema } from '#domain/databaseUrl.ts'
import { TokenwireError } from '#errors'
import { toStartError } from '#store/connection/startError.ts'
import { type EmbeddedServer, findEmbeddedUrl, startEmbedded } from '#store/embedded/startEmbedded.ts'
import { createLogger } from '#telemetry/logger.ts'
import { errorOutput } from '#telemetry/logOutput.ts'
import { createRedactor } from '#telemetry/redactor.ts'
import { secretsOf } from '#telemetry/secrets.ts'

/**
 * Runs a command on the configured database, and starts the embedded one for it where none runs. Prints the text that the work returns, or
 * the error. Exit codes: 0 done, 75 try again later, 1 something has to be changed first.
 *
 * @param told where the text is printed. Default: standard output
 */
export async function databaseCommand<C extends DatabaseConfig>(
  load: () => C,
  work: (database: { readonly url: string; readonly config: C; readonly logger: Logger }) => Promise<string>,
  told: { write(text: string): void } = process.stdout,
): Promise<void> {
  const redactor = createRedactor([])
  try {
    const config = load()
    redactor.add(secretsOf(config))
    const logger = createLogger({ level: config.logLevel, format: config.logFormat, redactor, output: errorOutput() })
    const { url, stop } = await openDatabase(config, logger)
    redactor.add(secretsOf({ databaseUrl: url }))
    try {
      told.write(`${await work({ url, config, logger })}\n`)
    } catch (error) {
      throw toStartError(error, { url, setting: 'DATABASE_URL' })
    } finally {
      await stop()
    }
  } catch (error) {
    const known = error instanceof TokenwireError ? error : null
    errorOutput().write(`${redactor.text(known?.message ?? String(error))}\n`)
    process.exitCode = known?.retryable === true ? 75 : 1
  }
}

/** Where the database is, and how to stop its server if it was started for this. */
async function openDatabase(config: DatabaseConfig, logger: Logger): Promise<Pick<EmbeddedServer, 'url' | 'stop'>> {
  const { databaseUrl, schema, dataDir } = config
  if (databaseUrl !== null) return { url: databaseUrl, stop: async () => undefined }
  const running = await findEmbeddedUrl(dataDir)
  const { url, stop } = running === null ? await startEmbedded({ dataDir, logger }) : { url: running, stop: async () => undefined }
  return { url: withSchema(url, schema), stop }
}

/** The settings that commands on the database need. @throws as `loadDatabaseConfig` */
export function databaseConfig(): DatabaseConfig {
  return loadDatabaseConfig(process.env, { cwd: process.cwd() })
}
