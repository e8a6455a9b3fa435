import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { HOT_PATHS } from '#benchmarks/hotPaths/hotPaths.ts'
import { parseOptions, SUITES } from '#benchmarks/options.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

it('npm run bench says what there is when it is asked for help', async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'bench', '--', '--help'], { cwd: ROOT })
  const suites = SUITES.filter(suite => suite !== 'hot').map(suite => `npm run bench -- ${suite} `)
  for (const text of [...suites, ...HOT_PATHS.map(({ name }) => name)]) expect(stdout).toContain(text)
})

describe('the options of npm run bench', () => {
  const defaults = {
    type: 'run',
    suite: 'hot',
    base: null,
    set: [],
    only: '',
    minutes: 5,
    rounds: null,
    full: false,
    small: false,
    check: false,
  }

  it.each([
    [[], defaults],
    [['--base', 'v0.1.0', '--minutes', '0.5', '--only', 'list'], { ...defaults, base: 'v0.1.0', minutes: 0.5, only: 'list' }],
    [['servers', '--full', '--rounds', '9'], { ...defaults, suite: 'servers', full: true, rounds: 9 }],
    [['growth', '--small'], { ...defaults, suite: 'growth', small: true }],
    [['--base', '.', '--set', 'REVALUED_TOKENS_PER_BLOCK=0'], { ...defaults, base: '.', set: ['REVALUED_TOKENS_PER_BLOCK=0'] }],
    [['--check'], { ...defaults, check: true }],
  ])('are read from %j', (args, expected) => {
    expect(parseOptions(args)).toEqual(expected)
  })

  it.each([
    [['peers'], 'say one of'],
    [['servers', 'micro'], 'say one of'],
    [['--rounds', '0'], '--rounds must be'],
    [['--rounds', 'many'], '--rounds must be'],
    [['--minutes', '0'], '--minutes must be'],
    [['--set', 'CONFIRMATIONS'], '--set must be'],
    [['--fast'], '--fast'],
  ])('are refused with what is wrong: %j', (args, text) => {
    expect(parseOptions(args)).toMatchObject({ type: 'wrong', text: expect.stringContaining(text) })
  })
})
