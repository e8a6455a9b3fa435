import process from 'node:process'
import { expect, it } from 'vitest'
import { useDatabase } from '#test/support/database.ts'
import { growTree, type TreeOutcome } from '#test/support/forkTree.ts'
import { seedsLimitMs } from '#test/support/limits.ts'
import { createSeeds } from '#test/support/seeds.ts'
import { EVENT_KINDS } from '#test/support/simulatedEvents.ts'

/**
 * Seeds that failed once stay here. `REORG_TREES=5000` runs more than the usual number, `REORG_SEED=…` a single one; what fails is printed
 * and, with `REORG_FAILURES=<file>`, appended to that file. See `docs/faults.md`.
 */
const KEPT: readonly number[] = [174, 443, 800_135]
const USUAL = 15
/** Among this many each kind of fork and event has happened. */
const ALL_KINDS = 120
const seeds = createSeeds({ count: 'REORG_TREES', seed: 'REORG_SEED', failures: 'REORG_FAILURES', usual: USUAL, kept: KEPT })
/** Trees that grow at the same time: one uses the processor while another one waits for the database. */
const AT_ONCE = 3

it('any tree of forks ends in the tables of a fresh index of its last chain', {
  timeout: seedsLimitMs(seeds.list.length),
}, async () => {
  const databases = await Promise.all(
    Array.from({ length: AT_ONCE }, async () => ({ indexed: await useDatabase(), fresh: await useDatabase() })),
  )
  const outcomes = await seeds.run(databases, (seed, rig) => growTree(seed, rig, (actual, expected) => expect(actual).toEqual(expected)))
  const trees = outcomes.length
  const sum = (value: (outcome: TreeOutcome) => number) => outcomes.reduce((total, outcome) => total + value(outcome), 0)
  const events = (side: 'dropped' | 'added') =>
    Object.fromEntries(EVENT_KINDS.map(kind => [kind, sum(({ [side]: counts }) => counts[kind])] as const))
  const seen = {
    replaced: sum(({ replaced }) => replaced),
    deepest: Math.max(...outcomes.map(({ deepest }) => deepest)),
    restarts: sum(({ restarts }) => restarts),
    whileDown: sum(({ whileDown }) => whileDown),
    whileBackfilling: sum(({ whileBackfilling }) => whileBackfilling),
    inTheMiddle: sum(({ inTheMiddle }) => inTheMiddle),
    duringReorg: sum(({ duringReorg }) => duringReorg),
    whole: sum(({ whole }) => whole),
    lostCommits: sum(({ lostCommits }) => lostCommits),
    lostReplacements: sum(({ lostReplacements }) => lostReplacements),
    unlisted: sum(({ unlisted }) => unlisted),
    dropped: events('dropped'),
    added: events('added'),
  }
  process.stdout.write(`${trees} trees: ${JSON.stringify(seen)}\n`)
  if (trees < ALL_KINDS) return
  expect(seen.replaced).toBeGreaterThan(trees / 2)
  expect(seen.restarts).toBeGreaterThan(trees / 8)
  expect(seen.whileDown).toBeGreaterThan(trees / 20)
  expect(seen.whileBackfilling).toBeGreaterThan(trees / 40)
  expect(seen.inTheMiddle).toBeGreaterThan(trees / 4)
  expect(seen.duringReorg).toBeGreaterThan(trees / 40)
  expect(seen.whole).toBeGreaterThan(trees / 40)
  expect(seen.lostCommits).toBeGreaterThan(trees / 4)
  expect(seen.lostReplacements).toBeGreaterThan(trees / 20)
  expect(seen.unlisted).toBeGreaterThan(trees / 4)
  expect(seen.deepest).toBeGreaterThan(56)
  const rare = (counts: typeof seen.dropped) => EVENT_KINDS.filter(kind => !((counts[kind] ?? 0) > trees / 20))
  expect([rare(seen.dropped), rare(seen.added)]).toEqual([[], []])
})
