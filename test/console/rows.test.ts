import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Address } from '#domain/address.ts'
import type { RealtimeFixture } from '#test/gateway/startRealtime.ts'
import { findBrowser } from '#test/support/findBrowser.ts'
import { FIRST_SEQUENCE, type MemoryConsole, startMemoryConsole, TOKENS } from './memoryConsole.ts'
import type { WatchedPage } from './openPage.ts'

const CHROMIUM = findBrowser('chromium')

let memory: MemoryConsole
let fixture: RealtimeFixture
let opened: WatchedPage
let sequence = FIRST_SEQUENCE

beforeAll(async () => {
  if (CHROMIUM === null) return
  memory = await startMemoryConsole(CHROMIUM)
  fixture = memory.fixture
})

beforeEach(async ({ onTestFinished }) => {
  if (CHROMIUM === null) return
  opened = await memory.open()
  onTestFinished(async () => {
    const complaints = await opened.complaints()
    await opened.page.context().close()
    expect(complaints).toEqual([])
  })
})

afterAll(() => memory?.stop())

describe.skipIf(CHROMIUM === null)('the rows of the market', () => {
  test('shows a token with texts of a megabyte in a row of normal size', async () => {
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

  test('keeps the order of rows until the user asks for the new one', async () => {
    const { page } = opened
    await memory.watchedTokens(page)
    const order = () => page.locator('tr[data-address]').evaluateAll(rows => rows.map(row => row.getAttribute('data-address')))
    const before = await order()
    const trades = (buys: number) => ({ ...fixture.stored.get(TOKENS[0] as Address)?.token.market.trades, h24: { buys, sells: 0 } })
    const last = before.at(-1) as Address
    const { market } = fixture.store(last, ++sequence).token
    const { tokens } = fixture.gateway.reads.stored
    const index = tokens.findIndex(({ address }) => address === last)
    tokens[index] = fixture.store(last, sequence, { market: { ...market, trades: trades(99_999) as typeof market.trades } }).token
    // Like a user who returns to the page.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    const update = page.getByRole('button', { name: 'Order has changed' })
    await update.waitFor()
    expect(await order()).toEqual(before)
    await update.click()
    await expect.poll(order).toEqual([last, ...before.slice(0, -1)])
  })

  test('shows unknown values as unknown and never as zero', async () => {
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
