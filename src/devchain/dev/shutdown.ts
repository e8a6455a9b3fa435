/** The steps that undo a run, in reverse order. */
export interface Shutdown {
  /** Aborts when `run` is called. */
  readonly signal: AbortSignal
  /** Adds a step. After `run` has been called, the step runs at once. */
  add(step: () => Promise<unknown>): void
  /** Runs all steps, one after the other. A step that fails is reported and does not stop the others. */
  run(): Promise<void>
}

/** @param onError called with the error of a failed step */
export function createShutdown(onError: (error: unknown) => void): Shutdown {
  const abort = new AbortController()
  const steps: (() => Promise<unknown>)[] = []
  const undo = async (step: () => Promise<unknown>) => {
    try {
      await step()
    } catch (error) {
      onError(error)
    }
  }
  return {
    signal: abort.signal,
    add: step => {
      if (abort.signal.aborted) void undo(step)
      else steps.push(step)
    },
    run: async () => {
      abort.abort()
      for (const step of steps.splice(0).reverse()) await undo(step)
    },
  }
}
