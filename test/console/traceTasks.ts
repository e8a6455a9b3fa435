import type { Browser, Page } from 'playwright-core'

/** A task of a page's main thread. */
export interface Task {
  /** From its begin to its end, as `PerformanceObserver` counts it. */
  readonly wallMs: number
  /** What it used of the processor: less than `wallMs` where others were given the processor meanwhile. */
  readonly cpuMs: number
}

interface TraceEvent {
  readonly ph: string
  readonly name: string
  readonly tid: number
  readonly args?: { readonly name?: string }
  /** Microseconds by the clock and of the processor. */
  readonly dur?: number
  readonly tdur?: number
}

/** Runs something and gives the main thread's tasks meanwhile, the longest first. */
export async function traceTasks(browser: Browser, page: Page, run: () => Promise<void>): Promise<readonly Task[]> {
  await browser.startTracing(page, { categories: ['-*', 'toplevel'] })
  await run()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: readonly TraceEvent[] }
  const named = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
  const threads = new Set(named.map(({ tid }) => tid))
  return traceEvents
    .filter(({ ph, tid, name }) => ph === 'X' && threads.has(tid) && name.endsWith('RunTask'))
    .map(({ dur = 0, tdur = dur }) => ({ wallMs: dur / 1_000, cpuMs: tdur / 1_000 }))
    .sort((a, b) => b.cpuMs - a.cpuMs)
}
