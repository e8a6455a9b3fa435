import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import {
  type ArmKind,
  LIMIT,
  SOCKET_IO,
  TOKENWIRE,
  TOKENWIRE_SSE,
  UWS_CORK,
  UWS_PUBLISH,
  UWS_SEND,
  WS,
} from '#benchmarks/macro/fanOut/arms.ts'
import { drawScenarios } from '#benchmarks/macro/fanOut/picture.ts'
import { createProgress } from '#benchmarks/macro/fanOut/progress.ts'
import { reportGoals, reportScenario } from '#benchmarks/macro/fanOut/report.ts'
import { judgeChange } from '#benchmarks/macro/fanOut/reportChanges.ts'
import { type Figures, runScenario, type Scenario } from '#benchmarks/macro/fanOut/scenario.ts'
import { Session } from '#benchmarks/macro/fanOut/session.ts'
import { feedPosition } from '#benchmarks/servers/feed.ts'

/** The load is written in C; whoever has no compiler can't run these benchmarks, and is told so by them. */
const hasCompiler = (() => {
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

describe.skipIf(!hasCompiler)('a session of the fan-out benchmarks', () => {
  const CONNECTIONS = 3
  const TOKENS = 2
  const BLOCKS = 2

  it.each([TOKENWIRE, UWS_SEND, UWS_PUBLISH, UWS_CORK, WS, SOCKET_IO, LIMIT])(
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

/** A scenario that measures nothing: it says what it is told. */
function told(figures: Readonly<Record<string, readonly number[]>>, goals: Scenario['goals'] = []) {
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
      return { time: figures[name]?.[turns.filter(turn => turn === name).length - 1] ?? 0 }
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
