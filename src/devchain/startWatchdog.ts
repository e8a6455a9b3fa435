import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Ends the child processes of this process when it dies. */
export interface Watchdog {
  /** The watchdog's own process. */
  readonly pid: number
  /** Ends `pid` when this process is gone: with `signal` (default `SIGTERM`), and after a grace period with `SIGKILL`. */
  watch(pid: number, signal?: NodeJS.Signals): void
  /** To be called when a watched process has ended, because the system can reuse its pid. */
  forget(pid: number): void
  /** Ends the process whose pid is in the file's first line, after the others: a server that a child process has started. */
  watchFile(path: string, signal?: NodeJS.Signals): void
  /** Ends all watched processes, then the watchdog. Resolves when it has ended. */
  stop(): Promise<void>
}

/**
 * Starts watchdog.ts in its own process group, so that Ctrl-C does not reach it.
 *
 * @param options.graceMs how long a process has between the signal and `SIGKILL`; default 8 s
 */
export function startWatchdog({ graceMs = 8_000 }: { readonly graceMs?: number } = {}): Watchdog {
  const script = fileURLToPath(new URL('./watchdog.ts', import.meta.url))
  const child = spawn(process.execPath, [script, String(graceMs)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: {},
  })
  const ended = once(child, 'exit')
  const { pid } = child
  if (pid === undefined) throw new Error('cannot start the watchdog process')
  child.unref()
  // Writing to a killed watchdog fails. The run continues without it.
  child.stdin.on('error', () => undefined)
  const tell = (line: string) => void child.stdin.write(`${line}\n`)
  return {
    pid,
    watch: (target, signal = 'SIGTERM') => tell(`watch ${target} ${signal}`),
    forget: target => tell(`forget ${target}`),
    watchFile: (path, signal = 'SIGTERM') => tell(`watchFile ${signal} ${path}`),
    stop: async () => {
      child.ref()
      child.stdin.end()
      await ended
    },
  }
}
