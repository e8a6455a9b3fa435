import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { packagePath } from '#package'
import { chooseScenarios, SCENARIOS } from '#test/reliability/scenarios.ts'

/* The suite was green on paper and failed when it was run: no check knew of it. */

const checks = SCENARIOS.flatMap(scenario => scenario.checks.map(check => ({ group: scenario.group, check })))

test('CI has every scenario of the reliability suite once', () => {
  expect(readFileSync(packagePath('.ci/run'), 'utf8')).toContain('\nRELIABILITY_RUNS=1 npm run test:reliability\n')
})

test('the document has the result of every check of the reliability suite, and of no other', () => {
  const documented = readFileSync(packagePath('docs/reliability.md'), 'utf8').matchAll(/^\| (.+?) +\| (.+?) +\| [✓✗][✓✗ ]* \|/gm)
  expect([...documented].map(([, group, check]) => ({ group, check }))).toEqual(checks)
})

// It said "0 of 0", and ended with 0.
test('a filter that matches no scenario is an error that names the groups', () => {
  expect(() => chooseScenarios('reorg of nothing')).toThrow(/^no scenario has "reorg of nothing" .* crash recovery, reorgs, /)
  expect(chooseScenarios('reorgs').map(({ group }) => group)).toEqual(['reorgs', 'reorgs', 'reorgs', 'reorgs'])
})
