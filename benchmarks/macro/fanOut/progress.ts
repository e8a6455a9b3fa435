/** The progress of a run. */
export interface Step {
  readonly scenario: string
  readonly round: number
  readonly rounds: number
  readonly arm: string
}

export interface Progress {
  /** Starts a step. */
  step(step: Step): void
  /** Removes the line, so that other output can take its place. */
  clear(): void
}

export interface ProgressOptions {
  /** The number of steps. */
  readonly steps: number
  readonly write: (text: string) => void
  /** Whether the line can be overwritten. Otherwise each round has a line. */
  readonly isTerminal: boolean
  readonly columns: number
  /** Monotonic, in ms. */
  readonly now: () => number
}

/** One line with the current step and the remaining time. */
export function createProgress({ steps, write, isTerminal, columns, now }: ProgressOptions): Progress {
  const begunAtMs = now()
  let done = 0
  let lastRound = ''
  const clear = () => {
    if (isTerminal) write('\r\u001b[K')
  }
  return {
    clear,
    step: ({ scenario, round, rounds, arm }) => {
      const elapsedMs = now() - begunAtMs
      const left = done === 0 ? '' : `, about ${formatSeconds((elapsedMs / done) * (steps - done))} left`
      const inRound = `${scenario}, round ${round} of ${rounds}`
      if (isTerminal) write(`\r\u001b[K${`[${done + 1}/${steps}${left}] ${inRound}: ${arm}`.slice(0, columns - 1)}`)
      else if (inRound !== lastRound) write(`[${done + 1}/${steps}${left}] ${inRound}\n`)
      lastRound = inRound
      done++
    },
  }
}

function formatSeconds(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}
