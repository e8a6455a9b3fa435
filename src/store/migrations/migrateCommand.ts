import { loadDatabaseConfig } from '#configuration/loadConfig.ts'
import { TokenwireError } from '#errors'
import { findEmbeddedUrl, startEmbedded } from '#store/embedded/embedded.ts'
import { createLogger } from '#telemetry/logger.ts'
import { createRedactor } from '#telemetry/redactor.ts'
import { secretsOf } from '#telemetry/secrets.ts'
import { migrate } from './migrate.ts'

/*
 * npm run db:migrate: migrates the configured database to this version, as the service does at its start. Exit codes: 0 done, 75 try again
 * later, 1 something has to be changed first.
 */

const redactor = createRedactor([])

async function run(): Promise<void> {
  const config = loadDatabaseConfig(process.env, { cwd: process.cwd() })
  redactor.add(secretsOf(config))
  const logger = createLogger({ ...config.log, redactor })
  const runningUrl = config.databaseUrl ?? (await findEmbeddedUrl(config.dataDir))
  if (runningUrl !== null) return report(await migrate(runningUrl, logger))
  const server = await startEmbedded({ dataDir: config.dataDir, logger })
  try {
    report(await migrate(server.url, logger))
  } finally {
    await server.stop()
  }
}

function report(applied: readonly string[]): void {
  process.stdout.write(applied.length === 0 ? 'The database schema is up to date.\n' : `Migrated: ${applied.join(', ')}\n`)
}

try {
  await run()
} catch (error) {
  const known = error instanceof TokenwireError ? error : null
  process.stderr.write(`${redactor.text(known?.message ?? String(error))}\n`)
  process.exitCode = known?.retryable === true ? 75 : 1
}
