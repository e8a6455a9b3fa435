import { formatCount, formatMs, textTable } from '#benchmarks/harness/textTable.ts'
import type { MicroBenchmark } from './microBenchmark.ts'
import type { MicroResult } from './runMicro.ts'

/** A benchmark's results for a terminal. */
export function reportMicro({ name, about }: MicroBenchmark, results: readonly MicroResult[]): string {
  const rows = results.map(result => [
    result.task,
    formatCount(result.operationsPerSecond),
    formatMs(result.p50Ms),
    formatMs(result.p99Ms),
    `±${result.marginPercent.toFixed(1)} %`,
    result.ratio === null ? '' : `${result.ratio.value.toFixed(2)} × ${result.ratio.of}`,
  ])
  return `${name}: ${about}\n\n${textTable(['', 'ops/s', 'p50', 'p99', 'margin', 'p50 against'], rows)}\n`
}
