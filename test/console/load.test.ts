import { setInterval as every } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Address } from '#domain/address.ts'
import type { Token } from '#resources/token.ts'
import { FIRST_SEQUENCE, openMemoryConsole } from './memoryConsole.ts'
import { CHROMIUM, type WatchedPage } from './openPage.ts'
import { keepBusy, longTasks, traceTasks } from './traceTasks.ts'

/* The console under more updates than any chain causes. */

const UPDATES_PER_SECOND = 1_000

const memory = await openMemoryConsole()
const { fixture } = memory
let opened: WatchedPage
let sequence = FIRST_SEQUENCE

beforeEach(async ({ onTestFinished }) => {
  opened = await memory.openFor(onTestFinished)
})

const shownSequences = (page: Page) =>
  page
    .locator('tr[data-address]')
    .evaluateAll(rows =>
      Object.fromEntries(
        rows.map(row => [row.getAttribute('data-address'), row.querySelector<HTMLElement>('td.c-price')?.dataset['sequence']]),
      ),
    )

/** The sequences of the newest states, as the page has them in its attributes. */
const newestOf = (tokens: readonly Address[]) =>
  Object.fromEntries(tokens.map(token => [token, String(fixture.stored.get(token)?.token.sequence)]))

/** Waits until every watched row shows the newest state of its token. */
async function expectNewest(page: Page, tokens: readonly Address[]): Promise<void> {
  await expect.poll(() => shownSequences(page)).toMatchObject(newestOf(tokens))
}

describe.skipIf(CHROMIUM === null)('the console with a gateway in memory', () => {
  test('stays responsive at 1,000 updates a second of the visible rows', async () => {
    const { page } = opened
    const tokens = await memory.watchedTokens(page)
    await page.evaluate(() => {
      let frames = 0
      let shifts = 0
      // A longer number starts further left in its cell. Any other move, or a vertical one, is a jump.
      const isJump = ({ node, previousRect, currentRect }: Shift) =>
        previousRect.y !== currentRect.y || (node instanceof Element && node.matches('td, th, tr, table, div, dd, dt'))
      const jumpsIn = (entry: PerformanceEntry) => (entry as unknown as { sources: readonly Shift[] }).sources.filter(isJump).length
      new PerformanceObserver(list => {
        for (const entry of list.getEntries()) shifts += jumpsIn(entry)
      }).observe({ type: 'layout-shift' })
      const count = () => {
        frames++
        requestAnimationFrame(count)
      }
      requestAnimationFrame(count)
      Object.assign(globalThis, { measured: () => ({ frames, shifts }) })
    })
    const seconds = 3
    const minDelivered = (UPDATES_PER_SECOND * seconds) / 4
    const delivered = () => fixture.realtime.report().deliveredTotal
    const before = delivered()
    let sent = 0
    const tasks = await traceTasks(memory.browser, page, async () => {
      // A page that gets little processor time reads slowly, and the server conflates its updates: the load then lasts longer.
      sent = await flood(tokens, seconds, () => delivered() - before > minDelivered)
      await expectNewest(page, tokens)
    })
    // The control: a long task among the same updates is found.
    const spoiled = await traceTasks(memory.browser, page, async () => {
      await Promise.all([flood(tokens, 0.5), keepBusy(page)])
    })
    expect(sent).toBeGreaterThanOrEqual(UPDATES_PER_SECOND * seconds)
    expect(delivered() - before).toBeGreaterThan(minDelivered)
    expect(tasks.length).toBeGreaterThan(100)
    expect(longTasks(tasks)).toEqual([])
    expect(longTasks(spoiled)).not.toEqual([])
    say({ longest: tasks.slice(0, 3), spoiled: spoiled.slice(0, 2), sent })
    const { frames, shifts } = await page.evaluate(() => (globalThis as unknown as { measured(): Measured }).measured())
    expect(frames).toBeGreaterThan(seconds)
    expect(shifts).toBe(0)
  })

  test('draws only the newest states in a tab whose thread is stopped or that gets no animation frames', async () => {
    const { page } = opened
    const tokens = await memory.watchedTokens(page)
    await page.evaluate(() => {
      let drawn = 0
      const body = document.querySelector('[data-testid=rows]')
      new MutationObserver(records => (drawn += records.length)).observe(body as Node, {
        subtree: true,
        attributeFilter: ['data-sequence'],
      })
      // After `hold` the page gets no animation frames, like a hidden tab.
      const held: FrameRequestCallback[] = []
      const hold = () => {
        globalThis.requestAnimationFrame = run => held.push(run)
      }
      const release = () => {
        while (held.length > 0) held.shift()?.(performance.now())
      }
      const taken = () => {
        const count = drawn
        drawn = 0
        return count
      }
      Object.assign(globalThis, { tab: { taken, hold, release } })
    })
    const tab = (what: 'taken' | 'hold' | 'release') =>
      page.evaluate(name => (globalThis as unknown as { tab: Record<string, () => number> }).tab[name]?.() ?? 0, what)

    // A dialog stops the tab's thread. It reads nothing from its connection, so the server keeps one update per token for it. A tab that is
    // only frozen by the browser went on reading, and on an idle machine the server never had to keep an update.
    const { conflatedTotal } = fixture.realtime.report()
    const conflatedSince = () => fixture.realtime.report().conflatedTotal - conflatedTotal
    const opening = page.waitForEvent('dialog')
    const stopped = page.evaluate(() => alert('stopped'))
    const dialog = await opening
    // The buffers between them take some megabytes before the server notices: large updates fill them sooner.
    const sentToStopped = await flood(tokens, 1, () => conflatedSince() > tokens.length, { description: 'd'.repeat(8_000) })
    await dialog.accept()
    await stopped
    await expectNewest(page, tokens)
    const drawnAfterwards = await tab('taken')
    const conflated = conflatedSince()
    expect(conflated).toBeGreaterThan(tokens.length)
    expect(drawnAfterwards).toBeLessThanOrEqual(sentToStopped - conflated + tokens.length)

    await tab('hold')
    const sent = await flood(tokens, 1)
    expect(sent).toBeGreaterThan(tokens.length * 10)
    // Frames that were requested before.
    expect(await tab('taken')).toBeLessThanOrEqual(tokens.length)
    // One more frame per poll, because the last updates may still be on their way. On a slow machine they fill many frames.
    const drawn: number[] = []
    await expect
      .poll(async () => {
        await tab('release')
        drawn.push(await tab('taken'))
        return shownSequences(page)
      })
      .toMatchObject(newestOf(tokens))
    expect(drawn.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(tokens.length)
    for (const count of drawn) expect(count).toBeLessThanOrEqual(tokens.length)
    say({ sentToStopped, drawnAfterwards, conflated, sent, drawn, rows: tokens.length })
  })
})

/** Commits a new state of each token, with another price, so that the rows change. `fields`: the same in every state. */
function commit(tokens: readonly Address[], fields: Partial<Token> = {}): void {
  sequence++
  fixture.commit(
    ...tokens.map((token, index) => {
      const { market } = fixture.stored.get(token)?.token ?? fixture.store(token, sequence).token
      const priceWeth = `0.0000000${1_000 + ((sequence * 7 + index) % 8_999)}`
      return fixture.store(token, sequence, { ...fields, market: { ...market, priceWeth } })
    }),
  )
}

/**
 * Commits updates of all tokens in turn, `UPDATES_PER_SECOND` on a machine that is fast enough. The number of updates is that of
 * `seconds`, however long it takes, and more until `isEnough`. Returns that number.
 */
async function flood(tokens: readonly Address[], seconds: number, isEnough = () => true, fields: Partial<Token> = {}): Promise<number> {
  let sent = 0
  for await (const _ of every((1_000 * tokens.length) / UPDATES_PER_SECOND)) {
    commit(tokens, fields)
    sent += tokens.length
    if (sent >= UPDATES_PER_SECOND * seconds && isEnough()) break
  }
  return sent
}

/** A part of `LayoutShift`, which the types of the DOM do not have. */
interface Shift {
  readonly node: Node | null
  readonly previousRect: DOMRectReadOnly
  readonly currentRect: DOMRectReadOnly
}

/** Measured inside the page. */
interface Measured {
  readonly frames: number
  /** Elements that moved unexpectedly. */
  readonly shifts: number
}

/** Prints the measured figures when `LOAD_FIGURES` is set. */
function say(figures: object): void {
  if (process.env['LOAD_FIGURES'] !== undefined) process.stdout.write(`${JSON.stringify(figures)}\n`)
}
