import { defineConfig } from 'vitest/config'
import { POLL_LIMIT_MS, TEST_LIMIT_MS } from './test/support/limits.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/globalSetup.ts'],
    setupFiles: ['test/support/checkAnswers.ts'],
    retry: 0,
    testTimeout: TEST_LIMIT_MS,
    hookTimeout: TEST_LIMIT_MS,
    expect: { poll: { timeout: POLL_LIMIT_MS } },
    maxWorkers: 2,
  },
})
