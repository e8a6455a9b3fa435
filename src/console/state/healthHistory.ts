import { type ReadonlySignal, signal } from '@preact/signals'
import type { IndexerHealth } from '#client/generated/types.ts'

/** How long samples are kept. */
const KEPT_MS = 3_600_000
/** Shortest time between two samples: a page that is refreshed by hand keeps no more than others. */
const EVERY_MS = 4_000

/** What operators follow; `null`: not known then. */
export interface HealthSample {
  /** Unix ms. */
  readonly atMs: number
  readonly lagSeconds: number | null
  readonly updatesPerSecond: number | null
  readonly deliveryP50Ms: number | null
  readonly deliveryP99Ms: number | null
  /** Of the backfill and of launchpads that are indexed beside it. `null`: none runs. */
  readonly eventsPerSecond: number | null
  /** Of the slowest provider that works. */
  readonly providerMs: number | null
  readonly residentBytes: number | null
}

export type SeriesName = Exclude<keyof HealthSample, 'atMs'>

/** Samples of the last hour, oldest first, as long as the page is open: the service keeps none. */
export interface HealthHistory {
  readonly samples: ReadonlySignal<readonly HealthSample[]>
  add(health: IndexerHealth, atMs: number): void
  /** The memory of the process, which only operators may see, is part of later samples. */
  memory(residentBytes: number | null): void
}

export function createHealthHistory(): HealthHistory {
  const samples = signal<readonly HealthSample[]>([])
  let residentBytes: number | null = null
  return {
    samples,
    add(health, atMs) {
      const kept = samples.peek().filter(sample => atMs - sample.atMs < KEPT_MS)
      if (atMs - (kept.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) >= EVERY_MS)
        samples.value = [...kept, sampleOf(health, atMs, residentBytes)]
    },
    memory(bytes) {
      residentBytes = bytes
    },
  }
}

function sampleOf(
  { lagSeconds, realtime, backfill, launchpads, rpc }: IndexerHealth,
  atMs: number,
  residentBytes: number | null,
): HealthSample {
  const rates = [backfill, ...launchpads].flatMap(each => each?.eventsPerSecond ?? [])
  const latencies = rpc.flatMap(({ healthy, latencyMs }) => (healthy && latencyMs !== null ? [latencyMs] : []))
  return {
    atMs,
    lagSeconds,
    updatesPerSecond: realtime.updatesPerSecond,
    deliveryP50Ms: realtime.commitToDeliveryMs.p50,
    deliveryP99Ms: realtime.commitToDeliveryMs.p99,
    eventsPerSecond: rates.length === 0 ? null : rates.reduce((sum, rate) => sum + rate, 0),
    providerMs: latencies.length === 0 ? null : Math.max(...latencies),
    residentBytes,
  }
}
