import { Bench } from 'tinybench'
import { formatCount, formatMs, textTable } from '#benchmarks/harness/textTable.ts'
import type { MicroBenchmark, MicroTask } from './microBenchmark.ts'

export interface MicroSettings {
  /** Per task, in ms. */
  readonly timeMs: number
  readonly warmupMs: number
}

/** One line of a table. Times are per call in ms, means over a sample's batch. */
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
  /** Median divided by the median of the task to compare with. */
  readonly ratio: { readonly of: string; readonly value: number } | null
}

/**
 * Checks a benchmark's tasks and then times them.
 *
 * @throws the error of a check: wrong code is not timed
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

/** The last result: written and never read, which the compiler can't know. */
const kept: { value: unknown } = { value: undefined }

/** One sample: the time per call of a batch, without its preparation, and the cost of the whole, with it. */
function sample(task: MicroTask) {
  const begun = performance.now()
  task.prepare?.()
  const from = performance.now()
  for (let index = 0; index < task.batch; index++) kept.value = task.run(index)
  const to = performance.now()
  return { overriddenDuration: (to - from) / task.batch, overriddenIterationCost: to - begun }
}

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
