import type { RealtimeHealth } from '#domain/health.ts'
import { quantileOf } from './recentLatencies.ts'

/** What one thread counts. Reports can be added up; quantiles can't, so this has the counts that they follow from. */
export interface RealtimeReport extends Omit<RealtimeHealth, 'commitToDeliveryMs'> {
  /** Of `RecentLatencies`. */
  readonly recentLatencies: readonly number[]
}

export function toRealtimeHealth({ recentLatencies, ...counts }: RealtimeReport): RealtimeHealth {
  return { ...counts, commitToDeliveryMs: { p50: quantileOf(recentLatencies, 0.5), p99: quantileOf(recentLatencies, 0.99) } }
}
