import type { Benchmark } from '#benchmarks/harness/benchmark.ts'
import { deltas } from './deltas.ts'
import { hotTokenLatency, hotTokenThroughput } from './hotToken.ts'
import { soak } from './soak.ts'

/** About a quarter of an hour with three rounds. */
export const SERVER_BENCHMARKS: readonly Benchmark[] = [
  hotTokenThroughput({ connections: 1_000, blocks: 100 }),
  hotTokenLatency({ connections: 1, blocks: 200 }),
  hotTokenLatency({ connections: 1_000, blocks: 100 }),
  deltas({ size: 'traded', connections: 1_000, blocks: 100 }),
  deltas({ size: 'quiet', connections: 1_000, blocks: 100 }),
]

/** With what needs an idle machine, many open files and a quarter of an hour. */
export const ALL_SERVER_BENCHMARKS: readonly Benchmark[] = [
  ...SERVER_BENCHMARKS,
  hotTokenThroughput({ connections: 10_000, blocks: 12 }),
  soak({ connections: 1_000, seconds: 600 }),
]
