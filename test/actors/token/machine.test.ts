import { describe, expect, it } from 'vitest'
import { initialTransition, type SnapshotFrom, transition } from 'xstate'
import type { ActorEvent } from '#actors/token/actorEvent.ts'
import { FramedSnapshot } from '#actors/token/frame.ts'
import { createTokenMachine, IDLE_SWEEPS, loadRetryMs, type TokenInput } from '#actors/token/machine.ts'
import { SubscriberSet } from '#actors/token/subscriberSet.ts'
import { RecordingSubscription } from '#test/support/actors.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'

/** Its effects are never run here: a transition only names them. */
const machine = createTokenMachine({
  load: () => {
    throw new Error('a pure transition has no effects')
  },
  ethUsd: () => {
    throw new Error('a pure transition has no effects')
  },
})

type State = SnapshotFrom<typeof machine>

const TOKEN = addressOf(1)
const input = (overrides: Partial<TokenInput> = {}): TokenInput => ({
  token: TOKEN,
  subscribers: new SubscriberSet(),
  replaces: null,
  ...overrides,
})
const joined: ActorEvent = { type: 'joined', subscription: new RecordingSubscription(), lastSequence: 7 }
const committed = (sequence: number): ActorEvent => ({ type: 'committed', snapshot: snapshotOf(TOKEN, sequence), completedAtMs: 1 })
const loaded = (sequence: number | null): ActorEvent => ({
  type: 'loaded',
  snapshot: sequence === null ? null : snapshotOf(TOKEN, sequence),
  nowMs: 1_000,
})
const loadFailed: ActorEvent = { type: 'loadFailed', nowMs: 1_000 }
const swept = (nowMs: number): ActorEvent => ({ type: 'swept', nowMs })

const begin = (overrides: Partial<TokenInput> = {}) => initialTransition(machine, input(overrides))

/** The state after the events, and the names of the effects of the last one. */
function after(state: State, ...events: readonly ActorEvent[]): { readonly state: State; readonly effects: readonly string[] } {
  let effects: readonly string[] = []
  let current = state
  for (const event of events) {
    const [next, actions] = transition(machine, current, event)
    current = next
    effects = actions.map(action => action.type)
  }
  return { state: current, effects }
}

function watched(): SubscriberSet {
  const subscribers = new SubscriberSet()
  subscribers.wait(new RecordingSubscription(), null)
  return subscribers
}

describe('the token machine', () => {
  it('begins activating, for the first state that it is given', () => {
    const [state, actions] = begin()
    expect(state.value).toBe('activating')
    expect(actions).toEqual([])
  })

  it('begins with a pause when it replaces an actor that failed', () => {
    const [state, actions] = begin({ replaces: { failures: 3, nowMs: 500 } })
    expect(state.value).toBe('resyncing')
    expect(actions).toEqual([])
    expect(state.context).toMatchObject({ failures: 3, retryAtMs: 500 + loadRetryMs(3) })
  })

  it('lets who joins wait until the state is known', () => {
    expect(after(begin()[0], joined).effects).toEqual(['wait'])
    expect(after(begin()[0], loaded(7), joined).effects).toEqual(['admit'])
    expect(after(begin()[0], loaded(null), joined).effects).toEqual(['admit'])
  })

  it('goes live with what was loaded and answers who waits', () => {
    const { state, effects } = after(begin()[0], joined, loaded(7))
    expect(state.value).toBe('live')
    expect(state.context.newest?.sequence).toBe(7)
    expect(effects).toEqual(['resync', 'admitWaiting'])
  })

  it('goes live knowing that the token is not indexed', () => {
    const { state, effects } = after(begin()[0], joined, loaded(null))
    expect(state.value).toBe('live')
    expect(state.context.newest).toBeNull()
    expect(effects).toEqual(['admitWaiting'])
  })

  it('goes live with an update that comes before the load, which then changes nothing unless it is newer', () => {
    const early = after(begin()[0], committed(8))
    expect(early.state.value).toBe('live')
    expect(early.effects).toEqual(['publish', 'admitWaiting'])
    for (const late of [loaded(7), loaded(8), loaded(null)]) {
      const { state, effects } = after(early.state, late)
      expect(state.context.newest?.sequence).toBe(8)
      expect(effects).toEqual([])
    }
    const newer = after(early.state, loaded(9))
    expect(newer.state.context.newest?.sequence).toBe(9)
    expect(newer.effects).toEqual(['resync'])
  })

  it('passes on a newer update and no other', () => {
    const live = after(begin()[0], loaded(7)).state
    expect(after(live, committed(8)).effects).toEqual(['publish'])
    expect(after(live, committed(8)).state.context.newest?.sequence).toBe(8)
    for (const sequence of [6, 7]) {
      expect(after(live, committed(sequence)).effects).toEqual([])
      expect(after(live, committed(sequence)).state.context.newest?.sequence).toBe(7)
    }
  })

  it('passes on the first update of a token that was not indexed', () => {
    const { state, effects } = after(begin()[0], loaded(null), committed(1))
    expect(effects).toEqual(['publish'])
    expect(state.context.newest?.sequence).toBe(1)
  })

  it('resyncs after a failed load and loads again when the pause is over', () => {
    const failed = after(begin({ subscribers: watched() })[0], loadFailed)
    expect(failed.state.value).toBe('resyncing')
    expect(failed.state.context).toMatchObject({ failures: 1, retryAtMs: 1_000 + loadRetryMs(1) })
    expect(after(failed.state, swept(1_999)).effects).toEqual([])
    const retried = after(failed.state, swept(2_000))
    expect(retried.effects).toEqual(['load'])
    expect(after(retried.state, swept(60_000)).effects).toEqual([])
    const again = after(retried.state, { type: 'loadFailed', nowMs: 3_000 })
    expect(again.state.context).toMatchObject({ failures: 2, retryAtMs: 3_000 + loadRetryMs(2) })
    const settled = after(again.state, loaded(7))
    expect(settled.state.value).toBe('live')
    expect(settled.state.context).toMatchObject({ failures: 0, retryAtMs: null })
    expect(settled.effects).toEqual(['resync', 'admitWaiting'])
  })

  it('ends a resync with an update as with a load', () => {
    const { state, effects } = after(begin()[0], loadFailed, committed(8))
    expect(state.value).toBe('live')
    expect(state.context).toMatchObject({ failures: 0, retryAtMs: null })
    expect(effects).toEqual(['publish', 'admitWaiting'])
  })

  it('loads again when updates may have been missed, and keeps what it knows meanwhile', () => {
    const suspected = after(begin()[0], loaded(7), { type: 'stale' })
    expect(suspected.state.value).toBe('resyncing')
    expect(suspected.effects).toEqual(['load'])
    expect(after(suspected.state, joined).effects).toEqual(['admit'])
    const same = after(suspected.state, loaded(7))
    expect(same.state.value).toBe('live')
    expect(same.effects).toEqual([])
    const stale = after(suspected.state, loaded(null))
    expect(stale.state.context.newest?.sequence).toBe(7)
    expect(after(suspected.state, loadFailed, { type: 'stale' }).state.context.retryAtMs).toBeNull()
  })

  it('passivates after several sweeps without subscribers in a row', () => {
    const sweeps = Array.from({ length: IDLE_SWEEPS - 1 }, () => swept(0))
    for (const state of [after(begin()[0], loaded(7)).state, after(begin()[0], loadFailed).state]) {
      const almost = after(state, ...sweeps)
      expect(almost.state.value).toBe(state.value)
      expect(after(almost.state, swept(0)).state).toMatchObject({ value: 'passivated', status: 'done' })
    }
  })

  it('begins to count anew when it had a subscriber at a sweep', () => {
    const subscribers = watched()
    const sweeps = Array.from({ length: IDLE_SWEEPS - 1 }, () => swept(0))
    const state = after(begin()[0], loaded(7), ...sweeps).state
    const visited = after({ ...state, context: { ...state.context, subscribers } }, swept(0))
    expect(visited.state.context.idleSweeps).toBe(0)
    expect(visited.state.value).toBe('live')
  })

  it('does not fall behind what subscribers of a failed predecessor were told', () => {
    const subscribers = new SubscriberSet()
    subscribers.admit(new RecordingSubscription(), 8, new FramedSnapshot(snapshotOf(TOKEN, 8), null), () => null)
    const [state] = begin({ subscribers, replaces: { failures: 1, nowMs: 0 } })
    expect(after(state, committed(7)).state.value).toBe('resyncing')
    const behind = after(state, loaded(7)).state
    expect(behind.value).toBe('resyncing')
    expect(behind.context).toMatchObject({ newest: undefined, failures: 2, retryAtMs: 1_000 + loadRetryMs(2) })
    for (const event of [committed(8), loaded(8), loaded(9), loaded(null)]) expect(after(state, event).state.value).toBe('live')
  })

  it('gives way at once when it is evicted, unless it has a subscriber', () => {
    expect(after(begin()[0], { type: 'evicted' }).state.value).toBe('passivated')
    expect(after(begin({ subscribers: watched() })[0], { type: 'evicted' }).state.value).toBe('activating')
  })
})

describe('loadRetryMs', () => {
  it('doubles from a second to half a minute', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 1_000].map(loadRetryMs)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  })
})
