import process from 'node:process'
import { afterAll, expect, it } from 'vitest'
import { createHits } from '#test/support/faults/hits.ts'
import { STORM_FAULTS, weatherStorm } from '#test/support/faults/storm.ts'
import { openStormRig, type StormRig } from '#test/support/faults/stormRig.ts'
import { seedsLimitMs } from '#test/support/limits.ts'
import { createSeeds } from '#test/support/seeds.ts'

/**
 * Seeds that failed once stay here. `FAULT_SEEDS=5000` runs more than the usual number, `FAULT_SEED=…` a single one; what fails is printed
 * and, with `FAULT_FAILURES=<file>`, appended to that file. See `docs/faults.md`.
 */
const KEPT: readonly number[] = [79, 81, 126, 151, 230, 268, 356, 1_077, 10_884, 11_837, 22_146, 604_105, 700_184, 700_634]
const USUAL = 10
/** Among this many each fault has happened. */
const ALL_FAULTS = 500
const seeds = createSeeds({ count: 'FAULT_SEEDS', seed: 'FAULT_SEED', failures: 'FAULT_FAILURES', usual: USUAL, kept: KEPT })
/** Storms at the same time: one uses the processor while another one waits for a time-out or the database. */
const AT_ONCE = 4

const rigs: StormRig[] = []
afterAll(async () => {
  for (const rig of rigs) await rig.stop()
})

it('comes out of any mixture of faults with what an undisturbed service has', {
  timeout: seedsLimitMs(seeds.list.length),
}, async () => {
  rigs.push(...(await Promise.all(Array.from({ length: Math.min(AT_ONCE, seeds.list.length) }, () => openStormRig()))))
  const { hit, counts } = createHits(STORM_FAULTS)
  await seeds.run(rigs, (seed, rig) => weatherStorm(seed, rig, hit, (actual, expected) => expect(actual).toEqual(expected)))
  process.stdout.write(`${seeds.list.length} storms: ${JSON.stringify(counts())}\n`)
  if (seeds.list.length >= ALL_FAULTS) expect(Object.entries(counts()).filter(([, count]) => count === 0)).toEqual([])
})
