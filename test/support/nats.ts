import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from './freePort.ts'

export interface NatsServer {
  readonly port: number
  kill(): Promise<void>
  /** It answers nothing and keeps its connections, until it continues. */
  freeze(): void
  thaw(): void
  /** Again, on the same port. */
  start(): Promise<void>
}

/** @param program as `findProgram` has found it */
export async function startNatsServer(program: string, more: readonly string[] = []): Promise<NatsServer> {
  const port = await freePort()
  let server: ChildProcess | null = null
  const start = async () => {
    const child = spawn(program, ['--addr', '127.0.0.1', '--port', String(port), ...more], { stdio: 'ignore' })
    server = child
    while (child.exitCode === null && child.signalCode === null && !(await accepts(port))) await pause(20)
  }
  await start()
  return {
    port,
    start,
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
    kill: async () => {
      if (server === null || server.exitCode !== null || server.signalCode !== null) return
      server.kill('SIGKILL')
      await once(server, 'exit')
    },
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
