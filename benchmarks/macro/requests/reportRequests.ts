import { median } from '#benchmarks/support/quantile.ts'
import { formatCount, formatMs, textTable } from '#benchmarks/support/textTable.ts'
import type { ColdReads } from './coldReads.ts'
import type { UpdateLatency } from './updateLatency.ts'
import type { Load } from './wrk.ts'

interface MeasuredLoad extends Load {
  /** Processor time of the service and its PostgreSQL per request; `null`: others answered, too. */
  readonly cpuMs: number | null
}

export interface RequestsResult {
  readonly arm: string
  /** By the kind of request. */
  readonly loads: Record<string, MeasuredLoad>
  /** Of lists that were never asked for; `null`: not of this arm. */
  readonly cold: ColdReads | null
  /** Without and with load; empty: not of this arm. */
  readonly updates: readonly UpdateLatency[]
}

/** Medians over the rounds. × is the ratio to the same arm's `/healthz`. */
export function reportRequests(results: readonly RequestsResult[]): string {
  const arms = [...new Set(results.map(({ arm }) => arm))]
  const kinds = Object.keys(results[0]?.loads ?? {})
  const of = (arm: string, kind: string, figure: keyof MeasuredLoad) =>
    median(results.flatMap(result => (result.arm === arm ? [result.loads[kind]?.[figure] ?? Number.NaN] : [])))
  const rate = (arm: string, kind: string) => of(arm, kind, 'requestsPerSecond')
  const rows = kinds.map(kind => [
    kind,
    ...arms.flatMap(arm => [
      formatCount(rate(arm, kind)),
      (rate(arm, kind) / rate(arm, '/healthz')).toFixed(2),
      formatMs(of(arm, kind, 'p99Ms')),
      formatCpu(of(arm, kind, 'cpuMs')),
    ]),
  ])
  const updates = results.flatMap(({ arm, updates }) =>
    updates.map(({ load, requestsPerSecond, updates, commits, p50Ms, p90Ms, p99Ms, p99ToFirst: { ratio, low, high } }) => [
      `${arm}, load: ${load}`,
      requestsPerSecond === null ? '' : formatCount(requestsPerSecond),
      ...[p50Ms, p90Ms, p99Ms].map(formatMs),
      `${ratio.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`,
      String(updates),
      String(commits),
    ]),
  )
  const cold = arms.flatMap(name => {
    const measured = results.flatMap(({ arm, cold }) => (arm === name && cold !== null ? [cold] : []))
    if (measured.length === 0) return []
    const figure = (name: keyof ColdReads) => median(measured.map(one => one[name]))
    return [[name, formatMs(figure('p50Ms')), formatMs(figure('p99Ms')), formatCpu(figure('cpuMs'))]]
  })
  return [
    textTable(['requests per second', ...arms.flatMap(arm => [arm, '×', 'p99', 'CPU'])], rows),
    textTable(['a list for the first time', 'p50', 'p99', 'CPU'], cold),
    textTable(['commit to receipt', 'requests/s', 'p50', 'p90', 'p99', '× none (95 %)', 'updates', 'commits'], updates),
  ].join('\n\n')
}

/** Not measured, or not measurable here: no text. */
function formatCpu(ms: number): string {
  return ms > 0 ? formatMs(ms) : ''
}
