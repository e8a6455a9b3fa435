import { expect, it } from 'vitest'
import { EventFilter } from '#actors/events/eventFilter.ts'
import { Webhook, type WebhookOptions } from '#jobs/webhooks/webhook.ts'
import { eventually } from '#test/support/eventually.ts'
import { begun, grow, indexed, receiver, start, stateOf, storedTrades, useHookedIndex } from './hookedIndex.ts'

await useHookedIndex()

it('stores the position of a webhook whose filter lets nothing through', async () => {
  await grow(3)
  const webhooks = start([[receiver.config('none'), { minWeth: '1000000000' }]], {
    schedule: look => {
      const timer = setInterval(look, 1)
      return () => clearInterval(timer)
    },
  })
  await begun('none')
  const before = (await storedTrades()).length
  await grow(6)
  const newest = (await storedTrades()).slice(before).at(-1)?.split('-')[0]
  webhooks.changed(indexed)
  await eventually(async () => String((await stateOf('none'))?.position.place.blockNumber) === newest)
  expect(receiver.deliveries).toEqual([])
})

it('does nothing while the channel has no position for the webhook', () => {
  const channel = { subscribe: () => undefined, unsubscribe: () => undefined, drained: () => undefined, positionOf: () => null }
  const progress = { failures: 0, waitMs: 0, position: { place: { blockNumber: 1, logIndex: 1 }, reorgs: 0 } }
  const webhook = new Webhook({ config: { name: 'all' }, filter: new EventFilter({}), channel, progress } as unknown as WebhookOptions)
  webhook.checkpoint()
  expect(webhook.isDrained).toBe(true)
})
