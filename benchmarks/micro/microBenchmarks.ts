import { decodeLogsBenchmark } from './decodeLogs.bench.ts'
import { encodeUpdateBenchmark } from './encodeUpdate.bench.ts'
import { headerHashBenchmark } from './headerHash.bench.ts'
import type { MicroBenchmark } from './microBenchmark.ts'
import { outboxBenchmark } from './outbox.bench.ts'
import { projectBenchmark } from './project.bench.ts'
import { registryDispatchBenchmark } from './registryDispatch.bench.ts'

/** All micro benchmarks, in the order of an update's path. A new one is a file in this folder and a line here. */
export const MICRO_BENCHMARKS: readonly MicroBenchmark[] = [
  headerHashBenchmark,
  decodeLogsBenchmark,
  projectBenchmark,
  registryDispatchBenchmark,
  encodeUpdateBenchmark,
  outboxBenchmark,
]
