import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { packagePath } from '#package'

/** Entries of CHANGELOG.md that an operator or a user must act upon, by their words. */
const NEEDS_A_HAND =
  /\b(?:has|have) to be (?!awaited)|\bmust be (?:run|set|renamed|replaced|changed|removed|given)\b|\bby hand\b|\brun again\b/

// "`npm run db:views` has to be run again" was the fourteenth line of what is faster and better.
test('what an upgrade needs a hand for stands under "Breaking", which comes first', () => {
  const versions = readFileSync(packagePath('CHANGELOG.md'), 'utf8').split(/^## /m).slice(1)
  expect(versions.length).toBeGreaterThan(1)
  const objections = versions.flatMap(version => {
    const sections = version.split(/^### /m).slice(1)
    const [name = ''] = version.split('\n')
    const isLate = sections.findIndex(section => section.startsWith('Breaking\n')) > 0
    const elsewhere = sections.filter(section => !section.startsWith('Breaking\n')).flatMap(section => section.split(/^- /m).slice(1))
    const hidden = elsewhere.filter(entry => NEEDS_A_HAND.test(entry.replaceAll(/\s+/g, ' ')))
    return [...(isLate ? [`${name}: "Breaking" does not come first`] : []), ...hidden.map(entry => `${name}: ${entry}`)]
  })
  expect(objections).toEqual([])
})
