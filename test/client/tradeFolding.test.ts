import fc from 'fast-check'
import { it } from 'vitest'
import { expectFoldedTrades, step } from './tradeKeeper.ts'

/*
 * A caller that does what `onTrades` says holds the trades of the database: however slowly the client reads, however often its connection is
 * cut, and through restarts, reorgs and a REST API that fails or is behind.
 */

it('leads to the trades of the database under any faults', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 50, size: 'max' }), fc.integer(), expectFoldedTrades), {
    numRuns: Number(process.env['FAULT_RUNS'] ?? 100),
  })
})
