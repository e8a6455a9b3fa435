import { setTimeout as delay } from 'node:timers/promises'

/** Resolves after `ms` milliseconds, or when the signal aborts. Does not keep the process alive. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => undefined)
}
