import { describe, expect, it } from 'vitest'
import {
  ACTIVATING,
  type ActorEvent,
  afterTokenEvent,
  IDLE_SWEEPS,
  loadRetryMs,
  replacing,
  type TokenState,
} from '#actors/token/tokenState.ts'
import { RecordingSubscription } from '#test/support/actors.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'

const TOKEN = addressOf(1)
const joined: ActorEvent = { type: 'joined', subscription: new RecordingSubscription(), lastSequence: 7 }
const committed = (sequence: number): ActorEvent => ({ type: 'committed', snapshot: snapshotOf(TOKEN, sequence), completedAtMs: 1 })
const loaded = (sequence: number | null): ActorEvent => ({
  type: 'loaded',
  snapshot: sequence === null ? null : snapshotOf(TOKEN, sequence),
  nowMs: 1_000,
})
const loadFailed: ActorEvent = { type: 'loadFailed', nowMs: 1_000 }
const swept = (nowMs: number): ActorEvent => ({ type: 'swept', nowMs })

const NONE = { size: 0, newestSent: null }
const ONE = { size: 1, newestSent: null }

/** The state after the events, and the names of the effects of the last one. */
function afterAll(
  subscribers: { readonly size: number; readonly newestSent: number | null },
  state: TokenState,
  events: readonly ActorEvent[],
) {
  let step: ReturnType<typeof afterTokenEvent> = { state, effects: [] }
  for (const event of events) step = afterTokenEvent(step.state, event, subscribers)
  return { state: step.state, effects: step.effects.map(({ type }) => type) }
}

const after = (state: TokenState, ...events: readonly ActorEvent[]) => afterAll(NONE, state, events)

describe('the state of a token actor', () => {
  it('begins with a pause when it replaces an actor that failed', () => {
    expect(replacing(3, 500)).toMatchObject({ name: 'resyncing', failures: 3, retryAtMs: 500 + loadRetryMs(3) })
  })

  it('lets who joins wait until the state is known', () => {
    expect(after(ACTIVATING, joined).effects).toEqual(['wait'])
    expect(after(ACTIVATING, loaded(7), joined).effects).toEqual(['admit'])
    expect(after(ACTIVATING, loaded(null), joined).effects).toEqual(['admit'])
  })

  it('goes live with what was loaded and answers who waits', () => {
    const { state, effects } = after(ACTIVATING, joined, loaded(7))
    expect(state.name).toBe('live')
    expect(state.newest?.sequence).toBe(7)
    expect(effects).toEqual(['resync', 'admitWaiting'])
  })

  it('goes live knowing that the token is not indexed', () => {
    const { state, effects } = after(ACTIVATING, joined, loaded(null))
    expect(state.name).toBe('live')
    expect(state.newest).toBeNull()
    expect(effects).toEqual(['admitWaiting'])
  })

  it('goes live with an update that comes before the load, which then changes nothing unless it is newer', () => {
    const early = after(ACTIVATING, committed(8))
    expect(early.state.name).toBe('live')
    expect(early.effects).toEqual(['update', 'admitWaiting'])
    for (const late of [loaded(7), loaded(8), loaded(null)]) {
      const { state, effects } = after(early.state, late)
      expect(state.newest?.sequence).toBe(8)
      expect(effects).toEqual([])
    }
    const newer = after(early.state, loaded(9))
    expect(newer.state.newest?.sequence).toBe(9)
    expect(newer.effects).toEqual(['resync', 'admitWaiting'])
  })

  it('passes on a newer update and no other', () => {
    const live = after(ACTIVATING, loaded(7)).state
    expect(after(live, committed(8)).effects).toEqual(['update', 'admitWaiting'])
    expect(after(live, committed(8)).state.newest?.sequence).toBe(8)
    for (const sequence of [6, 7]) {
      expect(after(live, committed(sequence)).effects).toEqual([])
      expect(after(live, committed(sequence)).state.newest?.sequence).toBe(7)
    }
  })

  it('passes on the first update of a token that was not indexed', () => {
    const { state, effects } = after(ACTIVATING, loaded(null), committed(1))
    expect(effects).toEqual(['update', 'admitWaiting'])
    expect(state.newest?.sequence).toBe(1)
  })

  it('resyncs after a failed load and loads again when the pause is over', () => {
    const failed = after(ACTIVATING, loadFailed)
    expect(failed.state.name).toBe('resyncing')
    expect(failed.state).toMatchObject({ failures: 1, retryAtMs: 1_000 + loadRetryMs(1) })
    expect(after(failed.state, swept(1_999)).effects).toEqual([])
    const retried = after(failed.state, swept(2_000))
    expect(retried.effects).toEqual(['load'])
    expect(after(retried.state, swept(60_000)).effects).toEqual([])
    const again = after(retried.state, { type: 'loadFailed', nowMs: 3_000 })
    expect(again.state).toMatchObject({ failures: 2, retryAtMs: 3_000 + loadRetryMs(2) })
    const settled = after(again.state, loaded(7))
    expect(settled.state.name).toBe('live')
    expect(settled.state).toMatchObject({ failures: 0, retryAtMs: null })
    expect(settled.effects).toEqual(['resync', 'admitWaiting'])
  })

  it('ends a resync with an update as with a load', () => {
    const { state, effects } = after(ACTIVATING, loadFailed, committed(8))
    expect(state.name).toBe('live')
    expect(state).toMatchObject({ failures: 0, retryAtMs: null })
    expect(effects).toEqual(['update', 'admitWaiting'])
  })

  it('loads again when updates may have been missed, and keeps what it knows meanwhile', () => {
    const suspected = after(ACTIVATING, loaded(7), { type: 'stale' })
    expect(suspected.state.name).toBe('resyncing')
    expect(suspected.effects).toEqual(['load'])
    expect(after(suspected.state, joined).effects).toEqual(['admit'])
    const same = after(suspected.state, loaded(7))
    expect(same.state.name).toBe('live')
    expect(same.effects).toEqual([])
    const stale = after(suspected.state, loaded(null))
    expect(stale.state.newest?.sequence).toBe(7)
    expect(after(suspected.state, loadFailed, { type: 'stale' }).state.retryAtMs).toBeNull()
  })

  it('passivates after several sweeps without subscribers in a row', () => {
    const sweeps = Array.from({ length: IDLE_SWEEPS - 1 }, () => swept(0))
    for (const state of [ACTIVATING, after(ACTIVATING, loaded(7)).state, after(ACTIVATING, loadFailed).state]) {
      const almost = after(state, ...sweeps).state
      expect(almost.name).toBe(state.name)
      expect(after(almost, swept(0)).state.name).toBe('passivated')
      const visited = afterAll(ONE, almost, [swept(0)]).state
      expect(visited).toMatchObject({ name: state.name, idleSweeps: 0 })
    }
  })

  it('does not fall behind what subscribers of a failed predecessor received', () => {
    const state = replacing(1, 0)
    const behind = (event: ActorEvent) => afterAll({ size: 1, newestSent: 8 }, state, [event]).state
    expect(behind(committed(7)).name).toBe('resyncing')
    expect(behind(loaded(7))).toMatchObject({ name: 'resyncing', newest: undefined, failures: 2, retryAtMs: 1_000 + loadRetryMs(2) })
    for (const event of [committed(8), loaded(8), loaded(9), loaded(null)]) expect(behind(event).name).toBe('live')
  })

  it('gives way at once when it is evicted, unless it has a subscriber', () => {
    expect(after(ACTIVATING, { type: 'evicted' }).state.name).toBe('passivated')
    expect(afterAll(ONE, ACTIVATING, [{ type: 'evicted' }]).state.name).toBe('activating')
  })
})

describe('loadRetryMs', () => {
  it('doubles from a second to half a minute', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 1_000].map(loadRetryMs)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  })
})
