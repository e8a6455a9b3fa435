import { readFileSync } from 'node:fs'

const EVERY_MS = 10

/** How long a thread waited for a processor, as the kernel counts it. */
export interface RunQueue {
  /** An upper bound between two times of the monotonic clock, in ms; `null` when unknown. */
  waitedMs(fromMs: number, untilMs: number): number | null
}

interface Sample {
  readonly atMs: number
  /** Since the start of the thread. */
  readonly waitedMs: number
}

/** Samples the main threads of these processes until `stop`. Systems without `/proc` have no samples. */
export function watchRunQueues(pids: readonly number[]): { stop(): ReadonlyMap<number, RunQueue> } {
  const samples = new Map<number, Sample[]>(pids.map(pid => [pid, []]))
  const look = () => {
    for (const [pid, taken] of samples) {
      const waitedMs = readWaitedMs(pid)
      if (waitedMs !== null) taken.push({ atMs: Number(process.hrtime.bigint()) / 1e6, waitedMs })
    }
  }
  look()
  const timer = setInterval(look, EVERY_MS)
  return {
    stop() {
      clearInterval(timer)
      look()
      return new Map(Array.from(samples, ([pid, taken]) => [pid, { waitedMs: (from, until) => between(taken, from, until) }]))
    },
  }
}

function between(samples: readonly Sample[], fromMs: number, untilMs: number): number | null {
  const before = samples.findLast(({ atMs }) => atMs <= fromMs) ?? samples[0]
  const after = samples.find(({ atMs }) => atMs >= untilMs) ?? samples.at(-1)
  return before === undefined || after === undefined ? null : after.waitedMs - before.waitedMs
}

/** The second number of `schedstat`: nanoseconds in the run queue. */
function readWaitedMs(pid: number): number | null {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return null
  }
}
