import { describe, expect, it } from 'vitest'
import { MICRO_BENCHMARKS } from '#benchmarks/micro/microBenchmarks.ts'
import { reportMicro, runMicro } from '#benchmarks/micro/runMicro.ts'

describe.each(MICRO_BENCHMARKS)('the micro benchmark "$name"', ({ tasks }) => {
  it.each(tasks())('gives right results before and after a batch of "$name"', task => {
    expect(() => task.check()).not.toThrow()
    task.prepare?.()
    for (let index = 0; index < task.batch; index++) task.run(index)
    expect(() => task.check()).not.toThrow()
  })
})

describe('a micro run', () => {
  const counted = (name: string, base?: string) => ({
    name,
    batch: 5,
    ...(base === undefined ? {} : { base }),
    check: () => {},
    run: (index: number) => index,
  })

  it('reports each task, with the ratio to its base', async () => {
    const benchmark = { name: 'counting', about: 'nothing', tasks: () => [counted('one'), counted('other', 'one')] }
    const results = await runMicro(benchmark, { timeMs: 1, warmupMs: 1 })
    expect(results.map(({ task, ratio }) => [task, ratio?.of ?? null])).toEqual([
      ['one', null],
      ['other', 'one'],
    ])
    for (const result of results) expect(result.samples).toBeGreaterThan(0)
    expect(reportMicro(benchmark, results)).toMatch(/^counting: nothing\n\n.*ops\/s.*\n[─ ]+\none .*\nother .* × one\n$/)
  })

  it('times nothing when a result is wrong', async () => {
    let runs = 0
    const wrong = {
      ...counted('wrong'),
      check: () => {
        throw new Error('the result is wrong')
      },
      run: () => runs++,
    }
    const run = runMicro({ name: 'wrong', about: '', tasks: () => [counted('right'), wrong] }, { timeMs: 1, warmupMs: 1 })
    await expect(run).rejects.toThrow('the result is wrong')
    expect(runs).toBe(0)
  })
})
