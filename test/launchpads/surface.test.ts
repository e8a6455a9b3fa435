import { expect, test } from 'vitest'
import { surfaceOfContext, surfaceOfReferrer } from '#launchpads/adapters/clankerToken.ts'

test.each([
  ['{"interface":"Bankr","platform":"twitter","messageId":"1","id":"2"}', 'bankr'],
  ['{"interface":"Clanker SDK"}', 'clanker sdk'],
  ['{"interface":"  ","platform":"Farcaster"}', 'farcaster'],
  ['{"interface":7,"platform":null}', null],
  [`{"interface":"${'x'.repeat(99)}"}`, 'x'.repeat(64)],
  ['{"interface":"a\\u0000\\nb\\ud800"}', 'ab\ufffd'],
  ['["Bankr"]', null],
  ['"Bankr"', null],
  ['null', null],
  ['{"interface":', null],
  ['', null],
  [`{"interface":"Bankr","id":"${'x'.repeat(10_000)}"}`, null],
])('reads the front end of the context %s', (context, surface) => {
  expect(surfaceOfContext(context)).toBe(surface)
})

test('takes a platform referrer for the front end, and the zero address for none', () => {
  expect(surfaceOfReferrer('0x7bf90111Ad7C22bec9E9dFf8A01A44713CC1b1B6')).toBe('0x7bf90111ad7c22bec9e9dff8a01a44713cc1b1b6')
  expect(surfaceOfReferrer(`0x${'0'.repeat(40)}`)).toBeNull()
})
