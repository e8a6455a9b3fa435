import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Watchdog } from '#devchain/startWatchdog.ts'

export interface DevNats {
  readonly url: string
  stop(): Promise<void>
}

/** Starts the `nats-server` of the PATH on any free port; `null`: there is none, or it does not start. */
export async function startNats(watchdog: Watchdog): Promise<DevNats | null> {
  const child = spawn('nats-server', ['--addr', '127.0.0.1', '--port', '-1'], { stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  const exited = new Promise<null>(resolve => {
    child.once('error', () => resolve(null))
    child.once('exit', () => resolve(null))
  })
  const { pid } = child
  if (pid === undefined) return exited
  watchdog.watch(pid)
  child.once('exit', () => watchdog.forget(pid))
  const address = new Promise<string>(resolve => {
    // It writes "Listening for client connections on 127.0.0.1:37131".
    createInterface(child.stderr).on('line', line => {
      const found = /client connections on (\S+)$/.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
  const found = await Promise.race([address, exited])
  if (found === null) return null
  return {
    url: `nats://${found}`,
    stop: async () => {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null
      child.kill('SIGTERM')
      await ended
    },
  }
}
