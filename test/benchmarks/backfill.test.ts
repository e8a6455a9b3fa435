import { expect, it } from 'vitest'
import { withBackfillBenchmarks } from '#benchmarks/backfill/backfillBenchmarks.ts'
import { takeTurns } from '#benchmarks/harness/benchmark.ts'

it.skipIf(process.platform !== 'linux')('a backfill is measured beside its floor, and while pages are requested', async () => {
  const settings = { size: { tokens: 4, trades: 150, blocks: 160 }, latenciesMs: [1], peers: [] }
  const results = await withBackfillBenchmarks(
    settings,
    () => undefined,
    async ([benchmark]) => {
      if (benchmark === undefined) throw new RangeError('no benchmark')
      return takeTurns(benchmark, { goesOn: () => false })
    },
  )
  expect(results.arms.map(({ arm, failures }) => [arm, failures])).toEqual([
    ['floor', []],
    ['tokenwire', []],
    ['tokenwire, keeps logs', []],
    ['tokenwire, from kept logs', []],
    ['tokenwire, read', []],
  ])
  const [floor, tokenwire, read] = results.arms.map(({ figures }) => figures)
  for (const figures of [floor, tokenwire, read]) expect(figures?.['time']).toBeGreaterThan(0)
  expect(tokenwire?.['database CPU']).toBeGreaterThan(0)
  expect(tokenwire).not.toHaveProperty('page p99')
  expect(read?.['page p99']).toBeGreaterThan(0)
})
