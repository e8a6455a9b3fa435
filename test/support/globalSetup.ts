import { execFileSync } from 'node:child_process'
import path from 'node:path'
import pino from 'pino'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '#database/embedded.ts'
import { migrate } from '#database/migrate.ts'
import { makeTemporaryFolder } from './temporaryFolder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the migrated database on this run's server: the template of every test file's own. */
    readonly templateUrl: string
  }
}

/** One PostgreSQL server for the whole run, which ends with it, also when the run is killed, and a console that is built from what is here. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  execFileSync(process.execPath, [path.join(process.cwd(), 'build/buildConsole.ts'), '--if-stale'], { stdio: 'inherit' })
  const folder = await makeTemporaryFolder()
  const logger = pino({ level: 'warn' }, pino.destination(2))
  const server = await startEmbedded({ dataDir: folder.path, logger, durable: false })
  await migrate(server.url, logger)
  project.provide('templateUrl', server.url)
  return async () => {
    await server.stop()
    await folder.remove()
  }
}
