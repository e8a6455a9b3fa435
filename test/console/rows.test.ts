import { beforeEach, describe, expect, test } from 'vitest'
import type { Address } from '#domain/address.ts'
import { LIST_COLUMNS } from '#protocol/listCells.ts'
import { FIRST_SEQUENCE, openMemoryConsole, TOKENS } from './memoryConsole.ts'
import { CHROMIUM, findingsOf, type WatchedPage } from './openPage.ts'

const memory = await openMemoryConsole()
const { fixture } = memory
let opened: WatchedPage
let sequence = FIRST_SEQUENCE

beforeEach(async ({ onTestFinished }) => {
  opened = await memory.openFor(onTestFinished)
})

/** A message with `null` for values in USD, also in the rows of a list. */
function withoutUsd(text: string): string {
  const message = JSON.parse(text) as { readonly data?: unknown }
  const cellOf = (cell: unknown, place: number) => (LIST_COLUMNS[place]?.endsWith('Usd') ? null : cell)
  const data = Array.isArray(message.data) ? message.data.map(row => (Array.isArray(row) ? row.map(cellOf) : row)) : message.data
  return JSON.stringify({ ...message, data }).replaceAll(/"(\w+Usd)":"[^"]*"/g, '"$1":null')
}

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

  test('cuts no number, heading or filter at any width, and says that the statistics go on', async () => {
    const { page } = opened
    const { tokens } = fixture.gateway.reads.stored
    const perWindow = <T>(value: T) => ({ m5: value, h1: value, h6: value, h24: value })
    const widest = (decimal: string, percent: number) => {
      const { market } = fixture.store(TOKENS[0] as Address, ++sequence).token
      return {
        ...market,
        priceWeth: decimal,
        marketCapWeth: decimal,
        liquidityWeth: decimal,
        volumeWeth: perWindow(decimal),
        priceChange: perWindow(percent),
        buyVolumeWeth: perWindow(decimal),
        sellVolumeWeth: perWindow(decimal),
        trades: perWindow({ buys: 888_888, sells: 0, buyers: 888_888, sellers: 0 }),
        holderCount: 888_888,
      }
    }
    fixture.gateway.reads.stored.tokens = TOKENS.slice(0, 3).map((token, index) => {
      const market = widest(['0.00088888', '0.000000000000888888', '278888.886'][index] ?? '', [8_888_888, -88.8, 888][index] ?? 0)
      return fixture.store(token, ++sequence, { market }).token
    })
    try {
      await page.reload()
      await expect.poll(() => page.locator('tr[data-address]').count()).toBe(3)
      for (const currency of ['ETH', 'USD']) {
        await page.getByRole('radio', { name: currency }).check()
        for (const width of [360, 390, 590, 600, 768, 944, 1024, 1104, 1280, 1408, 1600, 1920]) {
          await page.setViewportSize({ width, height: 900 })
          const cut = await page.evaluate(() => {
            const isCut = (element: Element) => element.scrollWidth > element.clientWidth
            const labels = Array.from(document.querySelectorAll<HTMLElement>('.filters select')).filter(select => {
              const width = select.clientWidth
              select.style.setProperty('min-width', 'max-content')
              const isClipped = select.clientWidth > width
              select.style.removeProperty('min-width')
              return isClipped
            })
            return [
              ...labels,
              ...Array.from(document.querySelectorAll('.tokens td, .tokens th, .live-words > :last-child')).filter(isCut),
            ].map(({ className, textContent }) => `${className}: ${textContent}`)
          })
          expect([currency, width, cut]).toEqual([currency, width, []])
        }
      }
      const strip = page.getByRole('region', { name: 'Chain statistics' })
      for (const [width, hidden] of [
        [1920, 'none'],
        [390, 'end'],
      ] as const) {
        await page.setViewportSize({ width, height: 900 })
        await expect.poll(() => strip.getAttribute('data-hidden')).toBe(hidden)
      }
      await strip.evaluate(element => element.scrollTo({ left: 50 }))
      await expect.poll(() => strip.getAttribute('data-hidden')).toBe('both')
    } finally {
      fixture.gateway.reads.stored.tokens = tokens
    }
  })

  test('animates no move of a price that it does not know', async () => {
    const { page } = opened
    // Updates of a service without a price of ETH.
    await page.routeWebSocket(/realtime/, socket => {
      const server = socket.connectToServer()
      server.onMessage(message => socket.send(withoutUsd(String(message))))
    })
    await page.reload()
    const [token] = (await memory.liveTokens(page)) as [Address]
    const cell = page.locator(`tr[data-address="${token}"] .c-price`)
    const move = async (priceWeth: string) => {
      const { market } = fixture.store(token, ++sequence).token
      memory.commit(fixture.store(token, sequence, { market: { ...market, priceWeth } }))
      await expect.poll(() => cell.getAttribute('data-sequence')).toBe(String(sequence))
      return cell.getAttribute('class')
    }
    await page.getByRole('radio', { name: 'ETH' }).check()
    expect(await move('0.000001')).toContain('moved-up')
    await page.getByRole('radio', { name: 'USD' }).check()
    expect(await move('0.000002')).not.toContain('moved')
    expect(await cell.locator('> span').first().textContent()).toBe('–not known')
  })

  test('says for how long the service limits requests, while live updates go on', async () => {
    const { page } = opened
    const tokens = await memory.liveTokens(page)
    await page.route('**/api/**', route => route.fulfill({ status: 429, headers: { 'retry-after': '300' }, body: '' }))
    // Like a user who returns to the page.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await page.getByText('The service limits the requests of this address').waitFor()
    expect(await page.getByRole('timer').textContent()).toMatch(/^in [45]m \d+s$/)
    expect(await page.getByText('The service does not answer').count()).toBe(0)
    expect(await page.getByTestId('connection').getAttribute('data-state')).toBe('live')
    const token = tokens[0] as Address
    memory.commit(fixture.store(token, ++sequence))
    const cell = page.locator(`tr[data-address="${token}"] .c-price`)
    await expect.poll(() => cell.getAttribute('data-sequence')).toBe(String(sequence))
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
        await page.getByRole('radio', { name: currency }).check()
        for (const cell of ['price', 'change-1h', 'change-24h', 'cap', 'volume', 'liquidity', 'last']) {
          expect([cell, await row.locator(`.c-${cell} > span`).first().textContent()]).toEqual([cell, '–not known'])
        }
      }
    } finally {
      fixture.gateway.conditions.price = price
      fixture.gateway.reads.stored.tokens = tokens
    }
  })

  test('says that the price of ETH is simulated, at every width', async () => {
    const { page } = opened
    const price = { price: '3059.28', currency: 'USD', fetchedAt: new Date().toISOString(), ageSeconds: 0, stale: false }
    for (const source of ['coingecko', 'simulated']) {
      await page.unroute('**/api/market/eth-usd')
      await page.route('**/api/market/eth-usd', route => route.fulfill({ json: { ...price, source } }))
      await page.reload()
      for (const width of [360, 1024, 1920]) {
        await page.setViewportSize({ width, height: 800 })
        await expect.poll(() => page.getByTestId('eth-usd').textContent()).toBe('$3,059.28')
        expect(await page.getByText('simulated', { exact: true }).isVisible()).toBe(source === 'simulated')
        for (const colorScheme of source === 'simulated' ? (['light', 'dark'] as const) : []) {
          await page.emulateMedia({ colorScheme })
          expect(await findingsOf(page, ['color-contrast'])).toEqual([])
        }
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
      }
    }
  })
})
