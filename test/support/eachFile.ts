import { afterAll, afterEach, expect } from 'vitest'
import { closeAll } from './closeAfterFile.ts'
import { poll } from './eventually.ts'
import { takeObjections } from './publishedAnswers.ts'

/* Runs before each test file, also in a worker that has run others. */

Object.assign(expect, { poll })

const expectNoObjections = () => expect(takeObjections()).toEqual([])
afterEach(expectNoObjections)
afterAll(async () => {
  await closeAll()
  expectNoObjections()
})
