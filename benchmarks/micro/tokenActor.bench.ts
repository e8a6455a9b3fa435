import assert from 'node:assert/strict'
import { initialTransition, transition } from 'xstate'
import type { ActorEvent } from '#actors/token/actorEvent.ts'
import { createTokenMachine } from '#actors/token/machine.ts'
import { SubscriberSet } from '#actors/token/subscriberSet.ts'
import { TokenActor } from '#actors/token/tokenActor.ts'
import { UnknownToken } from '#actors/token/unknownToken.ts'
import type { MicroBenchmark, MicroTask } from '#benchmarks/micro/microBenchmark.ts'
import { CountingSubscription } from '#benchmarks/support/countingSubscription.ts'
import { growingSnapshot } from '#benchmarks/support/growingSnapshot.ts'
import { addressOf } from '#test/support/snapshots.ts'

const TOKEN = addressOf(1)
const BATCH = 20
const machine = createTokenMachine({ load: () => {}, ethUsd: () => null })

export const tokenActorBenchmark: MicroBenchmark = {
  name: 'token actor',
  about: 'accepts one committed update: as a pure transition, in an actor, and in an actor that encodes it for subscribers',
  tasks: () => [pureTransition(), accept(0), accept(1), accept(1_000), stale()],
}

const committed = (snapshot: Extract<ActorEvent, { type: 'committed' }>['snapshot']): ActorEvent => ({
  type: 'committed',
  snapshot,
  completedAtMs: 1,
})

function pureTransition(): MicroTask {
  const [begun] = initialTransition(machine, { token: TOKEN, subscribers: new SubscriberSet(), replaces: null })
  const next = growingSnapshot(TOKEN)
  const [live] = transition(machine, begun, committed(next()))
  const event = committed(next())
  return {
    name: 'pure transition',
    batch: BATCH,
    check: () => {
      const [state, effects] = transition(machine, live, event)
      assert.equal(live.value, 'live')
      assert.equal(state.value, 'live')
      assert.deepEqual(
        effects.map(({ type }) => type),
        ['publish'],
      )
    },
    run: () => transition(machine, live, event),
  }
}

function accept(subscribers: number): MicroTask {
  const { actor, members, next } = liveActor(subscribers)
  const events: ActorEvent[] = []
  let last: ActorEvent | undefined
  return {
    name: subscribers === 0 ? 'actor, no subscribers' : `actor, encodes for ${subscribers.toLocaleString('en')}`,
    batch: BATCH,
    check: () => {
      const snapshot = next()
      const before = members.map(({ updates }) => updates)
      actor.send(committed(snapshot))
      assert.equal(actor.name, 'live')
      assert.equal(actor.sequence, snapshot.token.sequence)
      const frames = new Set(members.map(({ newest }) => newest))
      assert.equal(frames.size, Math.min(1, subscribers), 'an update is encoded once')
      for (const frame of frames) assert.equal(frame?.sequence, snapshot.token.sequence)
      assert.deepEqual(
        members.map(({ updates }) => updates),
        before.map(updates => updates + 1),
      )
    },
    prepare: () => {
      for (let index = 0; index < BATCH; index++) events[index] = committed(next())
    },
    run: index => {
      last = events[index]
      if (last !== undefined) actor.send(last)
      return last
    },
  }
}

function stale(): MicroTask {
  const { actor, members, next } = liveActor(1)
  const old = committed(next())
  const newer = next()
  actor.send(committed(newer))
  return {
    name: 'actor, not newer',
    batch: BATCH,
    check: () => {
      const before = members[0]?.updates
      actor.send(old)
      assert.equal(actor.sequence, newer.token.sequence)
      assert.equal(members[0]?.updates, before)
    },
    run: () => actor.send(old),
  }
}

function liveActor(subscribers: number) {
  const actor = new TokenActor({
    machine,
    predecessor: new UnknownToken({ token: TOKEN, activatedAt: '2026-01-02T03:04:05.000Z', load: () => {} }),
    failures: 0,
    nowMs: 0,
    activatedAt: '2026-01-02T03:04:05.000Z',
    onFailure: (_, error) => {
      throw error
    },
  })
  actor.start()
  const members = Array.from({ length: subscribers }, () => new CountingSubscription())
  for (const subscription of members) actor.send({ type: 'joined', subscription, lastSequence: null })
  const next = growingSnapshot(TOKEN)
  actor.send(committed(next()))
  return { actor, members, next }
}
