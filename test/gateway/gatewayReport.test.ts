import { describe, expect, test } from 'vitest'
import { mergeActors, mergeActorsHealth, mergeFeeds, mergeLatencies, mergeRealtime, sortActors } from '#gateway/health/gatewayReport.ts'
import { toRealtimeHealth } from '#gateway/health/realtimeReport.ts'
import { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import type { ActorState } from '#resources/actors.ts'
import type { FeedHealth } from '#resources/health.ts'
import { frameOf } from '#test/support/frames.ts'
import { addressOf } from '#test/support/snapshots.ts'

const ACTOR: ActorState = {
  token: addressOf(1),
  state: 'live',
  sequence: 7,
  subscribers: { webSocket: 2, eventStream: 1, lagging: 0 },
  lastUpdateAt: '2026-01-02T00:00:07.000Z',
  lastBlock: '7',
  frameBytes: 1_700,
  activatedAt: '2026-01-02T00:00:00.000Z',
  eventsHandled: 5,
  conflated: 1,
}
const FEED: FeedHealth = {
  carrier: 'notify',
  connected: true,
  disconnectedMs: 0,
  waitingMs: 0,
  behindBlocks: null,
  reconnects: 0,
  replica: null,
}

describe('what several threads say as one', () => {
  test('adds the actors up, by state', () => {
    const parts = [
      { total: 2, byState: { live: 2, activating: 0 }, subscribers: 5 },
      { total: 3, byState: { live: 1, resyncing: 2 }, subscribers: 3 },
    ]
    expect(mergeActorsHealth(parts)).toEqual({ total: 5, byState: { live: 3, activating: 0, resyncing: 2 }, subscribers: 8 })
  })

  test('has quantiles of all latencies, not of those of a thread', () => {
    let nowMs = 0
    const reports = [1, 100].map(latencyMs => {
      const stats = new RealtimeStats(() => nowMs)
      nowMs = 1_000
      const bytes = new Uint8Array()
      const frame = frameOf({ token: addressOf(1), sequence: 1, completedAtMs: nowMs - latencyMs, webSocket: bytes, eventStream: bytes })
      const deliveries = latencyMs === 1 ? 98 : 2
      for (let count = 0; count < deliveries; count++) stats.delivered(frame, true)
      return stats.report()
    })
    const { deliveredTotal, commitToDeliveryMs } = toRealtimeHealth(mergeRealtime(reports))
    expect(deliveredTotal).toBe(100)
    expect(commitToDeliveryMs.p50).toBeCloseTo(1, 1)
    expect(commitToDeliveryMs.p99).toBeGreaterThan(95)
  })

  test('says of the feeds the worst', () => {
    const replica = { inUse: true, behindMs: 5 }
    const parts = [
      { ...FEED, replica, reconnects: 2, behindBlocks: 3 },
      { ...FEED, connected: false, disconnectedMs: 6_000, waitingMs: 40, reconnects: 1, replica: { inUse: false, behindMs: 0 } },
    ] as const
    expect(mergeFeeds(parts)).toEqual({
      carrier: 'notify',
      connected: false,
      disconnectedMs: 6_000,
      waitingMs: 40,
      behindBlocks: 3,
      reconnects: 3,
      replica: { inUse: false, behindMs: 5 },
    })
    expect(mergeFeeds([FEED, FEED])).toEqual(FEED)
  })

  test('adds histograms bucket by bucket', () => {
    const part = { boundsMs: [1, 10], counts: [1, 2, 3], sumMs: 50 }
    expect(mergeLatencies([part, part])).toEqual({ boundsMs: [1, 10], counts: [2, 4, 6], sumMs: 100 })
  })

  test('shows a token once, with all of its subscribers and the newest state of any thread', () => {
    const older = { ...ACTOR, state: 'resyncing', sequence: 6, lastBlock: '6', activatedAt: '2026-01-01T00:00:00.000Z' } as const
    expect(mergeActors([older, ACTOR])).toEqual({
      ...ACTOR,
      state: 'resyncing',
      subscribers: { webSocket: 4, eventStream: 2, lagging: 0 },
      activatedAt: '2026-01-01T00:00:00.000Z',
      eventsHandled: 10,
      conflated: 2,
    })
    expect(mergeActors([])).toBeNull()
  })

  test('sorts and filters actors as one thread does', () => {
    const actors = [
      { ...ACTOR, token: addressOf(1), sequence: null },
      { ...ACTOR, token: addressOf(2), sequence: 9 },
      { ...ACTOR, token: addressOf(3), sequence: 8, state: 'resyncing' },
      { ...ACTOR, token: addressOf(4), sequence: 10, subscribers: { webSocket: 9, eventStream: 0, lagging: 0 } },
    ] as const
    const sorted = (query: Partial<Parameters<typeof sortActors>[1]>) =>
      sortActors(actors, { sort: 'sequence', limit: 3, ...query }).map(({ token }) => Number(token))
    expect(sorted({})).toEqual([4, 2, 3])
    expect(sorted({ limit: 10 })).toEqual([4, 2, 3, 1])
    expect(sorted({ state: 'live' })).toEqual([4, 2, 1])
    expect(sorted({ sort: 'subscribers', limit: 1 })).toEqual([4])
  })
})
