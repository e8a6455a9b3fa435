import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { OutboxSubscription } from '#gateway/outbox/outboxSubscription.ts'
import {
  judge,
  PING_AFTER_MS,
  type Signs,
  Subscriptions,
  takeMessage,
  UNRESPONSIVE_MS,
  type Verdict,
} from '#gateway/realtime/webSocketConnection.ts'
import { addressOf } from '#test/support/snapshots.ts'

describe('judge', () => {
  const signs = (overrides: Partial<Signs> = {}): Signs => ({ heardAtMs: 0, pingedAtMs: 0, stuckSinceMs: null, ...overrides })

  it.each<[string, Signs, number, Verdict]>([
    ['leaves a client alone that was just heard', signs(), PING_AFTER_MS - 1, 'fine'],
    ['pings a silent one', signs(), PING_AFTER_MS, 'ping'],
    ['does not ping again at once', signs({ pingedAtMs: PING_AFTER_MS }), 2 * PING_AFTER_MS - 1, 'fine'],
    ['pings again when it stays silent', signs({ pingedAtMs: PING_AFTER_MS }), 2 * PING_AFTER_MS, 'ping'],
    ['closes one that answers nothing', signs({ pingedAtMs: 2 * PING_AFTER_MS }), UNRESPONSIVE_MS, 'close'],
    ['lets one live that answered the last ping', signs({ heardAtMs: 40_000, pingedAtMs: 40_000 }), UNRESPONSIVE_MS - 1, 'fine'],
    ['does not ping one that has data to read', signs({ stuckSinceMs: 0 }), UNRESPONSIVE_MS - 1, 'fine'],
    ['closes one that reads nothing, though it speaks', signs({ heardAtMs: 59_000, stuckSinceMs: 0 }), UNRESPONSIVE_MS, 'close'],
    ['lets one live that reads slowly, though it is silent', signs({ stuckSinceMs: 70_000 }), 100_000, 'fine'],
  ])('%s', (_, given, nowMs, verdict) => {
    expect(judge(given, nowMs)).toBe(verdict)
  })
})

describe('takeMessage', () => {
  const takeAll = (from: number, nowMs: number, perSecond: number) => {
    let paidUntilMs = from
    for (let taken = 0; ; taken++) {
      const next = takeMessage(paidUntilMs, nowMs, perSecond)
      if (next === null) return { taken, paidUntilMs }
      paidUntilMs = next
    }
  }

  it('lets four seconds’ worth through at once, then the rate', () => {
    let paidUntilMs = 0
    const takenAt = (nowMs: number) => {
      const all = takeAll(paidUntilMs, nowMs, 50)
      paidUntilMs = all.paidUntilMs
      return all.taken
    }
    expect([1_000, 1_019, 1_020, 2_020, 1_000_000].map(takenAt)).toEqual([200, 0, 1, 50, 200])
  })

  it.each([1, 3, 7, 50, 1_000])('lets a whole burst through at %i messages per second', perSecond => {
    expect(takeAll(0, 123.456, perSecond).taken).toBe(4 * perSecond)
  })
})

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
