import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Address } from '#domain/address.ts'
import type { Trade } from '#resources/trades.ts'
import { addressOf, holdersOf, tradeOf } from '#test/support/snapshots.ts'
import { aClaim, aHolding, aTrader, aWallet } from '#test/support/walletRows.ts'
import { openMemoryConsole, TOKENS } from './memoryConsole.ts'
import { CHROMIUM, findingsOf, type WatchedPage } from './openPage.ts'

const [TOKEN, OTHER] = TOKENS as [Address, Address]
/** The maker of the trades that `fixture.trade` makes with 0xa0. */
const WALLET = addressOf(0xa0)

const VALUED = {
  balance: `25${'0'.repeat(24)}`,
  percent: 1.25,
  valueWeth: '2',
  costWeth: '0.5',
  costUsd: '1500',
  averageCostWeth: '0.0000001',
  averageCostUsd: '0.0003',
  unrealizedWeth: '1.5',
  unrealizedUsd: '4500',
  realizedWeth: '-0.25',
  realizedUsd: '-750',
}
const memory = await openMemoryConsole(stored => {
  stored.trades = [{ ...tradeOf(TOKEN), id: '456-1', maker: WALLET }]
  const figures = { tokensHeld: 2, valueWeth: '4', realizedWeth: '-0.25', realizedUsd: '-750', tokensWithoutWethProfit: 0 }
  stored.wallets = [aWallet(WALLET, figures)]
  stored.holdings = [
    aHolding({ address: TOKEN, symbol: 'ALP' }, VALUED),
    aHolding({ address: OTHER, symbol: 'BET' }, { ...VALUED, balance: `1${'0'.repeat(18)}` }),
  ]
  const [first = expect.unreachable(), ...others] = holdersOf(20)
  stored.holders.set(TOKEN, [{ ...first, address: WALLET, percent: 20 }, ...others])
  const traded = { boughtWeth: '2', boughtUsd: '6000', soldWeth: '1', soldUsd: '3000', volumeWeth: '3', volumeUsd: '9000' }
  stored.traders = [aTrader(WALLET, { ...VALUED, ...traded, type: 'creator', classes: ['creator'] })]
  stored.claims = [aClaim(TOKEN)]
})
let opened: WatchedPage

beforeEach(async ({ onTestFinished }) => {
  opened = await memory.openFor(onTestFinished)
})

describe.skipIf(CHROMIUM === null)('the page of a wallet', () => {
  test('its foot leads to the documentation, the status and what agents read', async () => {
    const { page } = opened
    await openAt(page, `#/wallet/${WALLET}`)
    const foot = page.locator('footer')
    await expect.poll(() => foot.textContent()).toMatch(/Tokenwire 1\.2\.3.*Status: ok.*MCP at http:\/\/\S+\/mcp/)
    const links = await foot.locator('a[href^="http://"]').evaluateAll(all => all.map(link => (link as HTMLAnchorElement).href))
    expect(links.map(link => new URL(link).pathname)).toEqual(['/docs', '/api/indexer/health', '/llms.txt'])
    for (const link of links) expect((await fetch(link)).status).toBe(200)
  })

  test('shows what the wallet holds, has traded and can claim, in both currencies', async () => {
    const { page } = opened
    await openAt(page, `#/wallet/${WALLET}`)
    await expect.poll(() => figure(page, 'Holds')).toEqual(['$12.0K'])
    expect(await figure(page, 'Realized profit')).toEqual(['−$750', 'without 1 of unknown cost'])
    await page.getByRole('radio', { name: 'ETH' }).check()
    await expect.poll(() => figure(page, 'Realized profit')).toEqual(['−Ξ0.25'])
    const first = page.getByTestId('holdings').locator('tr').first()
    await expect
      .poll(() => first.locator('td').allTextContents())
      .toEqual(['ALALP', '25.0M', '1.25%', 'Ξ0.0₅1000', 'Ξ0.0₆1000', 'Ξ2', '+Ξ1.50'])
    expect(await first.getByRole('link').getAttribute('href')).toBe(`#/token/${TOKEN}`)
    expect(await page.getByTestId('wallet-claim').textContent()).toContain('0.31 WETH')
    await expect.poll(() => page.getByTestId('wallet-trades').locator('tr').first().textContent()).toMatch(/ALALPBuy/)
    for (const width of [360, 768, 1280, 1920]) {
      await page.setViewportSize({ width, height: 900 })
      const cut = await page.evaluate(() =>
        Array.from(document.querySelectorAll('.figures dd, td'))
          .filter(element => element.scrollWidth > element.clientWidth + 1)
          .map(({ textContent }) => textContent),
      )
      expect([width, cut, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([width, [], width])
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await findingsOf(page)).toEqual([])
    }
  })

  test('asks for the sort that is chosen, and shows new trades of the wallet when they happen', async () => {
    const { page } = opened
    const { fixture } = memory
    const sorts: (string | null)[] = []
    page.on('request', request => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname.endsWith('/holdings')) sorts.push(searchParams.get('sort'))
    })
    await openAt(page, `#/wallet/${WALLET}`)
    await page.getByRole('radio', { name: 'Changed' }).check()
    await expect.poll(() => sorts.at(-1)).toBe('lastChanged')
    const rows = page.getByTestId('wallet-trades').locator('tr')
    await expect.poll(() => rows.count()).toBe(1)
    // A trade of another wallet is not told; the next one is.
    fixture.trade([0x1000, 0xb0])
    fixture.events.commit([0x1001, 0xa0])
    fixture.gateway.reads.stored.trades.push(fixture.events.events.at(-1)?.data as Trade)
    fixture.channels.changed()
    await expect.poll(() => rows.count()).toBe(2)
  })

  test('says of an account that is not known that it has done nothing', async () => {
    const { page } = opened
    const { stored } = memory.fixture.gateway.reads
    const { holdings, claims } = stored
    Object.assign(stored, { holdings: [], claims: [] })
    try {
      // The search leads to the wallet of a whole address, also while it still shows tokens whose address begins as it does.
      const [start, rest] = [addressOf(0xdead).slice(0, 8), addressOf(0xdead).slice(8)]
      await page.route(
        ({ pathname, searchParams }) => pathname === '/api/search' && searchParams.get('q') === addressOf(0xdead),
        () => undefined,
      )
      await page.keyboard.press('/')
      await page.keyboard.type(start)
      await expect.poll(() => page.getByRole('listbox', { name: 'Tokens' }).getByRole('option').count()).toBeGreaterThan(2)
      await page.keyboard.insertText(rest)
      await page.getByRole('option', { name: 'Wallet 0x0000…dead' }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByText('It holds none of the indexed tokens').waitFor()
      await page.getByText('It has not traded yet').waitFor()
      await page.getByText('It has earned no fees as a creator').waitFor()
      expect(await findingsOf(page)).toEqual([])
    } finally {
      Object.assign(stored, { holdings, claims })
    }
  })
})

describe.skipIf(CHROMIUM === null)('the people of a token', () => {
  test('are its traders by sort, its holders and how they share it, each with a wallet', async () => {
    const { page } = opened
    await openAt(page, `#/token/${TOKEN}`)
    const shares = page.getByTestId('distribution').locator('.shares > div')
    await expect
      .poll(() => shares.allTextContents())
      .toEqual(['Top 1031.3%', 'Creator0.0%', 'Reserves0.0%', 'Snipers2.40%', 'Bundlers0.0%', 'Insiders0.83%'])
    expect((await page.getByTestId('distribution').locator('.sizes > div').allTextContents()).slice(0, 2)).toEqual(['≥ 5%1', '≥ 1%19'])
    const sorts: (string | null)[] = []
    page.on('request', request => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname.endsWith('/traders')) sorts.push(searchParams.get('sort'))
    })
    await page.getByRole('tab', { name: 'Trades' }).focus()
    await page.keyboard.press('ArrowRight')
    const trader = page.getByTestId('traders').locator('tr').first()
    await expect.poll(() => trader.locator('td').allInnerTexts()).toEqual(expect.arrayContaining(['$6.00K', '$3.00K', '−$750', '25.0M']))
    await page.getByRole('button', { name: 'Sold' }).click()
    await expect.poll(() => sorts).toEqual(['realized', 'sold'])
    await trader.waitFor()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('↓Sold')
    await page.getByLabel('Sort traders by').selectOption('Volume')
    await expect.poll(() => sorts.at(-1)).toBe('volume')
    await page.getByRole('button', { name: 'Sold' }).click()
    expect(await page.getByRole('columnheader', { name: 'Sold' }).getAttribute('aria-sort')).toBe('descending')
    expect(await findingsOf(page)).toEqual([])
    expect(await page.getByTestId('traders').getByRole('link').first().getAttribute('href')).toBe(`#/wallet/${WALLET}`)
    const { creator } = memory.fixture.gateway.reads.stored.tokens[0] as { creator: Address }
    expect(await page.getByRole('link', { name: 'wallet of the creator' }).getAttribute('href')).toBe(`#/wallet/${creator}`)
    await page.getByTestId('holders').getByRole('link').first().click()
    await page.getByRole('heading', { level: 1, name: 'Wallet' }).waitFor()
  })
})

async function openAt(page: Page, hash: string): Promise<void> {
  await page.goto(`${memory.fixture.gateway.url}/${hash}`)
}

/** The texts of a figure of the wallet. */
function figure(page: Page, name: string) {
  return page.getByTestId('wallet').locator('> div').filter({ hasText: name }).locator('dd').allTextContents()
}
