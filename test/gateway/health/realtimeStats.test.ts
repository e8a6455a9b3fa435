import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Frame } from '#actors/token/frame.ts'
import { RealtimeStats, RecentLatencies } from '#gateway/health/realtimeStats.ts'
import { frameOf } from '#test/support/frames.ts'
import { addressOf } from '#test/support/snapshots.ts'

const frame = (completedAtMs: number | null): Frame =>
  frameOf({
    token: addressOf(1),
    sequence: 1,
    completedAtMs,
    webSocket: new Uint8Array(),
    eventStream: new Uint8Array(),
  })

describe('RealtimeStats', () => {
  it('has no latency before the first delivery', () => {
    expect(new RealtimeStats(() => 0).report()).toEqual({
      webSocketConnections: 0,
      eventStreams: 0,
      subscriptions: 0,
      updatesPerSecond: 0,
      deliveredTotal: 0,
      conflatedTotal: 0,
      commitToDeliveryMs: { p50: null, p99: null },
    })
  })

  it('counts connections and subscriptions', () => {
    const stats = new RealtimeStats(() => 0)
    for (const transport of ['webSocket', 'webSocket', 'eventStream'] as const) stats.opened(transport)
    stats.closed('webSocket')
    for (let n = 0; n < 3; n++) stats.subscribed()
    stats.unsubscribed()
    stats.conflated()
    expect(stats.report()).toMatchObject({ webSocketConnections: 1, eventStreams: 1, subscriptions: 2, conflatedTotal: 1 })
  })

  it('measures from the commit to the write, for updates only', () => {
    let now = 1_000
    const stats = new RealtimeStats(() => now)
    stats.batchBegins()
    stats.delivered(frame(990), true)
    now = 1_100
    stats.batchBegins()
    stats.delivered(frame(990), false)
    stats.delivered(frame(null), true)
    const { deliveredTotal, commitToDeliveryMs } = stats.report()
    expect(deliveredTotal).toBe(3)
    expect(commitToDeliveryMs.p50).toBeGreaterThanOrEqual(10)
    expect(commitToDeliveryMs.p99).toBeLessThan(10.6)
    const { counts, sumMs } = stats.commitToDelivery()
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1)
    expect(sumMs).toBe(10)
  })

  it('reads the clock now and then within a batch', () => {
    let readings = 0
    const stats = new RealtimeStats(() => readings++)
    stats.batchBegins()
    const before = readings
    for (let n = 0; n < 160; n++) stats.delivered(frame(0), true)
    expect(readings - before).toBe(10)
  })

  it('tells the rate of the last ten seconds', () => {
    let now = 0
    const stats = new RealtimeStats(() => now)
    const deliver = (count: number) => {
      stats.batchBegins()
      for (let n = 0; n < count; n++) stats.delivered(frame(null), false)
    }
    deliver(100)
    expect(stats.report().updatesPerSecond).toBe(0)
    now = 1_000
    expect(stats.report().updatesPerSecond).toBe(10)
    deliver(50)
    now = 10_000
    expect(stats.report().updatesPerSecond).toBe(15)
    now = 11_000
    expect(stats.report().updatesPerSecond).toBe(5)
    now = 12_000
    expect(stats.report().updatesPerSecond).toBe(0)
    deliver(30)
    now = 1_000_000
    expect(stats.report().updatesPerSecond).toBe(0)
  })
})

describe('RecentLatencies', () => {
  it('tells quantiles to within 5 %', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.01, max: 90_000, noNaN: true }), { minLength: 1, maxLength: 200 }),
        fc.constantFrom(0.5, 0.99),
        (values, share) => {
          const latencies = new RecentLatencies()
          for (const value of values) latencies.record(value, 1, 5_000)
          const exact = values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? 0
          const quantile = latencies.quantile(share, 5_000) ?? 0
          expect(quantile).toBeGreaterThanOrEqual(exact * 0.99)
          expect(quantile).toBeLessThanOrEqual(exact * 1.06)
        },
      ),
    )
  })

  it('forgets after a minute', () => {
    const latencies = new RecentLatencies()
    latencies.record(5, 1, 0)
    latencies.record(50, 3, 30_000)
    expect(latencies.quantile(0.25, 49_999)).toBeLessThan(6)
    expect(latencies.quantile(0.5, 49_999)).toBeGreaterThan(49)
    expect(latencies.quantile(0.5, 60_000)).toBeGreaterThan(49)
    expect(latencies.quantile(0.5, 90_000)).toBeNull()
    latencies.record(7, 1, 1_000_000)
    expect(latencies.quantile(0.99, 1_000_000)).toBeLessThan(7.5)
    expect(latencies.quantile(0.99, 9_000_000)).toBeNull()
  })

  it('takes nonsense without harm', () => {
    const latencies = new RecentLatencies()
    for (const value of [-5, 0, 1e9]) latencies.record(value, 1, 0)
    expect(latencies.quantile(0, 0)).toBe(0.01)
    expect(latencies.quantile(1, 0)).toBeGreaterThan(90_000)
  })
})
