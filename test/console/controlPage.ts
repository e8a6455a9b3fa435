import type { Browser, Page } from 'playwright-core'
import type { Task } from './traceTasks.ts'

/** What a person begins to notice. */
export const MOST_TASK_MS = 100

/**
 * The tasks that are too long through no fault of the machine: by what they used of the processor, or by the clock even when it is believed that the
 * machine held them up twice as long as it held up a page that only watches for that.
 *
 * @param stallMs - the longest time for which the machine held up the control page meanwhile
 */
export function longTasks(tasks: readonly Task[], stallMs: number): readonly Task[] {
  return tasks.filter(({ wallMs, cpuMs }) => cpuMs > MOST_TASK_MS || wallMs - 2 * stallMs > MOST_TASK_MS)
}

/** An empty page of the same browser, in a process of its own, that measures how long the machine holds it up. */
export interface ControlPage {
  /** The longest time since the last call by which a timer or a fixed piece of work was late, in ms. */
  stallMs(): Promise<number>
  /** Lets a page do nothing else for as long as this takes of a processor that is not shared, at least. */
  busy(page: Page, ms: number): Promise<void>
  close(): Promise<void>
}

const BEAT_MS = 20
const WORK_MS = 3

export async function openControlPage(browser: Browser): Promise<ControlPage> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const roundsPerMs = await page.evaluate(
    ({ beatMs, workMs }) => {
      const work = (rounds: number) => {
        let value = 1
        for (let n = 0; n < rounds; n++) value = (value * 48_271) % 2_147_483_647
        return value
      }
      const timed = (rounds: number) => {
        const before = performance.now()
        work(rounds)
        return performance.now() - before
      }
      const ROUNDS = 100_000
      // The best of many is what it takes when nobody disturbs.
      const best = (rounds: number) => Math.min(...Array.from({ length: 40 }, () => timed(rounds)))
      best(ROUNDS)
      const roundsPerMs = ROUNDS / best(ROUNDS)
      let stall = 0
      const beat = (dueAt: number) => {
        const late = performance.now() - dueAt
        stall = Math.max(stall, late, timed(roundsPerMs * workMs) - workMs)
        setTimeout(beat, beatMs, performance.now() + beatMs)
      }
      beat(performance.now())
      const taken = () => {
        const most = stall
        stall = 0
        return most
      }
      Object.assign(globalThis, { stallSinceLast: taken })
      return roundsPerMs
    },
    { beatMs: BEAT_MS, workMs: WORK_MS },
  )
  return {
    stallMs: () => page.evaluate(() => (globalThis as unknown as { stallSinceLast(): number }).stallSinceLast()),
    busy: (other, ms) =>
      other.evaluate(rounds => {
        let value = 1
        for (let n = 0; n < rounds; n++) value = (value * 48_271) % 2_147_483_647
        Object.assign(globalThis, { worked: value })
      }, roundsPerMs * ms),
    close: () => context.close(),
  }
}
