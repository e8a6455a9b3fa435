import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Environment } from '#configuration/settingTypes.ts'
import type { Watchdog } from '#devchain/startWatchdog.ts'

/** Longer than the service's own time limit for stopping. */
const STOP_TIMEOUT_MS = 22_000

/** The message that the service sends to its parent when it serves. */
export interface Listening {
  readonly url: string
  readonly databaseUrl: string
}

/** The service as a child process. */
export interface ServiceProcess {
  /** `null` when the process ended before it served. */
  readonly listening: Promise<Listening | null>
  /** The exit code; `null` when a signal ended it. */
  readonly exited: Promise<number | null>
  /** Sends SIGTERM, and SIGKILL after a time limit. Resolves when the process has ended. */
  stop(): Promise<void>
}

export interface ServiceProcessOptions {
  /** The file to run. */
  readonly script: string
  readonly env: Environment
  readonly watchdog: Watchdog
}

/** Starts the service with this process's output. Ctrl-C does not reach it, because this process decides the order of stopping. */
export function startServiceProcess({ script, env, watchdog }: ServiceProcessOptions): ServiceProcess {
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], detached: true, env })
  const { pid } = child
  if (pid !== undefined) {
    watchdog.watch(pid)
    child.once('exit', () => watchdog.forget(pid))
  }
  const exited = once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : null))
  const said = new Promise<Listening>(resolve => {
    child.on('message', message => {
      if (isListening(message)) resolve(message)
    })
  })
  return {
    exited,
    listening: Promise.race([said, exited.then(() => null)]),
    stop: async () => {
      child.kill('SIGTERM')
      const insist = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
      await exited
      clearTimeout(insist)
    },
  }
}

function isListening(message: unknown): message is Listening & { readonly type: 'listening' } {
  if (typeof message !== 'object' || message === null) return false
  const { type, url, databaseUrl } = message as Record<string, unknown>
  return type === 'listening' && typeof url === 'string' && typeof databaseUrl === 'string'
}
