import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openMemoryConsole, TOKENS } from './memoryConsole.ts'
import { CHROMIUM } from './openPage.ts'

/* What stays where it is: while a page loads, from view to view, and when the service goes away. */

/** A cumulative layout shift of 0.1 counts as good. */
const MAX_SHIFT = 0.02

const memory = await openMemoryConsole()

/** Adds up the layout shifts from the first paint on. */
const observe = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    const shift = { sum: 0 }
    Object.assign(globalThis, { shift })
    new PerformanceObserver(list => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
        if (!entry.hadRecentInput) shift.sum += entry.value
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

/** The sum once the page has been drawn as it is now. */
const shiftOf = (page: Page) =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))
    return (globalThis as unknown as { shift: { sum: number } }).shift.sum
  })

describe.skipIf(CHROMIUM === null)('the console', () => {
  test.each([
    ['market', '', 'tr[data-address]', 1280],
    ['market', '', 'tr[data-address]', 390],
    ['token', `#/token/${TOKENS[0]}`, '[data-testid=holders] tr', 1280],
    ['operator', '#/operator', '[data-testid=health]', 1280],
  ])('moves nothing while the view %s loads (%s, %s, %i px)', async (_, hash, loaded, width) => {
    const { page } = await memory.open({ width, height: 900, prepare: observe })
    if (hash !== '') {
      await page.goto(`${memory.fixture.gateway.url}/${hash}`)
      await page.reload()
    }
    await page.locator(loaded).first().waitFor()
    await expect.poll(() => page.getByTestId('eth-usd').count()).toBe(1)
    expect(await shiftOf(page)).toBeLessThan(MAX_SHIFT)
    await page.context().close()
  })

  test('has its links in the same places on every view, and the heads of a list below its own', async () => {
    const { page } = await memory.open({ height: 700 })
    await page.locator('tr[data-address]').first().waitFor()
    const places = () => page.locator('.nav a').evaluateAll(links => links.map(link => link.getBoundingClientRect().x))
    const before = await places()
    await page.mouse.move(0, 0)
    await page.evaluate(() => scrollTo(0, 900))
    const edges = () =>
      page.evaluate(() => ({
        head: document.querySelector('.tokens thead th')?.getBoundingClientRect().top,
        shell: (document.querySelector('.shell-top')?.getBoundingClientRect().bottom ?? 0) - 1,
      }))
    const { head, shell } = await edges()
    // Heights of whole pixels.
    expect(Math.abs((head ?? 0) - shell)).toBeLessThan(1)
    await page.getByRole('link', { name: 'Operator' }).click()
    await page.getByTestId('health').waitFor()
    expect(await places()).toEqual(before)
    await page.context().close()
  })

  // The rows were pushed down by what the page said about them.
  test('keeps what it shows where it is when the service goes away', async () => {
    const { page } = await memory.open({ prepare: observe })
    await memory.liveTokens(page)
    const text = () => page.locator('tr[data-address]').first().textContent()
    const before = await text()
    const shiftBefore = await shiftOf(page)
    await page.route('**/api/**', route => route.abort())
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await page.getByText('The service does not answer').waitFor()
    await page.getByText('Not up to date').waitFor()
    expect(await text()).toBe(before)
    expect((await shiftOf(page)) - shiftBefore).toBeLessThan(MAX_SHIFT / 10)
    await page.context().close()
  })
})
