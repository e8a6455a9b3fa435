import type { Browser, Page } from 'playwright-core'
import { type RunQueue, watchRunQueues } from './runQueue.ts'

/** What a person begins to notice. */
export const MOST_TASK_MS = 100

/** A task of a page's main thread. */
export interface Task {
  /** From its begin to its end, as `PerformanceObserver` counts it. */
  readonly wallMs: number
  /** What it used of the processor. */
  readonly cpuMs: number
  /**
   * For how long the thread could have gone on and had to wait for a processor, which others had: what no page can do anything about.
   * At most.
   */
  readonly waitedMs: number
}

/**
 * Tasks that are too long through no fault of a busy machine: by the processor's time, or by the clock without the wait for a
 * processor.
 */
export function longTasks(tasks: readonly Task[]): readonly Task[] {
  return tasks.filter(({ wallMs, cpuMs, waitedMs }) => cpuMs > MOST_TASK_MS || wallMs - waitedMs > MOST_TASK_MS)
}

interface TraceEvent {
  readonly ph: string
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Microseconds: when by the monotonic clock, how long by the clock and of the processor. */
  readonly ts: number
  readonly dur?: number
  readonly tdur?: number
}

const MARK = 'the traced page'

/** Runs something and gives the tasks of the page's main thread meanwhile, the longest first. */
export async function traceTasks(browser: Browser, page: Page, run: () => Promise<void>): Promise<readonly Task[]> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const queues = watchRunQueues(processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id))
  await browser.startTracing(page, { categories: ['-*', 'toplevel', 'blink.user_timing'] })
  // Other pages are traced, too: this shows which thread is this one's.
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
  // Where the system does not tell, all that was not spent on the processor is excused, and the processor's time alone is judged.
  return { wallMs, cpuMs, waitedMs: Math.min(queue?.waitedMs(ts / 1_000, (ts + dur) / 1_000) ?? wallMs, wallMs - Math.min(cpuMs, wallMs)) }
}

/**
 * Blocks the page in one task of at least three times `MOST_TASK_MS` of processor time, on a machine of any speed and load: every step
 * counts as long as the fastest one took, so time in which other processes ran is not counted.
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
    // Keeps the engine from leaving out a computation without a result.
    Object.assign(globalThis, { worked: value })
  }, 3 * MOST_TASK_MS)
}
