import { type Browser, launch as launchBrowser } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadSite } from '#gateway/http/site.ts'
import type { Site } from '#gateway/http/sources.ts'
import { RealtimeFixture } from '#test/gateway/realtime/startRealtime.ts'
import { findBrowser } from '#test/support/findBrowser.ts'
import { POLL_LIMIT_MS } from '#test/support/limits.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { SITE_FOLDER } from './siteFolder.ts'

/* The console in Firefox, over WebDriver BiDi: it starts under its policy, updates and draws. The other tests use Chromium. */

const FIREFOX = findBrowser('firefox')
const TOKEN = addressOf(0xa1)

let fixture: RealtimeFixture
let browser: Browser

beforeAll(async () => {
  if (FIREFOX === null) return
  const site = await loadSite(SITE_FOLDER)
  fixture = await RealtimeFixture.start({ allowedOrigins: ['http://127.0.0.1:*'] }, { site: site as Site })
  fixture.show(fixture.store(TOKEN, 1_000))
  browser = await launchBrowser({
    browser: 'firefox',
    executablePath: FIREFOX,
    headless: true,
    timeout: POLL_LIMIT_MS,
    protocolTimeout: POLL_LIMIT_MS,
  })
})

afterAll(async () => {
  await browser?.close()
  await fixture?.stop()
})

test.skipIf(FIREFOX === null)('starts in Firefox under its policy, updates prices, tells events and draws the chart', async () => {
  const page = await browser.newPage()
  page.setDefaultTimeout(POLL_LIMIT_MS)
  const complaints: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' || /Content-Security-Policy/.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(String(error)))
  await page.goto(fixture.gateway.url)
  const text = (selector: string) => page.$eval(selector, element => element.textContent).catch(() => null)
  await expect.poll(() => text('[data-testid=connection]')).toBe('Live')
  const sequence = () => page.$eval('td.c-price', cell => (cell as HTMLElement).dataset['sequence']).catch(() => null)
  const { market } = fixture.store(TOKEN, 2_000).token
  fixture.show(fixture.store(TOKEN, 2_000, { market: { ...market, priceWeth: '0.0000009876' } }))
  fixture.lists.changed(new Set([TOKEN]))
  await expect.poll(sequence).toBe('2000')
  expect(await text('td.c-price > span')).toBe('$0.002963')
  await page.waitForSelector('.live-events li')
  fixture.trade([0xa1, 0xb0])
  await page.waitForSelector('.live-events li[data-key="1-1"]')
  await page.goto(`${fixture.gateway.url}/#/wallet/${addressOf(0xb0)}`)
  await page.waitForSelector('[data-testid=wallet]')
  await page.goto(`${fixture.gateway.url}/#/token/${TOKEN}`)
  await page.waitForSelector('[data-testid=chart] canvas')
  await expect.poll(() => text('h1')).toBe('ALP / WETH Alpha')
  expect(complaints).toEqual([])
})
