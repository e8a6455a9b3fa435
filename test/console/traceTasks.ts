import type { Browser, Page } from 'playwright-core'
import { type RunQueue, watchRunQueues } from './runQueue.ts'

/** Longer tasks are noticeable. */
export const MAX_TASK_MS = 100

/** A task of a page's main thread. */
export interface Task {
  /** From start to end, like `PerformanceObserver`. */
  readonly wallMs: number
  /** Processor time. */
  readonly cpuMs: number
  /** An upper bound of the time in which the thread was ready and waited for a processor, which a page can not influence. */
  readonly waitedMs: number
}

/** Tasks that are too long on any machine: by processor time, or by wall time without the wait for a processor. */
export function longTasks(tasks: readonly Task[]): readonly Task[] {
  return tasks.filter(({ wallMs, cpuMs, waitedMs }) => cpuMs > MAX_TASK_MS || wallMs - waitedMs > MAX_TASK_MS)
}

interface TraceEvent {
  readonly ph: string
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Microseconds: start on the monotonic clock, wall time and processor time. */
  readonly ts: number
  readonly dur?: number
  readonly tdur?: number
}

const MARK = 'the traced page'

/** The tasks of the page's main thread during `run`, longest first. */
export async function traceTasks(browser: Browser, page: Page, run: () => Promise<void>): Promise<readonly Task[]> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const queues = watchRunQueues(processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id))
  await browser.startTracing(page, { categories: ['-*', 'toplevel', 'blink.user_timing'] })
  // All pages are traced. The mark identifies this page's thread.
  await page.evaluate(mark => void performance.mark(mark), MARK)
  await run()
  // An evaluation is answered from inside its task. After another one, that task has ended, and the trace contains it.
  await page.evaluate(() => undefined)
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: readonly TraceEvent[] }
  const waits = queues.stop()
  const marked = traceEvents.find(({ name }) => name === MARK)
  if (marked === undefined) throw new Error('the trace does not contain the page')
  return traceEvents
    .filter(({ ph, pid, tid, name }) => ph === 'X' && pid === marked.pid && tid === marked.tid && name.endsWith('RunTask'))
    .map(event => taskOf(event, waits.get(event.pid)))
    .sort((a, b) => b.wallMs - a.wallMs)
}

function taskOf({ ts, dur = 0, tdur = dur }: TraceEvent, queue: RunQueue | undefined): Task {
  const [wallMs, cpuMs] = [dur / 1_000, tdur / 1_000]
  // When the wait is unknown, only the processor time counts.
  return { wallMs, cpuMs, waitedMs: Math.min(queue?.waitedMs(ts / 1_000, (ts + dur) / 1_000) ?? wallMs, wallMs - Math.min(cpuMs, wallMs)) }
}

/**
 * Blocks the page in one task with at least three times `MAX_TASK_MS` of processor time, on a machine of any speed and load. Every
 * step counts with the time of the fastest one, which excludes the time of other processes.
 */
export async function keepBusy(page: Page): Promise<void> {
  await page.evaluate(cpuMs => {
    let value = 1
    let fastestMs = Number.MAX_VALUE
    for (let steps = 0; steps * fastestMs < cpuMs; steps++) {
      const startedAt = performance.now()
      for (let n = 0; n < 100_000; n++) value = (value * 48_271) % 2_147_483_647
      fastestMs = Math.min(fastestMs, performance.now() - startedAt)
    }
    // A computation without a result could be optimised away.
    Object.assign(globalThis, { worked: value })
  }, 3 * MAX_TASK_MS)
}
