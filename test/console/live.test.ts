import { once } from 'node:events'
import type { Browser, Page } from 'playwright-core'
import { type Hex, parseEther } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { formatPrice } from '#console/format/decimal.ts'
import { buyOnCurve, type Launched, launch, readLaunched } from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import type { Candle } from '#domain/candle.ts'
import type { Holder } from '#domain/holder.ts'
import type { Token } from '#domain/token.ts'
import type { Trade } from '#domain/trade.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { chainService } from '#test/support/chainService.ts'
import { useDatabase } from '#test/support/database.ts'
import { findBrowser } from '#test/support/findBrowser.ts'
import type { Service } from '#test/support/service.ts'
import { type FrontProxy, startFrontProxy } from './frontProxy.ts'
import { findingsOf, launchChromium, openPage, type WatchedPage } from './openPage.ts'

/*
 * The console in a real browser, before the real service on the development chain. A proxy stands between them: its address stays when the
 * service is killed, and it can refuse WebSockets.
 */

const CHROMIUM = findBrowser('chromium')
const OPERATOR_TOKEN = 'operators-only-7f3a'
const HOSTILE_NAME = '<img src=x onerror="globalThis.hit=1">\u202ednE\u2066'
const HOSTILE_SYMBOL = '\u202e"><b>A'
/** Everything here waits for events; a loaded machine only makes it slower. */

const database = await useDatabase({ migrated: false })
let chain: TestChain
let service: Service
let proxy: FrontProxy
let browser: Browser
let alpha: Launched
let hostile: Launched
let alice: Address
let start: () => Promise<Service>
let cleanUp: () => Promise<void>
let opened: WatchedPage | null = null

beforeAll(async () => {
  if (CHROMIUM === null) return
  chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 3_600 })
  const creator = chain.accounts[1] as Address
  alice = chain.accounts[2] as Address
  alpha = readLaunched(await chain.mined(launch(chain, { from: creator, name: 'Alpha', symbol: 'ALP', firstBuyWei: parseEther('0.05') })))
  hostile = readLaunched(await chain.mined(launch(chain, { from: creator, name: HOSTILE_NAME, symbol: HOSTILE_SYMBOL })))
  await chain.mined(buyOnCurve(chain, { from: alice, curve: hostile.curve, paidWei: parseEther('0.01') }))
  ;({ start, cleanUp } = await chainService(chain, database.url, {
    EXPLORER_URL: 'https://explorer.example',
    PATH_PREFIX: '/kept',
    OPERATOR_TOKEN,
  }))
  const [started, launched] = await Promise.all([start(), launchChromium(CHROMIUM)])
  service = started
  browser = launched
  await service.indexed(await chain.head())
  proxy = await startFrontProxy(service.url)
})

afterEach(async () => {
  const complaints = await opened?.complaints()
  await opened?.page.context().close()
  opened = null
  expect(complaints ?? []).toEqual([])
})

afterAll(async () => {
  await browser?.close()
  await proxy?.close()
  await service?.stop()
  await chain?.stop()
  await cleanUp?.()
})

async function open(hash: string, options: Parameters<typeof openPage>[2] & { readonly base?: string } = {}): Promise<Page> {
  opened = await openPage(browser, `${options.base ?? proxy.url}/${hash}`, options)
  return opened.page
}

async function get<T>(path: string): Promise<T> {
  const response = await fetch(service.url + path)
  expect([path, response.status]).toEqual([path, 200])
  return (await response.json()) as T
}

/** Buys and waits until the service has it. */
async function buy(curve: Address, ether: string): Promise<void> {
  const sent: Promise<Hex> = buyOnCurve(chain, { from: alice, curve, paidWei: parseEther(ether) })
  await service.indexed(Number((await chain.mined(sent)).blockNumber))
}

const connection = (page: Page) => page.getByTestId('connection')
const priceCell = (page: Page, token: Address) => page.locator(`tr[data-address="${token}"] .c-price`)

async function expectState(page: Page, state: string): Promise<void> {
  await expect.poll(() => connection(page).getAttribute('data-state')).toBe(state)
}

/** The row shows the token as REST has it, down to its sequence. */
async function expectAsRest(page: Page, token: Address): Promise<void> {
  const rest = await get<Token>(`/api/tokens/${token}`)
  await expect.poll(() => priceCell(page, token).getAttribute('data-sequence')).toBe(String(rest.sequence))
  expect(await priceCell(page, token).locator('> span').first().textContent()).toBe(`$${formatPrice(rest.market.priceUsd)}`)
}

describe.skipIf(CHROMIUM === null)('the console in Chromium', () => {
  test('shows what REST has, and ticks to what REST has after a trade', async () => {
    const page = await open('')
    await expectAsRest(page, alpha.token)
    await expectState(page, 'live')
    const before = await priceCell(page, alpha.token).getAttribute('data-sequence')
    await buy(alpha.curve, '0.2')
    await expect.poll(() => priceCell(page, alpha.token).getAttribute('data-sequence')).not.toBe(before)
    await expectAsRest(page, alpha.token)
    expect(await page.getByTestId('eth-usd').textContent()).toBe('$3,000.50')
  })

  test('shows a token with its chart, tape, holders and claim, and lets all of them grow', async () => {
    const page = await open(`#/token/${alpha.token}`)
    await expect.poll(() => page.getByTestId('chart').getAttribute('data-state')).toBe('ready')
    await expectState(page, 'live')
    const path = `/api/tokens/${alpha.token}`
    const tape = () => page.getByTestId('trades').locator('tr').first().getAttribute('data-id')
    const first = await tape()
    await buy(alpha.curve, '0.3')
    await expect.poll(tape).not.toBe(first)
    const [trade] = (await get<{ data: Trade[] }>(`${path}/trades?limit=1`)).data
    expect(await tape()).toBe(trade?.id)
    const rest = await get<Token>(path)
    await expect.poll(() => page.getByTestId('price').getAttribute('data-sequence')).toBe(String(rest.sequence))
    const candle = (await get<{ data: Candle[] }>(`${path}/candles?interval=5m&currency=usd&fill=true`)).data.at(-1)
    await expect.poll(() => page.getByTestId('chart').getAttribute('data-close').then(Number)).toBe(Number(candle?.close))
    expect(Number(await page.getByTestId('chart').getAttribute('data-time'))).toBe(candle?.time)
    const holders = (await get<{ data: Holder[] }>(`${path}/holders?limit=20`)).data
    const types = () => page.getByTestId('holders').locator('.tag').allTextContents()
    await expect.poll(types).toEqual(holders.map(({ type }) => type))
    expect(await page.getByTestId('claim').first().textContent()).toMatch(/Claimable.*WETH/)
    const link = page.getByRole('link', { name: /token address in the explorer/ })
    expect(await link.getAttribute('href')).toBe(`https://explorer.example/token/${alpha.token}`)
  })

  test('subscribes to what is on the screen, and to nothing when nothing is', async () => {
    const page = await open('')
    await expectAsRest(page, alpha.token)
    const subscriptions = async () => (await get<{ realtime: { subscriptions: number } }>('/api/indexer/health')).realtime.subscriptions
    await expect.poll(subscriptions).toBe(2)
    await page.evaluate(() => (document.querySelector('main') as HTMLElement).style.setProperty('margin-top', '5000px'))
    await expect.poll(subscriptions).toBe(0)
    await page.evaluate(() => (document.querySelector('main') as HTMLElement).style.removeProperty('margin-top'))
    await expect.poll(subscriptions).toBe(2)
  })

  test('finds, filters and sorts, and keeps that in its address', async () => {
    const page = await open('')
    await expectAsRest(page, alpha.token)
    const rows = () => page.getByTestId('rows').locator('tr[data-address]').count()
    await page.getByRole('searchbox').fill('alp')
    await expect.poll(rows).toBe(1)
    expect(page.url()).toContain('q=alp')
    await page.reload()
    await expect.poll(rows).toBe(1)
    expect(await page.getByRole('searchbox').inputValue()).toBe('alp')
    await page.getByRole('searchbox').fill('')
    await expect.poll(rows).toBe(2)
    await page.getByLabel('Status').selectOption('migrated')
    await page.getByText('No token fits').waitFor()
    await page.getByRole('button', { name: 'Show all tokens' }).click()
    await page.getByRole('button', { name: 'Age' }).click()
    const order = () => page.locator('tr[data-address]').evaluateAll(found => found.map(row => row.getAttribute('data-address')))
    await expect.poll(order).toEqual([hostile.token, alpha.token])
    await page.getByRole('button', { name: 'Age' }).click()
    await expect.poll(order).toEqual([alpha.token, hostile.token])
  })

  test('recovers from a service that was killed, with nothing stale', async () => {
    const page = await open('', { isEager: true })
    await expectAsRest(page, alpha.token)
    await expectState(page, 'live')
    const died = once(service.process, 'close')
    service.process.kill('SIGKILL')
    await died
    await page.getByText('The service does not answer').waitFor()
    await chain.mined(buyOnCurve(chain, { from: alice, curve: alpha.curve, paidWei: parseEther('0.1') }))
    service = await start()
    await service.indexed(await chain.head())
    proxy.target = service.url
    await expectState(page, 'live')
    await expectAsRest(page, alpha.token)
    await expectAsRest(page, hostile.token)
    await page.getByText('The service does not answer').waitFor({ state: 'detached' })
    await buy(alpha.curve, '0.05')
    await expectAsRest(page, alpha.token)
  })

  test('falls back to event streams when WebSockets are refused, and comes back to them', async () => {
    proxy.allowWebSocket = false
    let page: Page
    try {
      page = await open('', { isEager: true })
      await expectState(page, 'fallback')
      await buy(alpha.curve, '0.05')
      await expectAsRest(page, alpha.token)
    } finally {
      proxy.allowWebSocket = true
    }
    await expectState(page, 'live')
    await buy(alpha.curve, '0.05')
    await expectAsRest(page, alpha.token)
  })

  test('shows names that want to be more than names as what they are', async () => {
    const page = await open('')
    await expectAsRest(page, hostile.token)
    const row = page.locator(`tr[data-address="${hostile.token}"]`)
    expect(await row.locator('.token-name').textContent()).toContain('<img src=x onerror="globalThis.hit=1">')
    await row.getByRole('link').click()
    const heading = () => page.getByRole('heading', { level: 1 }).textContent()
    await expect.poll(heading).toBe('"><b>A <img src=x onerror="globalThis.hit=1"> dnE')
    await expect.poll(() => page.title()).toBe('"><b>A · Tokenwire')
    expect(await page.locator('img, main b').count()).toBe(0)
    expect(await page.evaluate(() => 'hit' in globalThis)).toBe(false)
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  })

  test('asks operators for their token, and forgets it with the page', async () => {
    const page = await open('#/operator')
    const field = page.getByLabel('Operator token')
    await field.fill('wrong')
    await page.getByRole('button', { name: 'Unlock' }).click()
    await page.getByText('This is not the operator token').waitFor()
    await field.fill(OPERATOR_TOKEN)
    await page.getByRole('button', { name: 'Unlock' }).click()
    await page.getByText(/Loop p99/).waitFor()
    await expect.poll(() => page.getByTestId('health').textContent()).toMatch(/Loop p99\d/)
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]))
    expect(stored).not.toContain(OPERATOR_TOKEN)
    await page.reload()
    await field.waitFor()
  })

  test('shows operators the actors, and one in detail', async () => {
    const market = await openPage(browser, proxy.url)
    await expectAsRest(market.page, alpha.token)
    const page = await open('#/operator')
    await page.getByLabel('Operator token').fill(OPERATOR_TOKEN)
    await page.keyboard.press('Enter')
    const actors = page.getByTestId('actors').locator('tr')
    await expect.poll(() => actors.count()).toBeGreaterThanOrEqual(2)
    await page.getByLabel('Filter actors by address').fill(alpha.token.slice(0, 12))
    await expect.poll(() => actors.count()).toBe(1)
    await actors.getByRole('button').click()
    const marked = () => page.getByRole('columnheader', { name: 'Sequence' }).getAttribute('aria-sort')
    expect(await marked()).toBeNull()
    await page.getByRole('button', { name: 'Sequence' }).click()
    await expect.poll(marked).toBe('descending')
    await page.getByLabel('Filter actors by address').fill('')
    const sequences = () => actors.locator('td:nth-child(5)').evaluateAll(cells => cells.map(cell => Number(cell.textContent)))
    await expect.poll(async () => (await sequences()).length).toBeGreaterThanOrEqual(2)
    await expect.poll(async () => (await sequences()).toSorted((a, b) => b - a).join() === (await sequences()).join()).toBe(true)
    await page.getByLabel('State of actors').selectOption('passivated')
    await page.getByText('No actor fits').waitFor()
    const { sequence } = await get<Token>(`/api/tokens/${alpha.token}`)
    await expect.poll(() => page.getByTestId('actor').textContent()).toContain(String(sequence))
    await market.page.context().close()
  })

  test.for([
    ['that keeps its prefix', '', '/kept'],
    ['that takes its prefix away', '/stripped', '/stripped'],
  ] as const)('works behind a proxy %s', async ([, strip, prefix]) => {
    proxy.strip = strip
    try {
      const page = await open('', { base: proxy.url + prefix })
      await expectAsRest(page, alpha.token)
      await expectState(page, 'live')
      await page.locator(`tr[data-address="${alpha.token}"]`).getByRole('link').click()
      await expect.poll(() => page.getByTestId('chart').getAttribute('data-state')).toBe('ready')
      expect(page.url()).toBe(`${proxy.url}${prefix}/#/token/${alpha.token}`)
    } finally {
      proxy.strip = ''
    }
  })

  test('gives axe nothing to find in either theme, wide and narrow', async () => {
    const page = await open('')
    await expectAsRest(page, alpha.token)
    const findings: string[] = []
    for (const [name, hash, ready] of [
      ['market', '#/', 'rows'],
      ['token', `#/token/${alpha.token}`, 'holders'],
      ['operator', '#/operator', 'health'],
      ['empty', '#/?q=zzzzzz', null],
      ['missing', '#/token/0x00000000000000000000000000000000000000aa', null],
    ] as const) {
      await page.evaluate(next => (location.hash = next), hash)
      await (ready === null ? page.getByText(/No token fits|not an indexed token/) : page.getByTestId(ready)).waitFor()
      for (const always of ['eth-usd', 'stats', 'indexed-block', 'connection'])
        expect(await page.getByTestId(always).isVisible()).toBe(true)
      // All rules wide and narrow, in a theme each; of the other theme, its colours.
      for (const [width, colorScheme, rules] of [
        [1280, 'light', undefined],
        [1280, 'dark', ['color-contrast']],
        [360, 'light', ['color-contrast']],
        [360, 'dark', undefined],
      ] as const) {
        // States without much on them are looked at once per theme.
        if (ready === null && rules !== undefined) continue
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 800 })
        findings.push(...(await findingsOf(page, rules)).map(finding => `${name} ${width} ${colorScheme}: ${finding}`))
        if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
          findings.push(`${name} ${width}: wider than the screen`)
      }
    }
    expect(findings).toEqual([])
  })

  test('flashes where a price ticks, unless somebody asks for less motion', async () => {
    const page = await open('')
    await expectAsRest(page, alpha.token)
    await buy(alpha.curve, '0.02')
    const cell = priceCell(page, alpha.token)
    await expect.poll(() => cell.getAttribute('class')).toMatch(/tick-up/)
    const animation = () => cell.evaluate(element => getComputedStyle(element).animationName)
    expect(await animation()).toMatch(/^flash-up/)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    expect(await animation()).toBe('none')
  })

  test('is used with the keyboard alone', async () => {
    const page = await open('')
    await expectAsRest(page, alpha.token)
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
    await page.locator(`tr[data-address="${alpha.token}"]`).getByRole('link').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: /ALP/ }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
  })
})
