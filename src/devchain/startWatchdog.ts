import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Sees to it that nothing this process has started outlives it. */
export interface Watchdog {
  /** The watchdog's own process. */
  readonly pid: number
  /** Ends this process when ours is gone: with `signal` (default `SIGTERM`), and after a grace period with `SIGKILL`. */
  watch(pid: number, signal?: NodeJS.Signals): void
  /** To be called as soon as a watched process has ended, because its pid may be given to another. */
  forget(pid: number): void
  /** Ends the process whose pid the file's first line holds, after the others: for a server that a child of ours has started. */
  watchFile(path: string, signal?: NodeJS.Signals): void
  /** Ends everything that is still watched, then the watchdog; resolves when it has ended. */
  stop(): Promise<void>
}

/**
 * Starts the process of watchdog.ts, in a process group of its own so that Ctrl-C does not reach it.
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
  // A watchdog that was killed cannot be told anything: the work goes on without it.
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
