import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '#database/embedded.ts'
import { migrate } from '#database/migrate.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the migrated database on this run's server: the template of every test file's own. */
    readonly templateUrl: string
  }
}

/**
 * One PostgreSQL server for the whole run, in a temporary folder. A shell that waits for the end of a pipe, which only this process holds,
 * ends the server and removes the folder: at the end of the run, and also when the run is killed.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'tokenwire-test-'))
  await chmod(folder, 0o755)
  const logger = pino({ level: 'warn' }, pino.destination(2))
  const cleaner = startCleaner(folder)
  const server = await startEmbedded({ dataDir: folder, logger, durable: false })
  await migrate(server.url, logger)
  project.provide('templateUrl', server.url)
  return async () => {
    await server.stop()
    const ended = once(cleaner, 'exit')
    cleaner.stdin?.end()
    await ended
  }
}

function startCleaner(folder: string): ChildProcess {
  // The pid is read from the folder when the time comes; it is gone when the server was stopped in order.
  const script = `cat > /dev/null
    pid=$(head -n 1 "$1/postgres/data/postmaster.pid" 2> /dev/null) && kill -s QUIT "$pid" && while kill -0 "$pid" 2> /dev/null; do sleep 0.05; done
    rm -rf "$1"`
  const cleaner = spawn('/bin/sh', ['-c', script, 'sh', folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  cleaner.unref()
  return cleaner
}
