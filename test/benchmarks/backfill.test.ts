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
  const figuresOf = (name: string) => results.arms.find(({ arm }) => arm === name)?.figures
  for (const { figures } of results.arms) expect(figures['time']).toBeGreaterThan(0)
  expect(figuresOf('tokenwire')?.['database CPU']).toBeGreaterThan(0)
  expect(figuresOf('tokenwire')).not.toHaveProperty('page p99')
  expect(figuresOf('tokenwire, read')?.['page p99']).toBeGreaterThan(0)
})
