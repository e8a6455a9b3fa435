import type { Page, WebSocketRoute } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import type { Holder } from '#resources/holders.ts'
import type { Token } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import { useDatabase } from '#test/support/database.ts'
import { expectAsRest, expectState, OPERATOR_TOKEN, openMarket, priceCell, startLiveConsole } from './liveConsole.ts'
import { CHROMIUM, findingsOf, openPage } from './openPage.ts'

const database = await useDatabase({ migrated: false })
const live = await startLiveConsole(database.url)

afterEach(async () => expect(await live.closePage()).toEqual([]))

const chartNumber = async (page: Page, name: 'close' | 'time') => Number(await page.getByTestId('chart').getAttribute(`data-${name}`))

async function expectChartAsRest(page: Page): Promise<void> {
  const { market } = await live.get<Token>(`/api/tokens/${live.alpha.token}`)
  await expect.poll(() => chartNumber(page, 'close')).toBe(Number(market.priceUsd))
}

describe.skipIf(CHROMIUM === null)('the console in Chromium', () => {
  test('shows the state of REST, and updates after a trade', async () => {
    const page = await openMarket(live)
    await expectState(page, 'live')
    const before = await priceCell(page, live.alpha.token).getAttribute('data-sequence')
    await live.buy(live.alpha.curve, '0.2')
    await expect.poll(() => priceCell(page, live.alpha.token).getAttribute('data-sequence')).not.toBe(before)
    await expectAsRest(live, page, live.alpha.token)
    expect(await page.getByTestId('eth-usd').textContent()).toBe('$3,000.50')
  })

  test('shows a token with its chart, trades, holders and claim, and updates them', async () => {
    const page = await live.open(`#/token/${live.alpha.token}`)
    await expect.poll(() => page.getByTestId('chart').getAttribute('data-state')).toBe('ready')
    await expectState(page, 'live')
    const path = `/api/tokens/${live.alpha.token}`
    const newestTrade = () => page.getByTestId('trades').locator('tr').first().getAttribute('data-id')
    const first = await newestTrade()
    await live.buy(live.alpha.curve, '0.3')
    await expect.poll(newestTrade).not.toBe(first)
    const [trade] = (await live.get<{ data: Trade[] }>(`${path}/trades?limit=1`)).data
    expect(await newestTrade()).toBe(trade?.id)
    const rest = await live.get<Token>(path)
    await expect.poll(() => page.getByTestId('price').getAttribute('data-sequence')).toBe(String(rest.sequence))
    await expect.poll(() => chartNumber(page, 'close')).toBe(Number(rest.market.priceUsd))
    // The bars end where the index does, also without a trade: the test's chain is an hour behind the clock.
    await live.mineEmpty(600)
    await expect.poll(() => chartNumber(page, 'time')).toBe(Math.floor(Date.parse(trade?.timestamp ?? '') / 60_000) * 60 + 600)
    const holders = (await live.get<{ data: Holder[] }>(`${path}/holders?limit=20`)).data
    const types = () => page.getByTestId('holders').locator('.tag:not(.early)').allTextContents()
    await expect.poll(types).toEqual(holders.map(({ type }) => type))
    const tags = await page.getByTestId('holders').locator('.tag.early').allTextContents()
    expect(tags).toEqual(holders.flatMap(({ classes }) => classes?.filter(name => name !== 'creator') ?? []))
    expect(tags).toContain('sniper')
    expect(await page.getByTestId('early').textContent()).toMatch(/^Snipers[\d.]+%Bundlers[\d.]+%Insiders[\d.]+%$/)
    await page.getByText('Claims', { exact: true }).click()
    expect(await page.getByTestId('claim').first().textContent()).toMatch(/Claimable.*WETH/)
    const link = page.getByRole('link', { name: /token address in the explorer/ })
    expect(await link.getAttribute('href')).toBe(`https://explorer.example/token/${live.alpha.token}`)
  })

  test('subscribes only to the tokens on the screen, and to none that the list brings', async () => {
    const page = await openMarket(live)
    const subscriptions = async () =>
      (await live.get<{ realtime: { subscriptions: number } }>('/api/indexer/health')).realtime.subscriptions
    // Of launches, trades and graduations.
    const channels = 3
    await expect.poll(subscriptions).toBe(channels + 1)
    // Results of a search are no list of the service.
    await page.evaluate(() => location.assign('#/?q=ALP'))
    await expect.poll(subscriptions).toBe(channels + 1)
    await page.evaluate(() => (document.querySelector('main') as HTMLElement).style.setProperty('margin-top', '5000px'))
    await expect.poll(subscriptions).toBe(channels)
    await page.evaluate(() => (document.querySelector('main') as HTMLElement).style.removeProperty('margin-top'))
    await expect.poll(subscriptions).toBe(channels + 1)
  })

  test('searches, filters and sorts, and stores the query in the address', async () => {
    const page = await openMarket(live)
    const rows = () => page.getByTestId('rows').locator('tr[data-address]').count()
    await page.getByRole('combobox', { name: 'Search all tokens' }).fill('alp')
    await page.getByText('All results for “alp”').click()
    await expect.poll(rows).toBe(1)
    expect(page.url()).toContain('q=alp')
    await page.reload()
    await expect.poll(rows).toBe(1)
    await page.getByRole('button', { name: 'end the search' }).click()
    await expect.poll(rows).toBe(2)
    await page.getByLabel('Status').selectOption('migrated')
    await page.getByText('No token fits').waitFor()
    await page.getByRole('button', { name: 'Show all tokens' }).click()
    await page.getByRole('button', { name: 'Age' }).click()
    const order = () => page.locator('tr[data-address]').evaluateAll(found => found.map(row => row.getAttribute('data-address')))
    await expect.poll(order).toEqual([live.hostile.token, live.alpha.token])
    await page.getByRole('button', { name: 'Age' }).click()
    await expect.poll(order).toEqual([live.alpha.token, live.hostile.token])
  })

  test('shows current values after the service was killed and restarted', async () => {
    const page = await openMarket(live, { isEager: true })
    await expectState(page, 'live')
    await live.killService()
    await page.getByText('The service does not answer').waitFor()
    await live.buyAndRestart(live.alpha.curve, '0.1')
    await expectState(page, 'live')
    await expectAsRest(live, page, live.alpha.token)
    await expectAsRest(live, page, live.hostile.token)
    await page.getByText('The service does not answer').waitFor({ state: 'detached' })
    await live.buy(live.alpha.curve, '0.05')
    await expectAsRest(live, page, live.alpha.token)
  })

  test('falls back to event streams while WebSockets are rejected, then returns to WebSocket', async () => {
    live.proxy.allowWebSocket = false
    let page: Page
    try {
      page = await live.open('', { isEager: true })
      await expectState(page, 'fallback')
      await live.buy(live.alpha.curve, '0.05')
      await expectAsRest(live, page, live.alpha.token)
    } finally {
      live.proxy.allowWebSocket = true
    }
    await expectState(page, 'live')
    await live.buy(live.alpha.curve, '0.05')
    await expectAsRest(live, page, live.alpha.token)
  })

  test('asks for candles, lists and tokens while event streams are rejected, too', async () => {
    Object.assign(live.proxy, { allowWebSocket: false, allowEventStreams: false })
    try {
      const page = await openMarket(live, { isEager: true })
      await expectState(page, 'fallback')
      await live.buy(live.alpha.curve, '0.05')
      await expectAsRest(live, page, live.alpha.token)
      await page.locator(`tr[data-address="${live.alpha.token}"]`).getByRole('link').click()
      await expect.poll(() => page.getByTestId('chart').getAttribute('data-state')).toBe('ready')
      await live.buy(live.alpha.curve, '0.05')
      await expectChartAsRest(page)
    } finally {
      Object.assign(live.proxy, { allowWebSocket: true, allowEventStreams: true })
    }
  })

  test('goes on with everything when it is told to connect after a final close', async () => {
    const routes: WebSocketRoute[] = []
    const prepare = (page: Page) =>
      page.routeWebSocket(/realtime$/, route => {
        route.connectToServer()
        routes.push(route)
      })
    const page = await openMarket(live, { prepare })
    const newestTrade = async () => (await live.get<{ data: Trade[] }>('/api/trades?limit=1')).data[0]?.id
    const connectAgain = async (code: number) => {
      await expectState(page, 'live')
      await routes.at(-1)?.close({ code })
      await page.getByText('No updates come in').waitFor()
      await page.getByRole('button', { name: 'Connect' }).click()
      // The banner goes, and the live events move below the pointer, where they would rest.
      await page.mouse.move(0, 0)
      await expectState(page, 'live')
    }
    await connectAgain(1008)
    await live.buy(live.alpha.curve, '0.05')
    await expectAsRest(live, page, live.alpha.token)
    await page.locator(`[data-testid="live-events"] [data-key="${await newestTrade()}"]`).waitFor()
    await page.locator(`tr[data-address="${live.alpha.token}"]`).getByRole('link').click()
    await expect.poll(() => page.getByTestId('chart').getAttribute('data-state')).toBe('ready')
    await connectAgain(1000)
    await live.buy(live.alpha.curve, '0.05')
    await expectChartAsRest(page)
    await expect.poll(() => page.getByTestId('trades').locator('tr').first().getAttribute('data-id')).toBe(await newestTrade())
  })

  test('shows hostile names as plain text', async () => {
    const page = await live.open('')
    await expectAsRest(live, page, live.hostile.token)
    const row = page.locator(`tr[data-address="${live.hostile.token}"]`)
    expect(await row.locator('.token-name').textContent()).toContain('<img src=x onerror="globalThis.hit=1">')
    await row.getByRole('link').click()
    const heading = () => page.getByRole('heading', { level: 1 }).textContent()
    await expect.poll(heading).toBe('"><b>A / WETH <img src=x onerror="globalThis.hit=1"> dnE')
    await expect.poll(() => page.title()).toBe('"><b>A · Tokenwire')
    expect(await page.locator('img, main b').count()).toBe(0)
    expect(await page.evaluate(() => 'hit' in globalThis)).toBe(false)
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  })

  test('asks for the operator token, and forgets it when the page reloads', async () => {
    const page = await live.open('#/operator')
    const field = page.getByLabel('Operator token')
    await field.fill('wrong')
    await page.getByRole('button', { name: 'Unlock' }).click()
    await page.getByText('This is not the operator token').waitFor()
    await field.fill(OPERATOR_TOKEN)
    await page.getByRole('button', { name: 'Unlock' }).click()
    await page.getByText('Loop p50, p99, max').waitFor()
    await expect.poll(() => page.getByTestId('health').textContent()).toMatch(/p99, max\d/)
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]))
    expect(stored).not.toContain(OPERATOR_TOKEN)
    await page.reload()
    await field.waitFor()
  })

  test('shows the actors to operators, and one in detail', async () => {
    const market = await openPage(live.browser, live.proxy.url)
    await expectAsRest(live, market.page, live.alpha.token)
    const page = await live.open('#/operator')
    await page.getByLabel('Operator token').fill(OPERATOR_TOKEN)
    await page.keyboard.press('Enter')
    const processes = page.getByTestId('processes').locator('tr')
    await expect.poll(() => processes.count()).toBe(1)
    await expect.poll(() => processes.textContent()).toContain('thread')
    const actors = page.getByTestId('actors').locator('tr')
    await expect.poll(() => actors.count()).toBeGreaterThanOrEqual(2)
    await page.getByLabel('Filter actors by address').fill(live.alpha.token.slice(0, 12))
    await expect.poll(() => actors.count()).toBe(1)
    await expect.poll(() => actors.locator('td').first().textContent()).toMatch(/^ALP 0x/)
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
    const { sequence } = await live.get<Token>(`/api/tokens/${live.alpha.token}`)
    await expect.poll(() => page.getByTestId('actor').textContent()).toContain(String(sequence))
    await market.page.context().close()
  })

  test.for([
    ['that keeps the path prefix', '', '/kept'],
    ['that strips the path prefix', '/stripped', '/stripped'],
  ] as const)('works behind a proxy %s', async ([, strip, prefix]) => {
    live.proxy.strip = strip
    try {
      const page = await openMarket(live, { base: live.proxy.url + prefix })
      await expectState(page, 'live')
      await page.locator(`tr[data-address="${live.alpha.token}"]`).getByRole('link').click()
      await expect.poll(() => page.getByTestId('chart').getAttribute('data-state')).toBe('ready')
      expect(page.url()).toBe(`${live.proxy.url}${prefix}/#/token/${live.alpha.token}`)
    } finally {
      live.proxy.strip = ''
    }
  })

  test('has no findings of axe in either theme, wide and narrow', async () => {
    const page = await openMarket(live)
    const findings: string[] = []
    const { creator } = await live.get<Token>(`/api/tokens/${live.alpha.token}`)
    for (const [name, hash, ready] of [
      ['market', '#/', 'rows'],
      ['token', `#/token/${live.alpha.token}`, 'distribution'],
      ['wallet', `#/wallet/${creator}`, 'holdings'],
      ['operator', '#/operator', 'health'],
      ['empty', '#/?q=zzzzzz', null],
      ['missing', '#/token/0x00000000000000000000000000000000000000aa', null],
    ] as const) {
      await page.evaluate(next => (location.hash = next), hash)
      await (ready === null ? page.getByText(/No token fits|not an indexed token/) : page.getByTestId(ready)).waitFor()
      for (const always of ['eth-usd', 'stats', 'indexed-block', 'connection'])
        expect(await page.getByTestId(always).isVisible()).toBe(true)
      // All rules at each width in one theme; at two of them only the colours in the other theme.
      for (const [width, colorScheme, rules] of [
        [1280, 'light', undefined],
        [1280, 'dark', ['color-contrast']],
        [360, 'light', ['color-contrast']],
        [360, 'dark', undefined],
        [1920, 'light', undefined],
      ] as const) {
        // Small states are checked once per theme.
        if (ready === null && (rules !== undefined || width === 1920)) continue
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 800 })
        findings.push(...(await findingsOf(page, rules)).map(finding => `${name} ${width} ${colorScheme}: ${finding}`))
      }
      for (const width of [360, 390, 768, 1024, 1280, 1920]) {
        await page.setViewportSize({ width, height: 800 })
        if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
          findings.push(`${name} ${width}: wider than the screen`)
      }
    }
    expect(findings).toEqual([])
  })

  test('animates a price change, unless reduced motion is preferred', async () => {
    const page = await openMarket(live)
    await live.buy(live.alpha.curve, '0.02')
    const cell = priceCell(page, live.alpha.token)
    await expect.poll(() => cell.getAttribute('class')).toMatch(/moved-up/)
    const animation = () => cell.evaluate(element => getComputedStyle(element).animationName)
    expect(await animation()).toMatch(/^flash-up/)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    expect(await animation()).toBe('none')
  })

  test('works with the keyboard alone', async () => {
    const page = await openMarket(live)
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
    await page.locator(`tr[data-address="${live.alpha.token}"]`).getByRole('link').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: /ALP/ }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
  })
})
