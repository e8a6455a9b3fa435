import fc from 'fast-check'
import { it } from 'vitest'
import { expectConvergence, step } from './convergence.ts'

it('converges to the state of the server under any faults, and never goes back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), fc.integer(), (steps, seed) => expectConvergence(steps, seed)),
    { numRuns: Number(process.env['FAULT_RUNS'] ?? 60) },
  )
})

it('leaves no timer or connection and calls no listener after close, at any moment', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), fc.integer(), (steps, seed) => expectConvergence(steps, seed, true)),
    { numRuns: Number(process.env['FAULT_RUNS'] ?? 60) },
  )
})
