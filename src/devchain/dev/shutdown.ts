/** What has to be undone at the end, last things first. */
export interface Shutdown {
  /** Aborts when the end begins. */
  readonly signal: AbortSignal
  /** What comes too late, because the end has begun already, is undone at once. */
  add(step: () => Promise<unknown>): void
  /** Undoes everything, one after the other; a step that fails is reported, and the others follow. */
  run(): Promise<void>
}

/** @param onError a step has failed */
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
