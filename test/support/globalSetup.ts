import { execFileSync } from 'node:child_process'
import path from 'node:path'
import pino, { type Logger } from 'pino'
import type { TestProject } from 'vitest/node'
import { readArtifact } from '#devchain/artifacts.ts'
import { startEmbedded } from '#store/embedded/startEmbedded.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { makeTemporaryFolder } from './temporaryFolder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the migrated database on this run's server: the template of every test file's own. */
    readonly templateUrl: string
    /** How long a quiet machine waits for a condition, and for a whole test. */
    readonly patienceMs: number
    readonly testPatienceMs: number
  }
}

/**
 * One PostgreSQL server for the whole run, which also ends when the run is killed; and what is generated, compiled and built from the
 * sources.
 * `TEST_DATABASE_URL`, the URL of an empty database for a superuser, replaces the server: for tests against another version.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // A tenth less processor time for every worker of the tests and every service that they start.
  process.env['NODE_COMPILE_CACHE'] ??= path.join(process.cwd(), '.cache/node')
  for (const script of ['buildConsole.ts', 'buildService.ts']) {
    execFileSync(process.execPath, [path.join(process.cwd(), 'build', script), '--if-stale'], { stdio: 'inherit' })
  }
  // Compiled here if the sources have changed: several workers would compile at the same time.
  readArtifact('Launchpad')
  const logger = pino({ level: 'warn' }, pino.destination(2))
  const given = process.env['TEST_DATABASE_URL']
  const server = given === undefined ? await startOwn(logger) : { url: given, stop: async () => undefined }
  await migrate(server.url, logger)
  project.provide('templateUrl', server.url)
  return server.stop
}

async function startOwn(logger: Logger): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const folder = await makeTemporaryFolder()
  // Three workers test clusters of up to five services at a time, each with up to 25 connections.
  const server = await startEmbedded({ dataDir: folder.path, logger, durable: false, maxConnections: 400 })
  return {
    url: server.url,
    stop: async () => {
      await server.stop()
      await folder.remove()
    },
  }
}
