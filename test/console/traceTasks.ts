import type { Browser, Page } from 'playwright-core'

/** A task of a page's main thread. */
export interface Task {
  /** From its begin to its end, as `PerformanceObserver` counts it. */
  readonly wallMs: number
  /** What it used of the processor: less than `wallMs` where others were given the processor meanwhile, or where it waited. */
  readonly cpuMs: number
}

interface TraceEvent {
  readonly ph: string
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Microseconds by the clock and of the processor. */
  readonly dur?: number
  readonly tdur?: number
}

const MARK = 'the traced page'

/** Runs something and gives the tasks of the page's main thread meanwhile, the longest first. */
export async function traceTasks(browser: Browser, page: Page, run: () => Promise<void>): Promise<readonly Task[]> {
  await browser.startTracing(page, { categories: ['-*', 'toplevel', 'blink.user_timing'] })
  // Other pages are traced, too: this shows which thread is this one's.
  await page.evaluate(mark => void performance.mark(mark), MARK)
  await run()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: readonly TraceEvent[] }
  const marked = traceEvents.find(({ name }) => name === MARK)
  return traceEvents
    .filter(({ ph, pid, tid, name }) => ph === 'X' && pid === marked?.pid && tid === marked.tid && name.endsWith('RunTask'))
    .map(({ dur = 0, tdur = dur }) => ({ wallMs: dur / 1_000, cpuMs: tdur / 1_000 }))
    .sort((a, b) => b.wallMs - a.wallMs)
}
