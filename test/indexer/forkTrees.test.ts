import { expect, it } from 'vitest'
import { useDatabase } from '#test/support/database.ts'
import { growTree } from '#test/support/forkTree.ts'
import { createSeeds } from '#test/support/seeds.ts'

/**
 * Seeds that failed once stay here. `REORG_TREES=5000` runs more than the usual number, `REORG_SEED=…` a single one; what fails is printed
 * and, with `REORG_FAILURES=<file>`, appended to that file.
 */
const KEPT: readonly number[] = [443]
const seeds = createSeeds({ count: 'REORG_TREES', seed: 'REORG_SEED', failures: 'REORG_FAILURES', usual: 100, kept: KEPT })
/** Trees that grow at the same time: one uses the processor while another one waits for the database. */
const AT_ONCE = 3

it('any tree of forks ends in the tables of a fresh index of its last chain', {
  timeout: 120_000 + seeds.list.length * 2_000,
}, async () => {
  const databases = await Promise.all(
    Array.from({ length: AT_ONCE }, async () => ({ indexed: await useDatabase(), fresh: await useDatabase() })),
  )
  const outcomes = await seeds.run(databases, (seed, rig) => growTree(seed, rig, (actual, expected) => expect(actual).toEqual(expected)))
  if (seeds.list.length < 100) return
  const sum = (value: (outcome: (typeof outcomes)[number]) => number) => outcomes.reduce((total, outcome) => total + value(outcome), 0)
  const trees = outcomes.length
  expect(sum(({ swapped }) => swapped)).toBeGreaterThan(trees / 2)
  expect(sum(({ restarts }) => restarts)).toBeGreaterThan(trees / 8)
  expect(sum(({ whileBackfilling }) => whileBackfilling)).toBeGreaterThan(trees / 40)
  expect(sum(({ inTheMiddle }) => inTheMiddle)).toBeGreaterThan(trees / 4)
  expect(sum(({ lostAnswers }) => lostAnswers)).toBeGreaterThan(trees / 4)
  expect(Math.max(...outcomes.map(({ deepest }) => deepest))).toBeGreaterThan(32)
})
