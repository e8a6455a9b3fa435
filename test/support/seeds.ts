import { appendFile } from 'node:fs/promises'
import process from 'node:process'

export interface SeedsOptions {
  /** Names of environment variables: the number of seeds, the only or first seed, and a file for failing seeds. */
  readonly count: string
  readonly seed: string
  readonly failures: string
  /** The number of seeds without the variables. */
  readonly usual: number
  /** Seeds that failed once; they run first. */
  readonly kept: readonly number[]
}

export interface Seeds {
  readonly list: readonly number[]
  /**
   * Runs seeds one after the other on each rig. A failing seed is written to the file and named in the error, and no other seed is
   * started.
   */
  run<Rig, Outcome>(rigs: readonly Rig[], one: (seed: number, rig: Rig) => Promise<Outcome>): Promise<readonly Outcome[]>
}

/** The seeds of a property test, from environment variables. */
export function createSeeds({ count, seed, failures, usual, kept }: SeedsOptions): Seeds {
  const { [count]: asked, [seed]: first, [failures]: file } = process.env
  const from = Number(first ?? 1)
  const length = Number(asked ?? (first === undefined ? usual : 1))
  const range = Array.from({ length }, (_, index) => from + index)
  const list = [...(first === undefined ? kept.filter(seed => !range.includes(seed)) : []), ...range]

  const named = async (failed: number, error: unknown): Promise<never> => {
    if (file !== undefined) await appendFile(file, `${failed}\n`)
    throw new Error(`seed ${failed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
  return {
    list,
    run: async (rigs, one) => {
      const left = [...list]
      const outcomes: Awaited<ReturnType<typeof one>>[] = []
      const fail = (failed: number, error: unknown): Promise<never> => {
        left.length = 0
        return named(failed, error)
      }
      const work = async (rig: (typeof rigs)[number]) => {
        for (let next = left.shift(); next !== undefined; next = left.shift()) {
          const current = next
          outcomes.push(await one(current, rig).catch((error: unknown) => fail(current, error)))
        }
      }
      const ended = await Promise.allSettled(rigs.map(work))
      for (const end of ended) if (end.status === 'rejected') throw end.reason
      return outcomes
    },
  }
}
