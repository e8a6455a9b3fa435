import { inject, type RunnerTestCase, TestRunner } from 'vitest'
import { TEST_LIMIT_MS } from './limits.ts'
import { startPatience } from './patience.ts'

/** Ends a test that waits for what does not come, long before its limit on the clock. Tests with a limit of their own keep to that. */
export default class PatientRunner extends TestRunner {
  async runTask(test: RunnerTestCase): Promise<void> {
    const run = async () => TestRunner.getTestFn(test)()
    await (test.timeout > TEST_LIMIT_MS ? run() : startPatience(inject('testPatienceMs')).within(run()))
  }
}
