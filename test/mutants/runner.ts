import path from 'node:path'
import { createVitest } from 'vitest/node'
import { EACH } from '../../vitest.config.ts'
import type { Mutant } from './mutantsOf.ts'

/** What the process is asked: to run these test files with the mutant in its place. `null`: with the source as it is. */
export interface Question {
  readonly mutant: Mutant | null
  readonly tests: readonly string[]
}

/** The first test that failed. */
export interface Killer {
  readonly file: string
  readonly test: string
}

/** What it says: that a test has ended; at the end, what failed, if anything did. */
export type Answer = 'alive' | { readonly killer: Killer | null }

/* One vitest for many mutants, which transforms the modules that stay as they are once. The source files stay as they are. */

let current: Mutant | null = null
const say = (answer: Answer) => void process.send?.(answer)

const vitest = await createVitest(
  {
    ...EACH,
    config: false,
    watch: false,
    globalSetup: ['test/support/globalSetup.ts'],
    // A worker that runs several files keeps the modules of the mutant before.
    isolate: true,
    maxWorkers: 1,
    // It would give a mutant's code to later runs.
    fsModuleCache: false,
    reporters: [{ onTestCaseResult: () => say('alive') }],
  },
  {
    plugins: [
      {
        name: 'mutant',
        enforce: 'pre',
        transform: (code, id) =>
          current && id === path.resolve(current.file) ? code.slice(0, current.start) + current.new + code.slice(current.end) : null,
      },
    ],
  },
)
await vitest.standalone()
say('alive')

/** File by file: a run of several would also count what failed in the runs before. */
async function run({ mutant, tests }: Question): Promise<Killer | null> {
  for (const one of [current, mutant]) if (one) vitest.invalidateFile(path.resolve(one.file))
  current = mutant
  for (const file of tests) {
    const specification = vitest.getRootProject().createSpecification(path.resolve(file))
    const { testModules } = await vitest.runTestSpecifications([specification])
    const module = testModules.find(one => one.relativeModuleId === file)
    if (module?.state() === 'passed') continue
    const [failed] = module?.children.allTests('failed') ?? []
    return { file, test: failed?.fullName ?? 'none of its tests can run' }
  }
  return null
}

process.on('message', (question: Question) => void run(question).then(killer => say({ killer })))
process.on('disconnect', () => void vitest.close().finally(() => process.exit()))
