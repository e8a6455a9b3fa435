import { setInterval as every } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Address } from '#domain/address.ts'
import { loadSite, type Site } from '#gateway/site.ts'
import { RealtimeFixture } from '#test/gateway/startRealtime.ts'
import { findBrowser } from '#test/support/findBrowser.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { launchChromium, openPage, type WatchedPage } from './openPage.ts'
import { SITE_FOLDER } from './siteFolder.ts'
import { keepBusy, longTasks, traceTasks } from './traceTasks.ts'

/* The console in Chromium before the real gateway with actors and sockets, over tokens in memory: more updates than any chain makes. */

const CHROMIUM = findBrowser('chromium')
const TOKENS = Array.from({ length: 50 }, (_, index) => addressOf(0x1000 + index))
const UPDATES_PER_SECOND = 1_000

let fixture: RealtimeFixture
let browser: Browser
let opened: WatchedPage
let sequence = 1_000

beforeAll(async () => {
  if (CHROMIUM === null) return
  const site = await loadSite(SITE_FOLDER)
  fixture = await RealtimeFixture.start({ allowedOrigins: ['http://127.0.0.1:*'] }, { site: site as Site })
  fixture.show(...TOKENS.map(token => fixture.store(token, sequence)))
  browser = await launchChromium(CHROMIUM)
})

beforeEach(async ({ onTestFinished }) => {
  if (CHROMIUM === null) return
  opened = await openPage(browser, fixture.gateway.url, { height: 1_400 })
  onTestFinished(async () => {
    const complaints = await opened.complaints()
    await opened.page.context().close()
    expect(complaints).toEqual([])
  })
})

afterAll(async () => {
  await browser?.close()
  await fixture?.stop()
})

/** Waits until the rows on the screen are subscribed, and gives their tokens. */
async function watchedTokens(page: Page): Promise<readonly Address[]> {
  await expect.poll(() => page.getByTestId('connection').getAttribute('data-state')).toBe('live')
  const subscribed = () => TOKENS.filter(token => (fixture.registry.get(token)?.subscribers.webSocket ?? 0) > 0)
  await expect.poll(() => subscribed().length).toBeGreaterThan(20)
  return subscribed()
}

/** A new state of a token: another price, so that the row really changes. */
function commit(tokens: readonly Address[]): void {
  sequence++
  fixture.commit(
    ...tokens.map((token, index) => {
      const { market } = fixture.stored.get(token)?.token ?? fixture.store(token, sequence).token
      const priceWeth = `0.0000000${1_000 + ((sequence * 7 + index) % 8_999)}`
      return fixture.store(token, sequence, { market: { ...market, priceWeth } })
    }),
  )
}

/**
 * Commits an update of every token again and again, `UPDATES_PER_SECOND` of them a second on a machine that is fast enough. It commits as many
 * as that makes in `seconds`, however long it takes, and goes on until `isEnough`. Returns the number of updates.
 */
async function flood(tokens: readonly Address[], seconds: number, isEnough = () => true): Promise<number> {
  let sent = 0
  for await (const _ of every((1_000 * tokens.length) / UPDATES_PER_SECOND)) {
    commit(tokens)
    sent += tokens.length
    if (sent >= UPDATES_PER_SECOND * seconds && isEnough()) break
  }
  return sent
}

/** A part of `LayoutShift`, which the DOM's types lack. */
interface Shift {
  readonly node: Node | null
  readonly previousRect: DOMRectReadOnly
  readonly currentRect: DOMRectReadOnly
}

/** What the page has seen of itself. */
interface Measured {
  readonly frames: number
  /** Things that moved where they should not. */
  readonly shifts: number
}

const shownSequences = (page: Page) =>
  page
    .locator('tr[data-address]')
    .evaluateAll(rows =>
      Object.fromEntries(
        rows.map(row => [row.getAttribute('data-address'), row.querySelector<HTMLElement>('td.c-price')?.dataset['sequence']]),
      ),
    )

/** The sequences of the newest states, as the page writes them. */
const newestOf = (tokens: readonly Address[]) =>
  Object.fromEntries(tokens.map(token => [token, String(fixture.stored.get(token)?.token.sequence)]))

/** Every row that is watched ends at the newest state of its token. */
async function expectNewest(page: Page, tokens: readonly Address[]): Promise<void> {
  await expect.poll(() => shownSequences(page)).toMatchObject(newestOf(tokens))
}

/** With `LOAD_FIGURES` set the run tells what it measured. */
function say(figures: object): void {
  if (process.env['LOAD_FIGURES'] !== undefined) process.stdout.write(`${JSON.stringify(figures)}\n`)
}

describe.skipIf(CHROMIUM === null)('the console before a gateway in memory', () => {
  test('stays responsive at 1,000 updates a second on the rows in sight', async () => {
    const { page } = opened
    const tokens = await watchedTokens(page)
    await page.evaluate(() => {
      let frames = 0
      let shifts = 0
      // A longer number begins further to the left in its cell; anything else that moves, or moves up or down, is a jump.
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
    const leastDelivered = (UPDATES_PER_SECOND * seconds) / 4
    const delivered = () => fixture.realtime.health().deliveredTotal
    const before = delivered()
    let sent = 0
    const tasks = await traceTasks(browser, page, async () => {
      // A page that gets little processor time reads slowly, and the server conflates its updates: the load then lasts longer.
      sent = await flood(tokens, seconds, () => delivered() - before > leastDelivered)
      await expectNewest(page, tokens)
    })
    // The control: a long task among the same updates is found.
    const spoiled = await traceTasks(browser, page, async () => {
      await Promise.all([flood(tokens, 0.5), keepBusy(page)])
    })
    expect(sent).toBeGreaterThanOrEqual(UPDATES_PER_SECOND * seconds)
    expect(delivered() - before).toBeGreaterThan(leastDelivered)
    expect(tasks.length).toBeGreaterThan(100)
    expect(longTasks(tasks)).toEqual([])
    expect(longTasks(spoiled)).not.toEqual([])
    say({ longest: tasks.slice(0, 3), spoiled: spoiled.slice(0, 2), sent })
    const { frames, shifts } = await page.evaluate(() => (globalThis as unknown as { measured(): Measured }).measured())
    expect(frames).toBeGreaterThan(seconds)
    expect(shifts).toBe(0)
  })

  test('draws the newest states and skips those between them in a tab that is throttled, or gets no frames', async () => {
    const { page } = opened
    const tokens = await watchedTokens(page)
    await page.evaluate(() => {
      let drawn = 0
      const body = document.querySelector('[data-testid=rows]')
      new MutationObserver(records => (drawn += records.length)).observe(body as Node, {
        subtree: true,
        attributeFilter: ['data-sequence'],
      })
      // What a browser does to a tab that nobody looks at, once `hold` is called.
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

    // A tab that the browser freezes reads nothing from its connection, so the server keeps one update per token for it.
    const { conflatedTotal } = fixture.realtime.health()
    const conflatedSince = () => fixture.realtime.health().conflatedTotal - conflatedTotal
    const tabSession = await page.context().newCDPSession(page)
    await tabSession.send('Page.setWebLifecycleState', { state: 'frozen' })
    // Buffers between the two take some megabytes before the server finds out.
    const sentToFrozen = await flood(tokens, 2, () => conflatedSince() > tokens.length)
    await tabSession.send('Page.setWebLifecycleState', { state: 'active' })
    await expectNewest(page, tokens)
    const drawnAfterwards = await tab('taken')
    const conflated = conflatedSince()
    expect(conflated).toBeGreaterThan(tokens.length)
    expect(drawnAfterwards).toBeLessThanOrEqual(sentToFrozen - conflated + tokens.length)

    await tab('hold')
    const sent = await flood(tokens, 1)
    expect(sent).toBeGreaterThan(tokens.length * 10)
    // What was asked for before.
    expect(await tab('taken')).toBeLessThanOrEqual(tokens.length)
    // One more frame each time, since the last updates may still be on their way.
    await expect
      .poll(async () => {
        await tab('release')
        return shownSequences(page)
      })
      .toMatchObject(newestOf(tokens))
    const drawn = await tab('taken')
    expect(drawn).toBeGreaterThanOrEqual(tokens.length)
    expect(drawn).toBeLessThanOrEqual(tokens.length * 3)
    say({ sentToFrozen, drawnAfterwards, conflated, sent, drawn, rows: tokens.length })
  })

  test('shows a token whose texts are a megabyte each in a row like any other', async () => {
    const { page } = opened
    const [token] = TOKENS as [Address]
    const long = 'W\u0301\u0302\u0303'.repeat(250_000)
    const { tokens } = fixture.gateway.reads.stored
    const before = [...tokens]
    try {
      fixture.gateway.reads.stored.tokens = [
        fixture.store(token, ++sequence, { name: long, symbol: long, description: long, metadataUri: long }).token,
        ...before.slice(1),
      ]
      await page.reload()
      const row = page.locator(`tr[data-address="${token}"]`)
      await expect.poll(() => row.count()).toBe(1)
      const heights = await page
        .locator('tr[data-address]')
        .evaluateAll(rows => [...new Set(rows.map(each => Math.round(each.getBoundingClientRect().height)))])
      expect(heights).toHaveLength(1)
      expect((await row.textContent())?.length).toBeLessThan(400)
      await row.getByRole('link').click()
      await page.getByRole('heading', { level: 1, name: /^W/ }).waitFor()
      expect((await page.locator('main').textContent())?.length).toBeLessThan(5_000)
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    } finally {
      fixture.gateway.reads.stored.tokens = before
    }
  })

  test('keeps rows in their places until somebody asks for the new order', async () => {
    const { page } = opened
    await watchedTokens(page)
    const order = () => page.locator('tr[data-address]').evaluateAll(rows => rows.map(row => row.getAttribute('data-address')))
    const before = await order()
    const trades = (buys: number) => ({ ...fixture.stored.get(TOKENS[0] as Address)?.token.market.trades, h24: { buys, sells: 0 } })
    const last = before.at(-1) as Address
    const { market } = fixture.store(last, ++sequence).token
    const { tokens } = fixture.gateway.reads.stored
    const index = tokens.findIndex(({ address }) => address === last)
    tokens[index] = fixture.store(last, sequence, { market: { ...market, trades: trades(99_999) as typeof market.trades } }).token
    // As when somebody comes back to the page.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    const update = page.getByRole('button', { name: 'Order has changed' })
    await update.waitFor()
    expect(await order()).toEqual(before)
    await update.click()
    await expect.poll(order).toEqual([last, ...before.slice(0, -1)])
  })

  test('shows what is not known as unknown and never as zero', async () => {
    const { price } = fixture.gateway.conditions
    const { tokens } = fixture.gateway.reads.stored
    const [first] = tokens
    const unknown = { m5: null, h1: null, h6: null, h24: null }
    const market = {
      ...first?.market,
      priceWeth: null,
      marketCapWeth: null,
      liquidityWeth: null,
      volumeWeth: unknown,
      priceChange: unknown,
      lastTradeAt: null,
    }
    const token = fixture.store(TOKENS[0] as Address, ++sequence, { market: market as NonNullable<typeof first>['market'] }).token
    fixture.gateway.conditions.price = null
    fixture.gateway.reads.stored.tokens = [token]
    try {
      const { page } = opened
      await page.reload()
      const row = page.locator(`tr[data-address="${token.address}"]`)
      await expect.poll(() => row.count()).toBe(1)
      await expect.poll(() => page.locator('.eth').textContent()).toBe('–not known')
      await page.setViewportSize({ width: 360, height: 800 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
      await page.setViewportSize({ width: 1280, height: 800 })
      for (const currency of ['ETH', 'USD']) {
        await page.getByRole('button', { name: currency, exact: true }).click()
        for (const cell of ['price', 'change-1h', 'change-24h', 'cap', 'volume', 'liquidity', 'last']) {
          expect([cell, await row.locator(`.c-${cell} > span`).first().textContent()]).toEqual([cell, '–not known'])
        }
      }
    } finally {
      fixture.gateway.conditions.price = price
      fixture.gateway.reads.stored.tokens = tokens
    }
  })
})
