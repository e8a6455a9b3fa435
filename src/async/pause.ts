import { setTimeout as delay } from 'node:timers/promises'

/** Resolves after `ms` milliseconds, or when the signal aborts. Does not keep the process alive. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => undefined)
}

/** Calls `run` every `everyMs` ms until the returned function is called. Does not keep the process alive. */
export function repeat(everyMs: number, run: () => void): () => void {
  const timer = setInterval(run, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Whether the n-th event of a kind is logged: the first, second, fourth, eighth …, so that an outage does not fill the log. */
export function isLogged(count: number): boolean {
  return (count & (count - 1)) === 0
}
