/** Runs a task at once, then at most once per interval. */
export interface Throttle {
  /** Runs the task now, or at the end of the interval. */
  request(): void
  stop(): void
}

export function createThrottle(run: () => void, everyMs: number): Throttle {
  let timer: number | undefined
  let isWaiting = false

  function start(): void {
    run()
    timer = window.setTimeout(() => {
      timer = undefined
      if (isWaiting) start()
      isWaiting = false
    }, everyMs)
  }

  return {
    request() {
      if (timer === undefined) start()
      else isWaiting = true
    },
    stop: () => clearTimeout(timer),
  }
}
