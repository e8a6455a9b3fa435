/** Runs one task at a time. While it runs, only the newest request waits. */
export interface Coalesced<Value> {
  /** Runs the task with this value: now, or after the run under way unless a newer value comes first. Returns at once. */
  request(value: Value): void
  /** Resolves when no run is under way. */
  settled(): Promise<void>
  /** Starts no further run. */
  stop(): void
}

/**
 * @param task may reject; the next request runs it again
 * @param onFailure receives what the task rejected with, for which value, and how often in a row it has failed; not after `stop`
 */
export function coalesce<Value>(
  task: (value: Value) => Promise<void>,
  onFailure: (error: unknown, value: Value, failuresInARow: number) => void,
): Coalesced<Value> {
  let waiting: { readonly value: Value } | null = null
  let running: Promise<void> | null = null
  let failures = 0
  let stopped = false

  const run = async (): Promise<void> => {
    while (waiting !== null) {
      const { value } = waiting
      waiting = null
      try {
        await task(value)
        failures = 0
      } catch (error) {
        failures += 1
        if (!stopped) onFailure(error, value, failures)
      }
    }
    running = null
  }

  return {
    request: value => {
      if (stopped) return
      waiting = { value }
      running ??= run()
    },
    settled: async () => {
      for (let current = running; current !== null; current = running) await current
    },
    stop: () => {
      stopped = true
      waiting = null
    },
  }
}
