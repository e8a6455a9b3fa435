import type { Logger } from 'pino'
import { pause } from '#async/pause.ts'
import { messageOf } from '#errors'
import { isServerOf } from './processes.ts'
import { type FoundServer, type RunningServer, type StartInput, startServer } from './serverProcess.ts'

export interface KeepServerInput {
  readonly start: StartInput
  readonly server: RunningServer
  readonly logger: Logger
  /** Called once when the server could not be restarted. */
  readonly lost: () => void
  /** How often to check that it runs. Default 1 s. */
  readonly pollMs?: number
  /** The pause before the second attempt; it doubles up to 30 s. Default 1 s. */
  readonly pauseMs?: number
  /** Default: `startServer`. */
  readonly restart?: (input: StartInput) => Promise<FoundServer>
}

export interface KeptServer {
  pid(): number
  /** Stops watching; resolves when no restart is running. */
  stop(): Promise<void>
}

const MAX_PAUSE_MS = 30_000
const ATTEMPTS = 8
/** A server that has run for this long has started well, and attempts are counted from one again. */
const SETTLED_MS = 60_000

/**
 * Restarts a server that has died, on the same port, so that the service's connections find it again. Logs each attempt. Gives up after
 * eight in a row, about two minutes: an operator is needed.
 */
export function keepServer(input: KeepServerInput): KeptServer {
  const { start, server, logger, lost, pollMs = 1_000, pauseMs = 1_000, restart = startServer } = input
  const { port } = server
  const stopped = new AbortController()
  const { signal } = stopped
  let { pid } = server
  let startedAtMs = performance.now()
  let failures = 0

  const attempt = async (): Promise<void> => {
    failures = performance.now() - startedAtMs > SETTLED_MS ? 0 : failures
    while (!signal.aborted) {
      failures++
      logger.warn({ attempt: failures, of: ATTEMPTS, serverPid: pid }, 'embedded PostgreSQL has died and is started again')
      const started = await restart({ ...start, port }).catch((error: unknown) => {
        logger.error({ attempt: failures, reason: messageOf(error) }, 'embedded PostgreSQL does not start')
        return null
      })
      // Another service has started the server on another port, where this service's connections would not find it.
      if (started?.port === port) {
        pid = started.pid
        startedAtMs = performance.now()
        logger.info({ port, serverPid: pid }, 'embedded PostgreSQL is ready again')
        return
      }
      if (started !== null || failures >= ATTEMPTS) {
        stopped.abort()
        lost()
        return
      }
      await pause(Math.min(MAX_PAUSE_MS, pauseMs * 2 ** (failures - 1)), signal)
    }
  }

  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      await pause(pollMs, signal)
      if (!signal.aborted && !isServerOf(pid, start.layout.dataFolder)) await attempt()
    }
  }
  const watching = watch()

  return {
    pid: () => pid,
    stop: async () => {
      stopped.abort()
      await watching
    },
  }
}
