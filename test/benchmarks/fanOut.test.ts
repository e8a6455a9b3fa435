import { describe, expect, it } from 'vitest'
import {
  type ArmKind,
  LIMIT,
  SOCKET_IO,
  TOKENWIRE,
  TOKENWIRE_SSE,
  TOKENWIRE_THREADS,
  UWS_CORK,
  UWS_PUBLISH,
  UWS_SEND,
  WS,
} from '#benchmarks/macro/fanOut/arms.ts'
import { mergeResults } from '#benchmarks/macro/fanOut/mergeResults.ts'
import { drawScenarios } from '#benchmarks/macro/fanOut/picture.ts'
import { createProgress } from '#benchmarks/macro/fanOut/progress.ts'
import { reportGoals, reportScenario } from '#benchmarks/macro/fanOut/report.ts'
import { judgeChange } from '#benchmarks/macro/fanOut/reportChanges.ts'
import { type Figures, runScenario, type Scenario } from '#benchmarks/macro/fanOut/scenario.ts'
import { Session } from '#benchmarks/macro/fanOut/session.ts'
import { isInstalled } from '#benchmarks/servers/childServer.ts'
import { feedPosition } from '#benchmarks/servers/feed.ts'

/** The load is written in C. Without a compiler the benchmarks end with a message. */
const hasCompiler = isInstalled('cc')

describe.skipIf(!hasCompiler)('a session of the fan-out benchmarks', () => {
  const CONNECTIONS = 3
  const TOKENS = 2
  const BLOCKS = 2

  it.each([TOKENWIRE, TOKENWIRE_THREADS, UWS_SEND, UWS_PUBLISH, UWS_CORK, WS, SOCKET_IO, LIMIT])(
    'delivers every update to every connection of $name',
    async arm => {
      const session = await Session.start(arm)
      try {
        await session.open({ connections: CONNECTIONS, subscriptions: () => [0, 1] })
        const { receipts, latenciesMs } = await session.deliver({ touched: TOKENS, tokens: TOKENS, blocks: BLOCKS, size: 'small' })
        const received = Array.from({ length: receipts.count }, (_, index) => {
          const { block, token } = feedPosition(receipts.sequence(index))
          return `${receipts.connection(index)}/${block}/${token}`
        })
        const sent = [0, 1, 2].flatMap(connection => [1, 2].flatMap(block => [0, 1].map(token => `${connection}/${block}/${token}`)))
        expect(received.toSorted()).toEqual(sent)
        expect(latenciesMs.every(latency => latency > 0)).toBe(true)
      } finally {
        await session.stop()
      }
    },
  )

  it('delivers large updates as an event stream too', async () => {
    const session = await Session.start(TOKENWIRE_SSE)
    try {
      await session.open({ connections: CONNECTIONS, subscriptions: () => [0] })
      const { receipts } = await session.deliver({ touched: 1, tokens: 1, blocks: BLOCKS, size: 'large' })
      expect(receipts.count).toBe(CONNECTIONS * BLOCKS)
    } finally {
      await session.stop()
    }
  })
})

const arm = (name: string): ArmKind => ({ name, server: 'ws' })

/** A scenario that returns given figures. */
function told(figures: Readonly<Record<string, readonly (number | 'fails')[]>>, goals: Scenario['goals'] = []) {
  const turns: string[] = []
  const scenario: Scenario = {
    name: 'told',
    about: 'nothing happens',
    arms: Object.keys(figures).map(arm),
    base: arm('base'),
    figures: [{ name: 'time', unit: 'ms', better: 'less' }],
    goals,
    measure: async ({ name }): Promise<Figures> => {
      turns.push(name)
      const time = figures[name]?.[turns.filter(turn => turn === name).length - 1] ?? 0
      if (time === 'fails') throw new Error(`${name} died`)
      return { time }
    },
  }
  return { scenario, turns }
}

describe('a scenario of the fan-out benchmarks', () => {
  it('lets its arms take turns, and compares what was measured in the same round', async () => {
    const { scenario, turns } = told({ own: [2, 40, 3], base: [1, 10, 1] })
    const { arms } = await runScenario(scenario, 3, () => {})
    expect(turns).toEqual(['own', 'base', 'base', 'own', 'own', 'base'])
    expect(arms[0]).toMatchObject({ arm: 'own', figures: { time: 3 }, ratios: { time: { median: 3, low: 2, high: 4 } } })
    expect(arms[1]).toMatchObject({ arm: 'base', figures: { time: 1 }, ratios: { time: { median: 1 } } })
  })

  it('says which goals are reached, and nothing of those beside an arm that is not there', async () => {
    const { scenario } = told({ own: [2], base: [1] }, [
      { figure: 'time', of: 'own', to: 'base', ratio: 2 },
      { figure: 'time', of: 'own', to: 'base', ratio: 1.9 },
      { figure: 'time', of: 'own', to: null, ratio: 1 },
      { figure: 'time', of: 'own', to: 'absent', ratio: 1 },
    ])
    const result = await runScenario(scenario, 1, () => {})
    expect(result.goals.map(({ to, reached, isReached }) => [to, reached, isReached])).toEqual([
      ['base', 2, true],
      ['base', 2, false],
      [null, 2, false],
    ])
    const report = reportScenario(result)
    expect(report).toContain('\nreached: time, own ÷ base: 2.00 (goal 2)\nNOT reached: time, own ÷ base: 2.00 (goal 1.9)')
    expect(report).toMatch(/own +2\.00 ms +2\.00 \(2\.00–2\.00\)/)
    expect(reportGoals([result])).toMatch(/time: own +2\.00 +1 +NOT reached/)
    expect(drawScenarios([result])).toMatch(/^<svg [^>]+>[\s\S]+own[\s\S]+2\.00 ms[\s\S]+<\/svg>\n$/)
  })
})

describe('an arm that fails', () => {
  it('is reported with what went wrong, and the others go on', async () => {
    const { scenario, turns } = told({ own: [2, 'fails', 6], base: [1, 10, 2] })
    const result = await runScenario(scenario, 3, () => {})
    expect(turns).toHaveLength(6)
    // Only rounds in which both have a figure.
    expect(result.arms[0]).toMatchObject({ figures: { time: 4 }, ratios: { time: { median: 2.5, low: 2, high: 3 } } })
    expect(reportScenario(result)).toContain('\nFAILED: own, in 1 of 3 rounds: own died')
  })

  it('has no more turns after the second time, no figures and no goals', async () => {
    const { scenario, turns } = told({ own: [1, 1, 1, 1], base: ['fails', 'fails', 1, 1] }, [
      { figure: 'time', of: 'own', to: 'base', ratio: 1 },
      { figure: 'time', of: 'base', to: null, ratio: 1 },
    ])
    const result = await runScenario(scenario, 4, () => {})
    expect(turns.filter(turn => turn === 'base')).toHaveLength(2)
    expect(result.goals).toEqual([])
    expect(result.arms[1]).toMatchObject({ figures: {}, ratios: {}, failures: ['base died', 'base died'] })
    expect(reportScenario(result)).toMatch(/base +– +–/)
    expect(drawScenarios([result])).toContain('–')
  })
})

describe('the results of several runs', () => {
  it('are put together as if they were one run', async () => {
    const goals = [{ figure: 'time', of: 'own', to: 'base', ratio: 2 }]
    const run = async (figures: Parameters<typeof told>[0], rounds: number) => runScenario(told(figures, goals).scenario, rounds, () => {})
    const [first, second] = [await run({ own: [2], base: [1] }, 1), await run({ other: [3, 'fails'], own: [8, 9], base: [2, 3] }, 2)]
    const kept = JSON.parse(JSON.stringify([[first], [], [second, { ...second, scenario: 'another' }]])) as Parameters<
      typeof mergeResults
    >[0]
    const [told3, another] = mergeResults(kept)
    expect(told3?.arms.map(({ arm: of, perRound }) => [of, perRound.map(round => round?.['time'] ?? null)])).toEqual([
      ['own', [2, 8, 9]],
      ['base', [1, 2, 3]],
      ['other', [null, 3, null]],
    ])
    expect(told3?.arms[0]?.ratios).toEqual({ time: { median: 3, low: 2, high: 4 } })
    expect(told3?.arms[2]).toMatchObject({ ratios: { time: { median: 1.5 } }, failures: ['other died'] })
    expect(told3?.goals).toMatchObject([{ reached: 3, isReached: false }])
    expect(another).toEqual({ ...second, scenario: 'another' })
  })
})

describe('the comparison of two checkouts', () => {
  const ratio = (median: number, low: number, high: number) => ({ median, low, high })

  it.each([
    ['an interval that holds 1', ratio(1.2, 0.99, 1.4), ratio(1, 0.9, 1.1), 'none'],
    ['a difference that the same code shows too', ratio(1.2, 1.1, 1.3), ratio(1.1, 1, 1.2), 'none'],
    ['the same the other way', ratio(1.2, 1.1, 1.3), ratio(0.9, 0.8, 1), 'none'],
    ['more, where less is better', ratio(1.2, 1.1, 1.3), ratio(1.02, 0.9, 1.1), 'worse'],
    ['less', ratio(0.8, 0.7, 0.9), ratio(1.02, 0.9, 1.1), 'better'],
  ])('judges %s', (_, of, noise, change) => {
    expect(judgeChange(of, noise, 'less')).toBe(change)
    const turned = { better: 'worse', worse: 'better', none: 'none' }[change]
    expect(judgeChange(of, noise, 'more')).toBe(turned)
  })
})

describe('the progress of a run', () => {
  const step = (round: number, arm: string) => ({ scenario: 'a block', round, rounds: 2, arm })

  it('is one line that is written over', () => {
    let text = ''
    let nowMs = 0
    const progress = createProgress({ steps: 3, write: part => (text += part), isTerminal: true, columns: 60, now: () => nowMs })
    progress.step(step(1, 'ws'))
    nowMs = 10_000
    progress.step(step(1, 'tokenwire'))
    progress.clear()
    expect(text.split('\r\u001b[K')).toEqual([
      '',
      '[1/3] a block, round 1 of 2: ws',
      '[2/3, about 20 s left] a block, round 1 of 2: tokenwire',
      '',
    ])
  })

  it('is a line for each round where it is kept', () => {
    let text = ''
    const progress = createProgress({ steps: 3, write: part => (text += part), isTerminal: false, columns: 60, now: () => 0 })
    for (const [round, name] of [
      [1, 'ws'],
      [1, 'tokenwire'],
      [2, 'ws'],
    ] as const)
      progress.step(step(round, name))
    progress.clear()
    expect(text).toBe('[1/3] a block, round 1 of 2\n[3/3, about 0 s left] a block, round 2 of 2\n')
  })
})
