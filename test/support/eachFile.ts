import process from 'node:process'
import { configureGlobal } from 'fast-check'
import { afterAll, afterEach, expect } from 'vitest'
import { closeAll } from './closeAfterFile.ts'
import { poll } from './eventually.ts'
import { takeObjections } from './publishedAnswers.ts'
import { reverseRows } from './reversedRows.ts'

/* Runs before each test file, also in a worker that has run others. */

Object.assign(expect, { poll })

// Properties try the same examples in every run, so that a checkout passes or fails for what it contains.
const seed = process.env['PROPERTY_SEED'] ?? '1'
if (seed !== 'random') configureGlobal({ seed: Number(seed) })

// What passes only in the order that PostgreSQL happens to choose fails with it.
if (process.env['REVERSED_ROWS'] === 'true') reverseRows()

const expectNoObjections = () => expect(takeObjections()).toEqual([])
afterEach(expectNoObjections)
afterAll(async () => {
  await closeAll()
  expectNoObjections()
})
