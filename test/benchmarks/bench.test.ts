import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { MICRO_BENCHMARKS } from '#benchmarks/micro/microBenchmarks.ts'
import { parseOptions } from '#benchmarks/options.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

describe('npm run bench', () => {
  it('says what there is when it is asked for help', async () => {
    const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'bench', '--', '--help'], { cwd: ROOT })
    for (const { name } of MICRO_BENCHMARKS) expect(stdout).toContain(name)
    for (const word of [
      'micro',
      'macro',
      'growth',
      '--only',
      '--check',
      '--rounds',
      '--full',
      'bench:compare',
      'bench:table',
      'fan-out',
      'backfill',
    ])
      expect(stdout).toContain(word)
  })
})

describe('the options of npm run bench', () => {
  const everything = { type: 'run', micro: true, macro: 'short', backfill: null, growth: null, only: '', rounds: 3, check: false }
  const growth = { ...everything, micro: false, macro: null }

  it('are everything short unless told', () => {
    expect(parseOptions([])).toEqual(everything)
  })

  it.each([
    [['micro'], { ...everything, macro: null }],
    [['macro', '--rounds', '9'], { ...everything, micro: false, rounds: 9 }],
    [['--full'], { ...everything, macro: 'full' }],
    [['--only', 'outbox'], { ...everything, macro: null, only: 'outbox' }],
    [['--only', 'a block of'], { ...everything, micro: false, only: 'a block of' }],
    [['--check'], { ...everything, macro: null, check: true }],
    [['growth'], { ...growth, growth: { scale: 'full', parts: ['requests', 'commits', 'hot token'] } }],
    [['growth', '--small'], { ...growth, growth: { scale: 'small', parts: ['requests', 'commits', 'hot token'] } }],
    [['growth', '--only', 'hot token'], { ...growth, growth: { scale: 'full', parts: ['hot token'] }, only: 'hot token' }],
    [['backfill'], { ...everything, micro: false, macro: null, backfill: 'short' }],
    [['backfill', '--full'], { ...everything, micro: false, macro: null, backfill: 'full' }],
  ])('can be narrowed by %j', (args, expected) => {
    expect(parseOptions(args)).toEqual(expected)
  })

  it.each([
    [['peers'], 'there is no peers'],
    [['--rounds', '0'], '--rounds must be'],
    [['--rounds', 'many'], '--rounds must be'],
    [['--only', 'nothing of that name'], 'nothing that was asked for'],
    [['macro', '--only', 'outbox'], 'nothing that was asked for'],
    [['growth', '--only', 'outbox'], 'nothing that was asked for'],
    [['--fast'], '--fast'],
  ])('are refused with what is wrong: %j', (args, text) => {
    const options = parseOptions(args)
    expect(options).toMatchObject({ type: 'wrong', text: expect.stringContaining(text) })
  })
})
