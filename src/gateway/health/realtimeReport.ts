import type { RealtimeHealth } from '#resources/health.ts'
import { quantileOf } from './recentLatencies.ts'

/** The counts of this process, with those from which the quantiles are computed. */
export interface RealtimeReport extends Omit<RealtimeHealth, 'commitToDeliveryMs'> {
  /** The counts of `RecentLatencies`. */
  readonly recentLatencies: readonly number[]
}

/** The counts with quantiles in milliseconds; `null`: nothing was delivered in the last minute. */
export function toRealtimeHealth({ recentLatencies, ...counts }: RealtimeReport): RealtimeHealth {
  return { ...counts, commitToDeliveryMs: { p50: quantileOf(recentLatencies, 0.5), p99: quantileOf(recentLatencies, 0.99) } }
}
