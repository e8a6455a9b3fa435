/** One thing that is timed. */
export interface MicroTask {
  readonly name: string
  /**
   * Calls per sample, so that a sample is long against the clock (aim at 50 µs or more). The times that are reported are means over this many
   * calls.
   */
  readonly batch: number
  /** Name of the task of the same benchmark to compare with. */
  readonly base?: string
  /** Does the work once and throws when the result is wrong. Runs before anything is timed. */
  check(): void
  /** Makes the inputs of the next `batch` calls. Not timed. */
  prepare?(): void
  /**
   * The work. What it returns is kept, so that the compiler can't leave the work out.
   *
   * @param index of the call in its batch
   */
  run(index: number): unknown
}

/** A table of tasks around one subject, in `<name>.bench.ts`. */
export interface MicroBenchmark {
  readonly name: string
  /** One sentence: what is done, and to what. */
  readonly about: string
  /** Builds the inputs and the tasks anew. */
  tasks(): readonly MicroTask[]
}
