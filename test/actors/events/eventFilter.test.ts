import { expect, test } from 'vitest'
import { EventFilter } from '#actors/events/eventFilter.ts'
import { parseDecimal } from '#domain/decimal.ts'
import type { ChannelEvent } from '#resources/channelEvent.ts'
import { valueChangeOf } from '#test/support/memoryEvents.ts'
import { addressOf, tokenOf } from '#test/support/snapshots.ts'

test('lets graduations through by the status that they reach', () => {
  const event = (status: ChannelEvent['status']): ChannelEvent => ({
    place: { blockNumber: 1, logIndex: 1 },
    token: addressOf(1),
    wallet: addressOf(2),
    launchpad: 'wow',
    side: null,
    amountWei: null,
    status,
    data: tokenOf(addressOf(1), 1),
  })
  const migrated = new EventFilter({ status: ['migrated'] })
  expect([migrated.fits(event('migrated')), migrated.fits(event('completed'))]).toEqual([true, false])
  const all = new EventFilter({})
  expect([all.fits(event('migrated')), all.fits(event('completed'))]).toEqual([true, true])
  expect(migrated.key).not.toBe(new EventFilter({ status: ['completed'] }).key)
})

test.each([
  ['above', '90', '100', true],
  ['above', '90', '99.9', false],
  ['above', '100', '110', false],
  ['above', '110', '90', false],
  ['above', null, '100', true],
  ['above', null, '99', false],
  ['below', '110', '100', true],
  ['below', '100', '90', false],
  ['below', '90', '110', false],
  ['below', null, '90', false],
  ['above', '90', null, false],
  ['below', '110', null, false],
] as const)('a bound of %s 100 with a value that went from %s to %s lets it through: %s', (side, before, after, expected) => {
  const bound = { of: 'priceUsd', side, value: parseDecimal('100') } as const
  const event: ChannelEvent = {
    place: { blockNumber: 1, logIndex: 1 },
    token: addressOf(1),
    wallet: addressOf(2),
    launchpad: 'wow',
    side: null,
    amountWei: null,
    status: null,
    data: valueChangeOf(addressOf(1), { priceUsd: [before, after] }),
  }
  expect(new EventFilter({ bound }).fits(event)).toBe(expected)
  expect(new EventFilter({ bound, tokens: [addressOf(2)] }).fits(event)).toBe(false)
  expect(new EventFilter({ bound }).key).not.toBe(new EventFilter({ bound: { ...bound, side: side === 'above' ? 'below' : 'above' } }).key)
})
