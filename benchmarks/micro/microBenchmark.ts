/** One thing that is timed. */
export interface MicroTask {
  readonly name: string
  /**
   * Calls per sample, so that a sample is long compared with the clock's resolution (aim at 50 µs or more). Reported times are means over a
   * batch.
   */
  readonly batch: number
  /** Name of the task of the same benchmark to compare with. */
  readonly base?: string
  /** Does the work once and throws if the result is wrong. Runs before the timing. */
  check(): void
  /** Makes the inputs of the next `batch` calls. Not timed. */
  prepare?(): void
  /**
   * The work. Its result is stored, so that the compiler can't remove the work.
   *
   * @param index of the call in its batch
   */
  run(index: number): unknown
}

/** A table of tasks around one subject, in `<name>.bench.ts`. */
export interface MicroBenchmark {
  readonly name: string
  /** One sentence: the work and its input. */
  readonly about: string
  /** Builds new inputs and tasks. */
  tasks(): readonly MicroTask[]
}
