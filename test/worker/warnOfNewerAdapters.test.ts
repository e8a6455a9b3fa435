import { expect, test } from 'vitest'
import { withVersions } from '#launchpads/registry.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { LAUNCHPADS } from '#test/support/simulatedIndex.ts'
import { warnOfNewerAdapters } from '#worker/changingIndex.ts'

test('the start says which launchpads an earlier version of their adapter has indexed, and what rebuilds them', () => {
  const log = createLogLines()
  const launchpads = withVersions(LAUNCHPADS)
  warnOfNewerAdapters({ launchpads }, log.logger)
  expect(log.lines()).toEqual([])
  const indexed = launchpads.map(entry => (entry.name === 'clanker' ? { ...entry, version: (entry.version ?? 1) - 1 } : entry))
  warnOfNewerAdapters({ launchpads: indexed }, log.logger)
  const msg = 'the adapter has learned more since this launchpad was indexed: npm run launchpads -- rebuild clanker'
  expect(log.lines()).toEqual([expect.objectContaining({ level: 40, launchpad: 'clanker', msg })])
})
