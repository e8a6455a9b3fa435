import { expect, test } from 'vitest'
import { EventFilter } from '#actors/events/eventFilter.ts'
import type { ChannelEvent } from '#resources/channelEvent.ts'
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
