import { appendFile } from 'node:fs/promises'
import process from 'node:process'
import { expect, it } from 'vitest'
import { useDatabase } from '#test/support/database.ts'
import { growTree } from '#test/support/forkTree.ts'

/**
 * Seeds that failed once stay here. `REORG_TREES=5000` runs more than the usual number, `REORG_SEED=…` a single one; what fails is printed
 * and, with `REORG_FAILURES=<file>`, appended to that file.
 */
const KEPT: readonly number[] = []
const TREES = Number(process.env['REORG_TREES'] ?? 100)
const FIRST_SEED = Number(process.env['REORG_SEED'] ?? 1)
const SEEDS =
  process.env['REORG_SEED'] === undefined ? [...KEPT, ...Array.from({ length: TREES }, (_, index) => FIRST_SEED + index)] : [FIRST_SEED]

const indexed = await useDatabase()
const fresh = await useDatabase()

it('any tree of forks ends in the tables of a fresh index of its last chain', { timeout: 60_000 + TREES * 2_000 }, async () => {
  const total = { swapped: 0, deepest: 0, restarts: 0 }
  for (const seed of SEEDS) {
    const outcome = await growTree(seed, indexed, fresh, (actual, expected) => expect(actual, `seed ${seed}`).toEqual(expected)).catch(
      async (error: unknown) => {
        const file = process.env['REORG_FAILURES']
        if (file !== undefined) await appendFile(file, `${seed}\n`)
        throw new Error(`seed ${seed}`, { cause: error })
      },
    )
    total.swapped += outcome.swapped
    total.restarts += outcome.restarts
    total.deepest = Math.max(total.deepest, outcome.deepest)
  }
  if (SEEDS.length < 100) return
  expect(total.swapped).toBeGreaterThan(SEEDS.length / 2)
  expect(total.restarts).toBeGreaterThan(SEEDS.length / 8)
  expect(total.deepest).toBeGreaterThan(16)
})
