import { describe, expect, it } from 'vitest'
import { type Figures, takeTurns } from '#benchmarks/harness/benchmark.ts'
import { judge } from '#benchmarks/harness/judge.ts'
import { reportArms, reportChange } from '#benchmarks/harness/report.ts'

/** Arms whose times are given, round by round. */
async function run(times: Readonly<Record<string, readonly (number | 'fails')[]>>, rounds: number) {
  const turns: string[] = []
  const arms = Object.entries(times).map(([name, of]) => ({
    name,
    measure: async (): Promise<Figures> => {
      turns.push(name)
      const time = of[turns.filter(turn => turn === name).length - 1] ?? 0
      if (time === 'fails') throw new Error(`${name} died`)
      return { time }
    },
  }))
  const benchmark = { name: 'given', about: 'nothing happens', arms, figures: [{ name: 'time', unit: 'ms', better: 'less' }] } as const
  return { turns, result: await takeTurns(benchmark, { goesOn: taken => taken < rounds }) }
}

describe('the turns of a benchmark', () => {
  it('alternate, and compare what was measured in the same round', async () => {
    const { turns, result } = await run({ base: [1, 10, 1], own: [2, 40, 3] }, 3)
    expect(turns).toEqual(['base', 'own', 'own', 'base', 'base', 'own'])
    expect(result.arms[0]).toMatchObject({ arm: 'base', figures: { time: 1 }, ratios: { time: { median: 1 } } })
    expect(result.arms[1]).toMatchObject({ arm: 'own', figures: { time: 3 }, ratios: { time: { median: 3, low: 2, high: 4 } } })
    expect(reportArms(result)).toMatch(/own +3\.00 ms +3\.00 \(2\.00–4\.00\)/)
  })

  it('show the noise by two turns of the same arm in a row', async () => {
    // own: 10 then 11; base: 20 then 25; own: 10 then 13.
    const { result } = await run({ base: [21, 20, 25, 20], own: [10, 11, 10, 13] }, 4)
    expect(result.noise['time']).toBe(1.25)
    expect((await run({ base: [1], own: [2] }, 1)).result.noise).toEqual({})
  })

  it('go on without an arm that fails, which is reported', async () => {
    const { turns, result } = await run({ base: [1, 10, 2], own: [2, 'fails', 6] }, 3)
    expect(turns).toHaveLength(6)
    // Only rounds in which both have a figure.
    expect(result.arms[1]).toMatchObject({ figures: { time: 4 }, ratios: { time: { median: 2.5, low: 2, high: 3 } } })
    expect(reportArms(result)).toContain('\nFAILED: own, in 1 of 3 rounds: own died')
  })

  it('end for an arm that fails twice', async () => {
    const { turns, result } = await run({ base: ['fails', 'fails', 1, 1], own: [1, 1, 1, 1] }, 4)
    expect(turns.filter(turn => turn === 'base')).toHaveLength(2)
    expect(result.arms[0]).toMatchObject({ figures: {}, ratios: {}, failures: ['base died', 'base died'] })
    expect(reportArms(result)).toMatch(/base +– +–/)
  })
})

describe('the verdict about a change', () => {
  const ratio = (median: number, low: number, high: number) => ({ median, low, high })

  it.each([
    ['an interval that holds 1', ratio(1.2, 0.99, 1.4), 1.01, 5, 'no change'],
    ['a difference that the same code shows too', ratio(1.2, 1.1, 1.3), 1.1, 5, 'no change'],
    ['the same the other way', ratio(0.85, 0.8, 0.9), 1.1, 5, 'no change'],
    ['the same after many more rounds', ratio(1.2, 1.1, 1.3), 1.1, 20, 'worse'],
    ['a difference without known noise', ratio(1.2, 1.1, 1.3), undefined, 1, 'no change'],
    ['more, where less is better', ratio(1.2, 1.1, 1.3), 1.05, 5, 'worse'],
    ['less', ratio(0.8, 0.7, 0.9), 1.05, 5, 'better'],
  ] as const)('is about %s', (_, of, noise, rounds, verdict) => {
    expect(judge({ ratio: of, noise, rounds, better: 'less' })).toBe(verdict)
    const turned = { better: 'worse', worse: 'better', 'no change': 'no change' }[verdict]
    expect(judge({ ratio: of, noise, rounds, better: 'more' })).toBe(turned)
  })

  it('is in the table, beside both values, their ratio and the noise', async () => {
    const { result } = await run({ base: [100, 101, 99, 100, 100], own: [120, 121, 119, 121, 120] }, 5)
    expect(reportChange(result)).toMatch(/time +100 ms +120 ms +1\.20 \(1\.20–1\.21\) +±1\.\d % +WORSE/)
  })
})
