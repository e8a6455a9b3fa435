/** Work beside the indexing, one pass at a time, each for the newest block that was committed when it begins. What fails is tried again with a later block. */
export interface Passes<Block> {
  /** Has a pass made for this block, now or after the one under way; a newer block takes its place. Returns at once. */
  begin(block: Block): void
  /** Resolves when no pass is under way. */
  settled(): Promise<void>
  /** Begins no further pass. */
  stop(): void
}

export interface PassesOptions<Block> {
  pass(block: Block): Promise<void>
  /** @param failures how many there were in a row; logging those that are a power of two fills no log */
  failed(error: unknown, block: Block, failures: number): void
}

export function createPasses<Block>({ pass, failed }: PassesOptions<Block>): Passes<Block> {
  let waiting: Block | null = null
  let underWay: Promise<void> | null = null
  let failures = 0
  let stopped = false

  const run = async (): Promise<void> => {
    while (waiting !== null) {
      const block = waiting
      waiting = null
      try {
        await pass(block)
        failures = 0
      } catch (error) {
        failures += 1
        if (!stopped) failed(error, block, failures)
      }
    }
    underWay = null
  }

  return {
    begin: block => {
      if (stopped) return
      waiting = block
      underWay ??= run()
    },
    settled: async () => {
      for (let passes = underWay; passes !== null; passes = underWay) await passes
    },
    stop: () => {
      stopped = true
      waiting = null
    },
  }
}
