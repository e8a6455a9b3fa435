import { decodeLogsBenchmark } from './decodeLogs.bench.ts'
import { encodeUpdateBenchmark } from './encodeUpdate.bench.ts'
import type { MicroBenchmark } from './microBenchmark.ts'
import { outboxBenchmark } from './outbox.bench.ts'
import { parseClientMessageBenchmark } from './parseClientMessage.bench.ts'
import { projectBenchmark } from './project.bench.ts'
import { registryDispatchBenchmark } from './registryDispatch.bench.ts'
import { tokenActorBenchmark } from './tokenActor.bench.ts'

/** All of them, in the order in which an update meets what they time. A new one is a file beside this and a line here. */
export const MICRO_BENCHMARKS: readonly MicroBenchmark[] = [
  decodeLogsBenchmark,
  projectBenchmark,
  registryDispatchBenchmark,
  tokenActorBenchmark,
  encodeUpdateBenchmark,
  outboxBenchmark,
  parseClientMessageBenchmark,
]
