import { Bench } from 'tinybench'
import type { MicroBenchmark, MicroTask } from './microBenchmark.ts'

export interface MicroSettings {
  /** Per task, in ms. */
  readonly timeMs: number
  readonly warmupMs: number
}

/** One line of a table. Times are of one call, in ms, as means over a sample's batch. */
export interface MicroResult {
  readonly benchmark: string
  readonly task: string
  readonly batch: number
  readonly samples: number
  readonly operationsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** 95 % confidence interval of the mean, ± percent. */
  readonly marginPercent: number
  /** Median against the median of the task that it is to be compared with. */
  readonly ratio: { readonly of: string; readonly value: number } | null
}

/**
 * Checks a benchmark's tasks and then times them.
 *
 * @throws what a check throws: nothing that gives wrong results is timed
 */
export async function runMicro(benchmark: MicroBenchmark, { timeMs, warmupMs }: MicroSettings): Promise<readonly MicroResult[]> {
  const tasks = benchmark.tasks()
  for (const task of tasks) task.check()
  const bench = new Bench({ time: timeMs, warmupTime: warmupMs, throws: true })
  for (const task of tasks) bench.add(task.name, () => sample(task), { async: false })
  await bench.run()
  const timed = tasks.map((task, index) => {
    const result = bench.tasks[index]?.result
    if (result?.state !== 'completed') throw new Error(`${benchmark.name}, ${task.name}: ${result?.state ?? 'was not run'}`)
    return { task, latency: result.latency }
  })
  return timed.map(({ task, latency }) => {
    const base = timed.find(other => other.task.name === task.base)
    return {
      benchmark: benchmark.name,
      task: task.name,
      batch: task.batch,
      samples: latency.samplesCount,
      operationsPerSecond: 1_000 / latency.mean,
      p50Ms: latency.p50,
      p99Ms: latency.p99,
      marginPercent: latency.rme,
      ratio: base === undefined ? null : { of: base.task.name, value: latency.p50 / base.latency.p50 },
    }
  })
}

/** What a run returned last: written and never read, which the compiler can't know. */
const kept: { value: unknown } = { value: undefined }

/** One sample: the time of a batch, by its size, and what the whole costs with its preparation. */
function sample(task: MicroTask) {
  const begun = performance.now()
  task.prepare?.()
  const from = performance.now()
  for (let index = 0; index < task.batch; index++) kept.value = task.run(index)
  const to = performance.now()
  return { overriddenDuration: (to - from) / task.batch, overriddenIterationCost: to - begun }
}
