import { expect, test } from 'vitest'
import type { IndexerHealth } from '#client/generated/types.ts'
import { seriesPath } from '#console/operator/seriesPath.ts'
import { createHealthHistory, type HealthSample } from '#console/state/healthHistory.ts'

const healthOf = (lagSeconds: number | null): IndexerHealth =>
  ({
    lagSeconds,
    realtime: { updatesPerSecond: 2, commitToDeliveryMs: { p50: 1, p99: 9 } },
    backfill: { eventsPerSecond: 100 },
    launchpads: [{ eventsPerSecond: null }, { eventsPerSecond: 20 }],
    rpc: [
      { healthy: true, latencyMs: 12 },
      { healthy: true, latencyMs: 30 },
      { healthy: false, latencyMs: 900 },
    ],
  }) as unknown as IndexerHealth

test('samples of an hour are kept, one for every answer', () => {
  const history = createHealthHistory()
  history.add(healthOf(1), 0)
  history.add(healthOf(1), 1_000)
  history.memory(5_000_000)
  history.add(healthOf(2), 5_000)
  expect(history.samples.value.map(({ atMs, residentBytes }) => [atMs, residentBytes])).toEqual([
    [0, null],
    [5_000, 5_000_000],
  ])
  expect(history.samples.value[1]).toMatchObject({ lagSeconds: 2, deliveryP99Ms: 9, eventsPerSecond: 120, providerMs: 30 })
  history.add(healthOf(3), 3_602_000)
  expect(history.samples.value.map(({ atMs }) => atMs)).toEqual([5_000, 3_602_000])
})

test('a line begins anew after a gap, and leaves out what is not known', () => {
  const sample = (atMs: number, lagSeconds: number | null) => ({ atMs, lagSeconds }) as HealthSample
  const samples = [sample(0, 0), sample(5_000, 4), sample(10_000, null), sample(90_000, 2), sample(100_000, 1)]
  const box = { width: 100, height: 40, fromMs: 0, toMs: 100_000, most: 4 }
  expect(seriesPath(samples, 'lagSeconds', box)).toBe('M0.0 40.0L5.0 0.0M90.0 20.0L100.0 30.0')
  expect(seriesPath([sample(0, 0)], 'lagSeconds', { ...box, toMs: 0, most: 0 })).toBe('M0.0 40.0')
})
