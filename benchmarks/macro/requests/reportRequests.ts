import { median } from '#benchmarks/support/quantile.ts'
import { formatCount, formatMs, textTable } from '#benchmarks/support/textTable.ts'
import type { ColdReads } from './coldReads.ts'
import type { UpdateLatency } from './updateLatency.ts'
import type { Load } from './wrk.ts'

export interface RequestsResult {
  readonly arm: string
  /** By the kind of request. */
  readonly loads: Record<string, Load>
  /** Of lists that were never asked for; `null`: not of this arm. */
  readonly cold: ColdReads | null
  /** Without load, and while one list is asked for as fast as one client can; `null`: not of this arm. */
  readonly updates: { readonly idle: UpdateLatency; readonly loaded: UpdateLatency } | null
}

/** Medians over the rounds. × is the ratio to the same arm's `/healthz`. */
export function reportRequests(results: readonly RequestsResult[]): string {
  const arms = [...new Set(results.map(({ arm }) => arm))]
  const kinds = Object.keys(results[0]?.loads ?? {})
  const of = (arm: string, kind: string, figure: keyof Load) =>
    median(results.flatMap(result => (result.arm === arm ? [result.loads[kind]?.[figure] ?? Number.NaN] : [])))
  const rate = (arm: string, kind: string) => of(arm, kind, 'requestsPerSecond')
  const rows = kinds.map(kind => [
    kind,
    ...arms.flatMap(arm => [
      formatCount(rate(arm, kind)),
      (rate(arm, kind) / rate(arm, '/healthz')).toFixed(2),
      formatMs(of(arm, kind, 'p99Ms')),
    ]),
  ])
  const updates = results.flatMap(({ arm, updates: measured }) => {
    if (measured === null) return []
    const { idle, loaded } = measured
    return [[arm, formatMs(idle.p50Ms), formatMs(idle.p99Ms), formatMs(loaded.p50Ms), formatMs(loaded.p99Ms), String(loaded.updates)]]
  })
  const cold = results.flatMap(({ arm, cold: measured }) =>
    measured === null ? [] : [[arm, formatMs(measured.p50Ms), formatMs(measured.p99Ms)]],
  )
  return [
    textTable(['requests per second', ...arms.flatMap(arm => [arm, '×', 'p99'])], rows),
    textTable(['a list for the first time', 'p50', 'p99'], cold),
    textTable(['commit to receipt', 'p50', 'p99', 'loaded p50', 'loaded p99', 'updates'], updates),
  ].join('\n\n')
}
