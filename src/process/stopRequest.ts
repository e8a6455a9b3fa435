import process from 'node:process'

export interface StopRequest {
  /** Aborts with the reason as a text on the first signal, or when a parent process with an IPC channel has gone. */
  readonly signal: AbortSignal
  /** SIGHUP is no longer a request: files are read again. */
  ignoreHangup(): void
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function listenForStop(): StopRequest {
  const stopping = new AbortController()
  const request = (reason: string) => stopping.abort(reason)
  for (const signal of SIGNALS) {
    const early = process.listeners(signal)
    // A second signal ends the process at once.
    process.once(signal, request)
    // Those of `endEarly.cjs`, and not sooner: without a listener a signal that has come would be lost.
    for (const listener of early) process.off(signal, listener)
  }
  if (process.send !== undefined) process.once('disconnect', () => request('parent gone'))
  return { signal: stopping.signal, ignoreHangup: () => void process.off('SIGHUP', request) }
}

/** Resolves when the signal has aborted. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
}
