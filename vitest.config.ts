import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { POLL_LIMIT_MS, TEST_LIMIT_MS } from './test/support/limits.ts'

/** The files that take longest, also while they wait: one of them at the end would keep the other workers waiting. */
const LONG = [
  'endToEnd/faults',
  'devchain/dev',
  'endToEnd/carrierStorm',
  'benchmarks/hotPaths',
  'store/growth',
  'endToEnd/gateways',
  'console/live',
  'endToEnd/rollingRestart',
  'endToEnd/start',
  'endToEnd/silence',
  'endToEnd/crash',
  'bus/natsFeed',
  'sync/faults',
].map(name => `/test/${name}.test.ts`)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const index = LONG.findIndex(name => moduleId.endsWith(name))
      return index < 0 ? LONG.length : index
    }
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => place(a) - place(b))
  }
}

/** They replace modules, which would stay replaced for the files after them. */
const MOCKING = ['test/actors/unknownTokens.test.ts', 'test/console/chartMarkers.test.ts', 'test/tables/tokenColumns.test.ts']

const EACH = {
  setupFiles: ['test/support/eachFile.ts'],
  testTimeout: TEST_LIMIT_MS,
  hookTimeout: TEST_LIMIT_MS,
  expect: { poll: { timeout: POLL_LIMIT_MS } },
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/globalSetup.ts'],
    sequence: { sequencer: LongestFirst },
    retry: 0,
    maxWorkers: 3,
    projects: [
      // A worker runs many files with the modules loaded once: a third of the processor time of the run was loading them for each file.
      { test: { ...EACH, name: 'shared', include: ['test/**/*.test.ts'], exclude: MOCKING, isolate: false } },
      { test: { ...EACH, name: 'mocking', include: MOCKING } },
    ],
  },
})
