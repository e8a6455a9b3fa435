import { describe, expect, it } from 'vitest'
import { IDLE_SWEEPS } from '#actors/token/tokenState.ts'
import { encodeUpdate } from '#protocol/encodeUpdate.ts'
import { actor } from '#resources/actors.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import { blockOf, RecordingSubscription, RegistryFixture, settle } from '#test/support/actors.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'

const TOKEN = addressOf(1)
const OTHER = addressOf(2)

/** A fixture whose token is live at sequence 7. */
async function live(): Promise<{ readonly fixture: RegistryFixture; readonly subscription: RecordingSubscription }> {
  const fixture = new RegistryFixture(snapshotOf(TOKEN, 7))
  const subscription = fixture.join(TOKEN)
  await fixture.answerLoads()
  return { fixture, subscription }
}

/** A snapshot that counts how often it is turned into JSON. */
function countingSnapshot(sequence: number): { readonly snapshot: TokenSnapshot; readonly encodings: () => number } {
  const snapshot = snapshotOf(TOKEN, sequence)
  let encodings = 0
  Object.defineProperty(snapshot.token, 'totalSupply', {
    enumerable: true,
    get: () => {
      encodings++
      return '1'
    },
  })
  return { snapshot, encodings: () => encodings }
}

describe('subscribing', () => {
  it('answers with the sequence and then the snapshot once the token is loaded', async () => {
    const fixture = new RegistryFixture(snapshotOf(TOKEN, 7))
    const subscription = fixture.join(TOKEN)
    await settle()
    expect(subscription.log).toEqual([])
    expect(fixture.registry.get(TOKEN)).toMatchObject({ state: 'activating', sequence: null, subscribers: { webSocket: 1 } })
    await fixture.answerLoads()
    expect(subscription.log).toEqual(['subscribed 7', 'snapshot 7'])
    expect(subscription.frames[0]?.completedAtMs).toBeNull()
  })

  it('loads a token once for all who join', async () => {
    const { fixture } = await live()
    const others = [new RecordingSubscription(), new RecordingSubscription('eventStream')]
    for (const other of others) fixture.registry.subscribe(TOKEN, other)
    for (const other of others) expect(other.log).toEqual(['subscribed 7', 'snapshot 7'])
    expect(fixture.history.loads).toBe(1)
  })

  it.each([
    [6, ['subscribed 7', 'snapshot 7']],
    [7, ['subscribed 7']],
    [8, ['subscribed 7']],
  ])('sends to who holds %i: %j', async (held, log) => {
    const { fixture } = await live()
    const subscription = fixture.join(TOKEN, held)
    expect(subscription.log).toEqual(log)
  })

  it('answers again when it is asked again, also while the token is being loaded', async () => {
    const { fixture, subscription } = await live()
    fixture.registry.subscribe(TOKEN, subscription, 7)
    expect(subscription.log.slice(2)).toEqual(['subscribed 7'])
    const [early, twice] = [new RecordingSubscription(), new RecordingSubscription()]
    for (const held of [3, undefined]) fixture.registry.subscribe(OTHER, early, held)
    for (const held of [2, 3]) fixture.registry.subscribe(OTHER, twice, held)
    fixture.history.store(snapshotOf(OTHER, 3))
    await fixture.answerLoads()
    for (const { log } of [early, twice]) expect(log).toEqual(['subscribed 3', 'subscribed 3', 'snapshot 3'])
    fixture.commit(snapshotOf(OTHER, 4))
    expect(early.log.slice(3)).toEqual(['update 4'])
  })

  it('answers for a token that is not indexed, whose updates flow when it appears', async () => {
    const fixture = new RegistryFixture()
    const subscription = fixture.join(TOKEN)
    await fixture.answerLoads()
    expect(subscription.log).toEqual(['subscribed null'])
    fixture.commit(snapshotOf(TOKEN, 1))
    expect(subscription.log).toEqual(['subscribed null', 'update 1'])
  })

  it('answers with the update that was committed while the token was being loaded', async () => {
    const fixture = new RegistryFixture(snapshotOf(TOKEN, 7))
    const subscription = fixture.join(TOKEN)
    await settle()
    fixture.commit(snapshotOf(TOKEN, 8))
    await fixture.answerLoads()
    expect(subscription.log).toEqual(['subscribed 8', 'snapshot 8'])
  })

  it('offers nothing after unsubscribing', async () => {
    const { fixture, subscription } = await live()
    fixture.registry.unsubscribe(TOKEN, subscription)
    fixture.commit(snapshotOf(TOKEN, 8))
    expect(subscription.log).toHaveLength(2)
    const early = fixture.join(OTHER)
    fixture.registry.unsubscribe(OTHER, early)
    await fixture.answerLoads()
    expect(early.log).toEqual([])
    fixture.registry.unsubscribe(addressOf(3), early)
  })
})

describe('dispatching', () => {
  it('reaches the subscribers of the token only', async () => {
    const { fixture, subscription } = await live()
    const other = fixture.join(OTHER)
    await fixture.answerLoads()
    fixture.registry.dispatch(blockOf(snapshotOf(TOKEN, 8), snapshotOf(addressOf(3), 8)))
    expect(subscription.log.at(-1)).toBe('update 8')
    expect(subscription.frames.at(-1)?.completedAtMs).toBe(900)
    expect(other.log).toEqual(['subscribed null'])
    expect(fixture.registry.get(addressOf(3))).toBeNull()
  })

  it('drops what is not newer', async () => {
    const { fixture, subscription } = await live()
    for (const sequence of [9, 8, 9, 7]) fixture.registry.dispatch(blockOf(snapshotOf(TOKEN, sequence)))
    expect(subscription.log.slice(2)).toEqual(['update 9'])
  })

  it('encodes an update once, whatever the number of subscribers', async () => {
    const { fixture } = await live()
    const many = Array.from({ length: 300 }, (_, n) => new RecordingSubscription(n % 3 === 0 ? 'eventStream' : 'webSocket'))
    for (const one of many) fixture.registry.subscribe(TOKEN, one)
    const { snapshot, encodings } = countingSnapshot(8)
    fixture.commit(snapshot)
    fixture.registry.subscribe(TOKEN, new RecordingSubscription())
    expect(encodings()).toBe(1)
    const frames = new Set(many.map(one => one.frames.at(-1)))
    expect(frames.size).toBe(1)
  })

  it('encodes nothing when no subscriber is left', async () => {
    const { fixture, subscription } = await live()
    fixture.registry.unsubscribe(TOKEN, subscription)
    const { snapshot, encodings } = countingSnapshot(8)
    fixture.commit(snapshot)
    expect(encodings()).toBe(0)
    const late = fixture.join(TOKEN)
    expect(late.log).toEqual(['subscribed 8', 'snapshot 8'])
    expect(encodings()).toBe(1)
  })

  it('shows a joiner the price of now', async () => {
    const { fixture, subscription } = await live()
    const priceOf = (one: RecordingSubscription) =>
      (
        JSON.parse(new TextDecoder().decode(one.frames.at(-1)?.since(null).webSocket)) as {
          token: { market: { marketCapUsd: string | null } }
        }
      ).token.market.marketCapUsd
    expect(priceOf(subscription)).toBeNull()
    fixture.ethUsd = () => '3000'
    const late = fixture.join(TOKEN)
    expect(priceOf(late)).toBe('37020')
  })
})

describe('trouble', () => {
  it('keeps subscribers while the database is away and answers them when it is back', async () => {
    const fixture = new RegistryFixture(snapshotOf(TOKEN, 7))
    const subscription = fixture.join(TOKEN)
    await fixture.failLoads()
    expect(fixture.registry.get(TOKEN)?.state).toBe('resyncing')
    fixture.sweep()
    await fixture.failLoads()
    expect(subscription.log).toEqual([])
    fixture.sweep(2)
    await fixture.answerLoads()
    expect(fixture.registry.get(TOKEN)?.state).toBe('live')
    expect(subscription.log).toEqual(['subscribed 7', 'snapshot 7'])
  })

  it('does not load more often than the pause allows', async () => {
    const fixture = new RegistryFixture()
    fixture.registry.subscribe(TOKEN, new RecordingSubscription())
    await fixture.failLoads()
    for (let sweep = 0; sweep < 60; sweep++) {
      fixture.sweep(1, 1_000)
      await fixture.failLoads()
    }
    // 1 + 2 + 4 + 8 + 16 s, then every 30 s: five or six attempts after the first in a minute.
    expect(fixture.history.loads).toBeLessThanOrEqual(7)
    expect(fixture.history.loads).toBeGreaterThanOrEqual(5)
  })

  it('retries a load that never answers', async () => {
    const fixture = new RegistryFixture()
    const subscription = fixture.join(TOKEN)
    await settle()
    fixture.sweep(5)
    await fixture.answerLoads()
    expect(fixture.history.loads).toBeGreaterThan(1)
    expect(subscription.log).toEqual(['subscribed null'])
  })

  it('reads a watched token anew when a range has changed it, and no other', async () => {
    const { fixture, subscription } = await live()
    fixture.history.store(snapshotOf(TOKEN, 8))
    const { loads } = fixture.history
    fixture.registry.dispatch({ ...blockOf(), unread: [OTHER, TOKEN] })
    expect(fixture.registry.get(TOKEN)?.state).toBe('resyncing')
    await fixture.answerLoads()
    expect(subscription.log.at(-1)).toBe('snapshot 8')
    expect(fixture.history.loads).toBe(loads + 1)
    expect(fixture.registry.get(TOKEN)?.state).toBe('live')
    expect(fixture.registry.get(OTHER)).toBeNull()
  })

  it('forgets a token that a reorg took off the chain, whatever is being loaded, and goes on when it is launched again', async () => {
    const { fixture, subscription } = await live()
    // Begun before the reorg, answered after it.
    fixture.registry.dispatch({ ...blockOf(), unread: [TOKEN] })
    await settle()
    fixture.history.stored.delete(TOKEN)
    fixture.registry.dispatch({ ...blockOf(), dropped: [OTHER, TOKEN] })
    const joined = fixture.join(TOKEN)
    await fixture.answerLoads()
    expect(joined.log).toEqual(['subscribed null'])
    expect(subscription.log).toEqual(['subscribed 7', 'snapshot 7'])
    expect(fixture.registry.get(TOKEN)).toMatchObject({ state: 'live', sequence: null })
    fixture.registry.dispatch(blockOf(snapshotOf(TOKEN, 9)))
    expect([joined.log.at(-1), subscription.log.at(-1)]).toEqual(['update 9', 'update 9'])
  })

  it('answers who waits for a token that a reorg takes off the chain', async () => {
    const fixture = new RegistryFixture(snapshotOf(TOKEN, 7))
    const subscription = fixture.join(TOKEN)
    await settle()
    fixture.registry.dispatch({ ...blockOf(), dropped: [TOKEN] })
    await fixture.answerLoads()
    expect(subscription.log).toEqual(['subscribed null'])
  })

  it('does not throw when a subscriber of a live token does, and goes on for the others', async () => {
    const { fixture, subscription } = await live()
    const broken = new RecordingSubscription()
    broken.subscribed = () => {
      throw new Error('a closed socket')
    }
    expect(() => fixture.registry.subscribe(TOKEN, broken)).not.toThrow()
    expect(fixture.failures).toBe(1)
    fixture.registry.unsubscribe(TOKEN, broken)
    fixture.sweep()
    await fixture.answerLoads()
    fixture.commit(snapshotOf(TOKEN, 9))
    expect(subscription.log.at(-1)).toBe('update 9')
  })

  it('replaces an actor whose action has thrown and resyncs its subscribers', async () => {
    const { fixture, subscription } = await live()
    const waiting = new RecordingSubscription()
    fixture.ethUsd = () => {
      throw new Error('a defect')
    }
    fixture.commit(snapshotOf(TOKEN, 8))
    expect(subscription.log).toHaveLength(2)
    expect(fixture.failures).toBe(1)
    expect(fixture.registry.get(TOKEN)).toMatchObject({ state: 'resyncing', sequence: null, subscribers: { webSocket: 1 } })
    fixture.registry.subscribe(TOKEN, waiting)
    fixture.ethUsd = () => null
    fixture.sweep()
    await fixture.answerLoads()
    expect(subscription.log.slice(2)).toEqual(['snapshot 8'])
    expect(waiting.log).toEqual(['subscribed 8', 'snapshot 8'])
    fixture.commit(snapshotOf(TOKEN, 9))
    expect(subscription.log.at(-1)).toBe('update 9')
    expect(fixture.registry.health()).toEqual({ total: 1, byState: { activating: 0, live: 1, resyncing: 0 }, subscribers: 2 })
  })

  it('replaces an actor that fails again and again ever more slowly', async () => {
    const { fixture } = await live()
    fixture.ethUsd = () => {
      throw new Error('a defect')
    }
    fixture.commit(snapshotOf(TOKEN, 8))
    for (let sweep = 0; sweep < 60; sweep++) {
      fixture.sweep(1, 1_000)
      await fixture.answerLoads()
    }
    expect(fixture.failures).toBeGreaterThan(3)
    expect(fixture.failures).toBeLessThan(9)
    expect(fixture.registry.health().total).toBe(1)
  })

  it('replaces an actor that fails over the answer to a subscriber', async () => {
    const fixture = new RegistryFixture(snapshotOf(TOKEN, 7))
    fixture.ethUsd = () => {
      throw new Error('a defect')
    }
    const subscriptions = [new RecordingSubscription(), new RecordingSubscription()]
    for (const subscription of subscriptions) fixture.registry.subscribe(TOKEN, subscription)
    await fixture.answerLoads()
    fixture.ethUsd = () => null
    fixture.sweep()
    await fixture.answerLoads()
    for (const subscription of subscriptions) expect(subscription.log).toEqual(['subscribed 7', 'snapshot 7'])
  })
})

describe('passivation', () => {
  it('removes an actor some sweeps after its last subscriber has left', async () => {
    const { fixture, subscription } = await live()
    fixture.sweep(10)
    expect(fixture.registry.get(TOKEN)?.state).toBe('live')
    fixture.registry.unsubscribe(TOKEN, subscription)
    fixture.sweep(IDLE_SWEEPS - 1)
    expect(fixture.registry.get(TOKEN)?.state).toBe('live')
    fixture.sweep()
    expect(fixture.registry.get(TOKEN)).toBeNull()
    expect([...fixture.watched]).toEqual([])
    expect(fixture.registry.health()).toEqual({ total: 0, byState: { activating: 0, live: 0, resyncing: 0 }, subscribers: 0 })
  })

  it('keeps an actor to which a subscriber comes back, without another load', async () => {
    const { fixture, subscription } = await live()
    fixture.registry.unsubscribe(TOKEN, subscription)
    fixture.sweep(IDLE_SWEEPS - 1)
    const next = fixture.join(TOKEN)
    fixture.sweep(20)
    expect(next.log).toEqual(['subscribed 7', 'snapshot 7'])
    expect(fixture.history.loads).toBe(1)
  })

  // Only sweeps without a subscriber reach an actor, and its count of them once outlived a subscriber who came between two sweeps.
  it.each([
    ['a token', true],
    ['an address that is not indexed', false],
  ])('counts the sweeps anew when the last subscriber of %s has left again', async (_, isIndexed) => {
    const fixture = new RegistryFixture()
    if (isIndexed) fixture.history.store(snapshotOf(TOKEN, 7))
    for (const subscription of [new RecordingSubscription(), new RecordingSubscription()]) {
      fixture.registry.subscribe(TOKEN, subscription)
      await fixture.answerLoads()
      fixture.registry.unsubscribe(TOKEN, subscription)
      fixture.sweep(IDLE_SWEEPS - 1)
      expect(fixture.registry.get(TOKEN)).not.toBeNull()
    }
    fixture.sweep()
    expect(fixture.registry.get(TOKEN)).toBeNull()
  })

  it('activates anew after passivation', async () => {
    const { fixture, subscription } = await live()
    fixture.registry.unsubscribe(TOKEN, subscription)
    fixture.sweep(IDLE_SWEEPS)
    fixture.commit(snapshotOf(TOKEN, 8))
    const next = fixture.join(TOKEN, 7)
    await fixture.answerLoads()
    expect(next.log).toEqual(['subscribed 8', 'snapshot 8'])
  })

  it('bounds the actors without subscribers, however fast clients come and go', async () => {
    const { fixture } = await live()
    const visitor = new RecordingSubscription()
    for (let n = 10; n < 3_010; n++) {
      fixture.registry.subscribe(addressOf(n), visitor)
      fixture.registry.unsubscribe(addressOf(n), visitor)
    }
    expect(fixture.registry.health().total).toBe(2_001)
    expect(fixture.registry.get(TOKEN)).not.toBeNull()
    expect(fixture.registry.get(addressOf(3_009))).not.toBeNull()
    expect(fixture.registry.get(addressOf(10))).toBeNull()
    fixture.sweep(IDLE_SWEEPS)
    expect(fixture.registry.health().total).toBe(1)
  })

  it('tells when a token has an actor and when it has none any more, also of one that was replaced', async () => {
    const { fixture, subscription } = await live()
    expect([...fixture.watched]).toEqual([TOKEN])
    fixture.ethUsd = () => {
      throw new Error('a defect')
    }
    fixture.commit(snapshotOf(TOKEN, 8))
    expect(fixture.failures).toBe(1)
    expect([...fixture.watched]).toEqual([TOKEN])
    fixture.registry.subscribe(OTHER, subscription)
    expect([...fixture.watched]).toEqual([TOKEN, OTHER])
    fixture.registry.unsubscribe(TOKEN, subscription)
    fixture.sweep(IDLE_SWEEPS)
    expect([...fixture.watched]).toEqual([OTHER])
  })

  it('stops everything', async () => {
    const { fixture, subscription } = await live()
    fixture.registry.subscribe(OTHER, new RecordingSubscription())
    fixture.registry.stop()
    await fixture.answerLoads()
    fixture.commit(snapshotOf(TOKEN, 8))
    fixture.registry.subscribe(OTHER, new RecordingSubscription())
    fixture.sweep()
    expect(subscription.log).toHaveLength(2)
    expect(fixture.registry.health().total).toBe(0)
    expect(fixture.failures).toBe(0)
  })
})

describe('what operators see', () => {
  it('shows an actor', async () => {
    const { fixture, subscription } = await live()
    fixture.registry.subscribe(TOKEN, new RecordingSubscription('eventStream'))
    subscription.lagging = true
    subscription.replaces = true
    fixture.commit(snapshotOf(TOKEN, 8))
    const state = fixture.registry.get(TOKEN)
    expect(actor.answer.parse(state)).toEqual({
      token: TOKEN,
      state: 'live',
      sequence: 8,
      subscribers: { webSocket: 1, eventStream: 1, lagging: 1 },
      lastUpdateAt: '2026-01-02T03:04:08.123Z',
      lastBlock: '456',
      frameBytes: encodeUpdate(snapshotOf(TOKEN, 8)).bytes.length,
      activatedAt: new Date(1_795_000_001_000).toISOString(),
      eventsHandled: 4,
      conflated: 1,
    })
  })

  it('lists actors by subscribers, sequence or time, and by state', async () => {
    const fixture = new RegistryFixture()
    fixture.history.store(snapshotOf(addressOf(1), 5, { updatedAt: '2026-01-02T03:04:03.000Z' }))
    fixture.history.store(snapshotOf(addressOf(2), 7, { updatedAt: '2026-01-02T03:04:01.000Z' }))
    fixture.history.store(snapshotOf(addressOf(3), 6, { updatedAt: '2026-01-02T03:04:02.000Z' }))
    for (const [token, count] of [
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 1],
    ] as const) {
      for (let n = 0; n < count; n++) fixture.registry.subscribe(addressOf(token), new RecordingSubscription())
    }
    await fixture.answerLoads()
    fixture.registry.subscribe(addressOf(5), new RecordingSubscription())
    const tokens = (query: Parameters<typeof fixture.registry.list>[0]) => fixture.registry.list(query).map(actor => Number(actor.token))
    expect(tokens({ sort: 'subscribers', limit: 2 })).toEqual([3, 2])
    expect(tokens({ sort: 'sequence', limit: 3 })).toEqual([2, 3, 1])
    expect(tokens({ sort: 'lastUpdateAt', limit: 3 })).toEqual([1, 3, 2])
    expect(new Set(tokens({ sort: 'sequence', limit: 10 }).slice(3))).toEqual(new Set([4, 5]))
    expect(tokens({ state: 'activating', sort: 'sequence', limit: 10 })).toEqual([5])
    expect(tokens({ state: 'passivated', sort: 'sequence', limit: 10 })).toEqual([])
    expect([1, 4, 99].map(token => fixture.registry.sequence(addressOf(token)))).toEqual([5, null, null])
  })
})
