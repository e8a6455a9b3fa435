import process from 'node:process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { expectConvergence, messageStep, step } from './convergence.ts'

const RUNS = Number(process.env['FAULT_RUNS'] ?? 60)

it('converges to the state of the server under any faults, and never goes back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), fc.integer(), async (steps, seed) => {
      await expectConvergence(steps, seed)
    }),
    { numRuns: RUNS },
  )
})

it('makes only committed states of deltas, whatever happens to messages', async () => {
  let deltas = 0
  await fc.assert(
    fc.asyncProperty(fc.array(messageStep, { minLength: 20, maxLength: 40 }), fc.integer(), async (steps, seed) => {
      deltas += await expectConvergence(steps, seed)
    }),
    { numRuns: RUNS },
  )
  expect(deltas).toBeGreaterThan(RUNS * 4)
})

it('leaves no timer or connection and calls no listener after close, at any moment', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), fc.integer(), async (steps, seed) => {
      await expectConvergence(steps, seed, true)
    }),
    { numRuns: RUNS },
  )
})
