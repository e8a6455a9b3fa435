import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { closeAfterFile } from './closeAfterFile.ts'
import { findProgram } from './findProgram.ts'
import { freePort } from './freePort.ts'
import { makeTemporaryFolder } from './temporaryFolder.ts'

export interface NatsServer {
  readonly port: number
  kill(): Promise<void>
  /** It answers nothing and keeps its connections, until it continues. */
  freeze(): void
  thaw(): void
  /** Again, on the same port. */
  start(): Promise<void>
  /** Lines of its configuration file from its next start on. */
  configure(settings: readonly string[]): Promise<void>
}

/**
 * @param program as `findProgram` has found it
 * @param settings lines of its configuration file
 */
export async function startNatsServer(program: string, settings: readonly string[] = []): Promise<NatsServer> {
  const port = await freePort()
  const folder = await makeTemporaryFolder()
  const file = `${folder.path}/nats.conf`
  const configure = (lines: readonly string[]) => writeFile(file, lines.join('\n'))
  await configure(settings)
  let server: ChildProcess | null = null
  const start = async () => {
    const child = spawn(program, ['--addr', '127.0.0.1', '--port', String(port), '--config', file], { stdio: 'ignore' })
    server = child
    while (child.exitCode === null && child.signalCode === null && !(await accepts(port))) await pause(20)
  }
  const kill = async () => {
    if (server === null || server.exitCode !== null || server.signalCode !== null) return
    server.kill('SIGKILL')
    await once(server, 'exit')
  }
  closeAfterFile(kill)
  await start()
  return {
    port,
    start,
    configure,
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
    kill,
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** A server and the settings that lead a service to it; where the program is not installed, neither. */
export async function startInstalledNats(): Promise<{
  readonly nats: NatsServer | null
  readonly byNats: Readonly<Record<string, string>>
}> {
  const program = findProgram({ names: ['nats-server'], aptPackage: 'nats-server' })
  if (program === null) return { nats: null, byNats: {} }
  const nats = await startNatsServer(program)
  return { nats, byNats: { NATS_URL: `nats://127.0.0.1:${nats.port}` } }
}
