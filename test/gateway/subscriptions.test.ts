import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OutboxSubscription } from '#gateway/outbox/outboxSubscription.ts'
import { Subscriptions } from '#gateway/realtime/webSocketConnection.ts'
import { addressOf } from '#test/support/snapshots.ts'

const subscriptionOf = (n: number) => ({ token: addressOf(n) }) as OutboxSubscription

test('is a map from tokens to subscriptions, whatever comes and goes', () => {
  const steps = fc.array(fc.record({ token: fc.integer({ min: 0, max: 3 }), adds: fc.boolean() }), { maxLength: 30 })
  fc.assert(
    fc.property(steps, all => {
      const subscriptions = new Subscriptions()
      const model = new Map<string, OutboxSubscription>()
      for (const { token: n, adds } of all) {
        const token = addressOf(n)
        if (!adds) {
          subscriptions.remove(token)
          model.delete(token)
        } else if (!model.has(token)) {
          const subscription = subscriptionOf(n)
          subscriptions.add(subscription)
          model.set(token, subscription)
        }
        expect(subscriptions.size).toBe(model.size)
        expect(new Set(subscriptions.values())).toEqual(new Set(model.values()))
        for (let other = 0; other <= 3; other++) expect(subscriptions.get(addressOf(other))).toBe(model.get(addressOf(other)))
      }
    }),
  )
})

test('can be removed from while it is walked', () => {
  const subscriptions = new Subscriptions()
  for (const n of [1, 2, 3]) subscriptions.add(subscriptionOf(n))
  for (const { token } of subscriptions.values()) subscriptions.remove(token)
  expect(subscriptions.size).toBe(0)
})
