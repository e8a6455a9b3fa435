import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, writeFile } from 'node:fs/promises'
import process from 'node:process'
import { closedAfterFile } from './closeAfterFile.ts'
import { freePort } from './freePort.ts'
import { makeTemporaryFolder } from './temporaryFolder.ts'

export interface PgBouncer {
  /** The database's address through it. */
  readonly url: string
  kill(): Promise<void>
  /** Again, on the same port. */
  start(): Promise<void>
  /** It answers nothing and keeps its connections, until it continues. */
  freeze(): void
  thaw(): void
  stop(): Promise<void>
}

/**
 * @param program as `findProgram` has found it
 * @param settings lines of its `[pgbouncer]`, such as `pool_mode = transaction`; without any it keeps sessions
 */
export async function startPgBouncer(program: string, databaseUrl: string, settings: readonly string[] = []): Promise<PgBouncer> {
  const { hostname, port: serverPort, username, password, pathname } = new URL(databaseUrl)
  const folder = await makeTemporaryFolder()
  // PgBouncer refuses to run as root.
  await chmod(folder.path, 0o777)
  const port = await freePort()
  const user = process.getuid?.() === 0 ? ['user = nobody'] : []
  const lines = [
    '[databases]',
    `${pathname.slice(1)} = host=${hostname} port=${serverPort} user=${username}${password === '' ? '' : ` password=${password}`}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    ...user,
    ...settings,
  ]
  const file = `${folder.path}/pgbouncer.ini`
  await writeFile(file, `${lines.join('\n')}\n`)
  let bouncer = await spawnBouncer(program, file)
  const kill = async () => {
    if (bouncer.exitCode === null && bouncer.signalCode === null && bouncer.kill('SIGKILL')) await once(bouncer, 'exit')
  }
  return {
    url: `postgres://anybody:anything@127.0.0.1:${port}${pathname}`,
    kill,
    start: async () => {
      bouncer = await spawnBouncer(program, file)
    },
    freeze: () => void bouncer.kill('SIGSTOP'),
    thaw: () => void bouncer.kill('SIGCONT'),
    stop: closedAfterFile(async () => {
      await kill()
      await folder.remove()
    }),
  }
}

/** Resolves when it accepts connections. */
async function spawnBouncer(program: string, file: string): Promise<ChildProcess> {
  const bouncer = spawn(program, [file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    bouncer.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes('process up')) resolve()
    })
    bouncer.once('exit', () => reject(new Error(`PgBouncer has ended: ${said}`)))
  })
  return bouncer
}
