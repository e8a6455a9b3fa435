import { describe, expect, it, vi } from 'vitest'
import type * as XState from 'xstate'
import { createActor } from 'xstate'
import { IDLE_SWEEPS } from '#actors/token/tokenState.ts'
import { blockOf, RecordingSubscription, RegistryFixture, settle } from '#test/support/actors.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'

vi.mock('xstate', async importOriginal => {
  const original = await importOriginal<typeof XState>()
  return { ...original, createActor: vi.fn(original.createActor) }
})

const TOKEN = addressOf(1)

/** A subscriber of a token that is not indexed, as the database has answered. */
async function unknown() {
  const fixture = new RegistryFixture()
  const subscription = new RecordingSubscription()
  fixture.registry.subscribe(TOKEN, subscription)
  await fixture.answerLoads()
  expect(subscription.log).toEqual(['subscribed null'])
  return { fixture, subscription }
}

describe('an address that is no token', () => {
  it('is looked up once, however often it is subscribed to, left, and subscribed to again', async () => {
    const fixture = new RegistryFixture()
    const subscription = new RecordingSubscription()
    const subscribeAll = () => {
      for (let n = 1; n <= 300; n++) fixture.registry.subscribe(addressOf(n), subscription)
    }
    subscribeAll()
    await fixture.answerLoads()
    expect(fixture.registry.health()).toEqual({ total: 300, byState: { activating: 0, live: 300, resyncing: 0 }, subscribers: 300 })
    for (let n = 1; n <= 300; n++) fixture.registry.unsubscribe(addressOf(n), subscription)
    subscribeAll()
    expect(subscription.calls).toHaveLength(600)
    expect(fixture.history.loads).toBe(300)
    // Clients choose how many there are, and an XState actor is seven times as large as all else.
    expect(createActor).not.toHaveBeenCalled()
  })

  it('is a token with the first commit that carries its state', async () => {
    const { fixture, subscription } = await unknown()
    fixture.commit(snapshotOf(TOKEN, 1))
    fixture.commit(snapshotOf(TOKEN, 2))
    expect(subscription.log).toEqual(['subscribed null', 'update 1', 'update 2'])
    expect(fixture.registry.get(TOKEN)).toMatchObject({ state: 'live', sequence: 2, eventsHandled: 4 })
  })

  it('is a token when it is read after a commit that did not carry its state', async () => {
    const { fixture, subscription } = await unknown()
    fixture.history.store(snapshotOf(TOKEN, 3))
    fixture.registry.dispatch({ ...blockOf(), unread: [TOKEN] })
    expect(fixture.registry.get(TOKEN)?.state).toBe('resyncing')
    // Asked meanwhile, it answers what it knows.
    const late = new RecordingSubscription()
    fixture.registry.subscribe(TOKEN, late)
    expect(late.log).toEqual(['subscribed null'])
    await fixture.answerLoads()
    expect([subscription.log.at(-1), late.log.at(-1)]).toEqual(['snapshot 3', 'snapshot 3'])
  })

  it('is a token with the state that was committed while it was looked up, and the older answer changes nothing', async () => {
    const fixture = new RegistryFixture()
    const [staying, leaving] = [new RecordingSubscription(), new RecordingSubscription()]
    for (const subscription of [staying, leaving]) fixture.registry.subscribe(TOKEN, subscription)
    await settle()
    fixture.registry.unsubscribe(TOKEN, leaving)
    fixture.commit(snapshotOf(TOKEN, 1))
    await fixture.answerLoads()
    expect(staying.log).toEqual(['subscribed 1', 'snapshot 1'])
    expect(leaving.log).toEqual([])
  })

  it('is looked up again, ever more slowly, while the database is away', async () => {
    const fixture = new RegistryFixture()
    const subscription = new RecordingSubscription()
    fixture.registry.subscribe(TOKEN, subscription)
    for (let failure = 0; failure < 4; failure++) {
      await fixture.failLoads()
      expect(fixture.registry.get(TOKEN)?.state).toBe('resyncing')
      const { loads } = fixture.history
      fixture.sweep(1, 1_000 * 2 ** failure - 1)
      await settle()
      expect(fixture.history.loads).toBe(loads)
      fixture.sweep(1, 1)
      await settle()
      expect(fixture.history.loads).toBe(loads + 1)
    }
    await fixture.answerLoads()
    expect(subscription.log).toEqual(['subscribed null'])
    expect(fixture.registry.get(TOKEN)?.state).toBe('live')
  })

  it('is forgotten some sweeps after its last subscriber has left, and counts anew when one comes back', async () => {
    const { fixture, subscription } = await unknown()
    fixture.registry.unsubscribe(TOKEN, subscription)
    fixture.sweep(IDLE_SWEEPS - 1)
    fixture.registry.subscribe(TOKEN, subscription)
    fixture.sweep()
    fixture.registry.unsubscribe(TOKEN, subscription)
    fixture.sweep(IDLE_SWEEPS - 1)
    expect([...fixture.watched]).toEqual([TOKEN])
    fixture.sweep()
    expect([...fixture.watched]).toEqual([])
    expect(fixture.registry.get(TOKEN)).toBeNull()
  })

  it('goes on for others when a subscriber throws', async () => {
    const { fixture, subscription } = await unknown()
    const broken = new RecordingSubscription()
    broken.subscribed = () => {
      throw new Error('a closed socket')
    }
    expect(() => fixture.registry.subscribe(TOKEN, broken)).not.toThrow()
    expect(fixture.failures).toBe(1)
    fixture.registry.unsubscribe(TOKEN, broken)
    fixture.commit(snapshotOf(TOKEN, 1))
    expect(subscription.log).toEqual(['subscribed null', 'update 1'])
  })
})
