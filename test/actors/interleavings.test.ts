import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IDLE_SWEEPS } from '#actors/token/tokenState.ts'
import type { RecordingSubscription } from '#test/support/actors.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { type Step, SUBSCRIBERS, steps, TOKENS, World } from './watchedWorld.ts'

/*
 * The whole actor layer against a model of it, under any order of commits, deliveries, loads, joins, leaves and failures: a database that
 * stores at once, blocks that are delivered later in the order of their commits or lost and resynced, loads that answer whenever.
 */

/** What this test once found. The first: an actor failed over its first answer, and its successor took an older block that came late. */
const FOUND: [(Step & { readonly token: number })[]][] = [
  [
    [
      { do: 'breakPrice', token: 0 },
      { do: 'commit', token: 0 },
      { do: 'commit', token: 0 },
      { do: 'join', token: 0, subscriber: 0, held: 'none' },
      { do: 'answerLoad', token: 0 },
    ],
  ],
]

describe('any interleaving of commits, loads, joins, leaves and failures', () => {
  it('gives every subscriber rising sequences, no frame after it left, and the newest state in the end', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async taken => {
        const world = new World()
        const left: { readonly subscription: RecordingSubscription; readonly calls: number }[] = []
        for (const { token: index, ...step } of taken) {
          const token = TOKENS[index] ?? addressOf(1)
          if (step.do === 'leave') {
            const watcher = world.watchers.get(token)?.[step.subscriber]
            if (watcher?.joined === true) left.push({ subscription: watcher.subscription, calls: watcher.subscription.calls.length })
          }
          await world.take(step, token)
        }
        await world.calm()
        for (const { subscription, calls } of left) expect(subscription.calls).toHaveLength(calls)
        let watching = 0
        for (const [token, watchers] of world.watchers) {
          for (const watcher of watchers) {
            watcher.check()
            if (!watcher.joined) continue
            watching++
            const newest = world.stored(token)
            expect(watcher.subscription.calls.filter(call => call.type === 'subscribed')).toHaveLength(watcher.asked)
            expect(Math.max(watcher.has ?? -1, watcher.held ?? -1)).toBe(newest ?? -1)
          }
        }
        expect(world.fixture.registry.health().subscribers).toBe(watching)
      }),
      { numRuns: 400, examples: FOUND },
    )
  })

  it('leaves nothing behind when all subscribers have left', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async taken => {
        const world = new World()
        for (const { token, ...step } of taken) await world.take(step, TOKENS[token] ?? addressOf(1))
        for (const token of TOKENS) for (let subscriber = 0; subscriber < SUBSCRIBERS; subscriber++) world.leave(token, subscriber)
        world.fixture.sweep(IDLE_SWEEPS)
        await world.fixture.answerLoads()
        world.fixture.sweep()
        expect(world.fixture.registry.health()).toMatchObject({ total: 0, subscribers: 0 })
        expect(world.fixture.history.pending).toEqual([])
      }),
      { numRuns: 100 },
    )
  })
})
