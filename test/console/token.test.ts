import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { formatPrice } from '#client/decimalText.ts'
import type { Address } from '#domain/address.ts'
import type { Token } from '#resources/token.ts'
import { addressOf, holdersOf, tradeOf } from '#test/support/snapshots.ts'
import { FIRST_SEQUENCE, openMemoryConsole, TOKENS } from './memoryConsole.ts'
import { CHROMIUM, findingsOf, type WatchedPage } from './openPage.ts'

const [TOKEN] = TOKENS as [Address]

const CALL = { to: addressOf(0xfee), data: '0x1e83409a00' } as const

const memory = await openMemoryConsole(stored => {
  stored.trades = Array.from({ length: 100 }, (_, index) => ({ ...tradeOf(TOKEN), id: `456-${index}`, logIndex: index }))
  const candle = { open: '0.00000001', high: '0.00000003', low: '0.00000001', close: '0.00000002', volume: '1.5', trades: 1 }
  const nowMinute = Math.floor(Date.now() / 60_000) * 60
  stored.candles.set(TOKEN, [{ ...candle, time: nowMinute - 300 }])
  const { creator } = stored.tokens[0] as Token
  const due = { currency: addressOf(0xee), symbol: 'WETH', decimals: 18, accrued: '2', claimed: '1', amount: '1', amountUsd: null } as const
  stored.claimables = [{ token: TOKEN, creator, asOfBlock: '456', claimable: [{ ...due, scope: 'token', claim: CALL }] }]
  stored.holders.set(TOKEN, [...holdersOf(20)])
})
let opened: WatchedPage

beforeEach(async ({ onTestFinished }) => {
  opened = await memory.openFor(onTestFinished)
})

async function openToken(page: Page): Promise<void> {
  await page.goto(`${memory.fixture.gateway.url}/#/token/${TOKEN}`)
  await page.getByTestId('holders').waitFor()
}

describe.skipIf(CHROMIUM === null)('the view of a token', () => {
  test('has few tab stops before the holders, and arrow keys inside tables', async () => {
    const { page } = opened
    await openToken(page)
    await page.locator('main').focus()
    const focused = () =>
      page.evaluate(() => ({
        group: document.activeElement?.getAttribute('aria-label'),
        row: document.activeElement?.closest<HTMLElement>('tr[data-id]')?.dataset['id'],
      }))
    const stops: Awaited<ReturnType<typeof focused>>[] = []
    for (let count = 0; count < 20 && stops.at(-1)?.group !== 'Table of holders'; count++) {
      await page.keyboard.press('Tab')
      stops.push(await focused())
    }
    expect(stops.at(-1)?.group).toBe('Table of holders')
    expect(stops.length).toBeLessThan(10)
    expect(stops.at(-2)?.row).toBe('456-99')
    await page.keyboard.press('Shift+Tab')
    for (const [key, row] of [
      ['ArrowDown', '456-98'],
      ['End', '456-0'],
      ['ArrowUp', '456-1'],
      ['Home', '456-99'],
      ['ArrowUp', '456-99'],
    ] as const) {
      await page.keyboard.press(key)
      expect([key, (await focused()).row]).toEqual([key, row])
    }
  })

  test('draws the price and the market cap, with the volume and the zone of its times', async () => {
    const { page } = opened
    await openToken(page)
    await page.getByRole('radio', { name: 'ETH' }).check()
    await page.getByRole('radio', { name: '1m' }).check()
    const legend = page.getByTestId('legend')
    await expect.poll(() => legend.textContent()).toBe('O Ξ0.0₇1000H Ξ0.0₇3000L Ξ0.0₇1000C Ξ0.0₇2000Vol Ξ1.50')
    // A billion tokens.
    await page.getByRole('radio', { name: 'Market cap' }).check()
    await expect.poll(() => legend.textContent()).toBe('O Ξ10H Ξ30L Ξ10C Ξ20Vol Ξ1.50')
    await page.getByRole('button', { name: 'Log' }).click()
    expect(await page.getByRole('button', { name: 'Log' }).getAttribute('aria-pressed')).toBe('true')
    await page.getByRole('radio', { name: '1d' }).check()
    await expect.poll(() => page.getByTestId('zone').textContent()).toBe('L: launch · UTC')
  })

  // The pane was empty until the answer came, and ETH candles once stood under a dollar sign.
  test('keeps the old candles under their own labels, dimmed, until those of another interval or currency are there', async ({
    onTestFinished,
  }) => {
    const { page } = opened
    const { reads } = memory.fixture.gateway
    const { candles } = reads
    let release = () => {}
    onTestFinished(() => {
      reads.candles = candles
      release()
    })
    await openToken(page)
    await page.getByRole('radio', { name: 'ETH' }).check()
    await page.getByRole('radio', { name: '1m' }).check()
    const chart = page.getByTestId('chart')
    const shown = () =>
      chart.evaluate(element => ({
        label: element.getAttribute('aria-label')?.split(';')[0],
        sign: document.querySelector('[data-testid="legend"]')?.textContent?.slice(2, 3),
        pane: element.firstElementChild?.getAttribute('data-drawn') ?? 'another one',
        opacity: Number(getComputedStyle(element.firstElementChild as Element).opacity),
      }))
    const ofEth = { label: 'Price in candles of 1m in ETH', sign: 'Ξ', pane: 'another one', opacity: 1 }
    await expect.poll(shown).toEqual(ofEth)
    let before = ofEth
    for (const [choice, currency, after] of [
      ['1h', 'weth', { ...ofEth, label: 'Price in candles of 1h in ETH' }],
      ['USD', 'usd', { ...ofEth, label: 'Price in candles of 1h in dollars', sign: '$' }],
    ] as const) {
      const released = Promise.withResolvers<void>()
      release = released.resolve
      const asked = Promise.withResolvers<void>()
      // The storage in memory has candles of a minute in ETH: they stand for those of the hour, in either currency.
      reads.candles = async query => {
        if (query.interval !== '1h') return candles(query)
        if (query.currency === currency) {
          asked.resolve()
          await released.promise
        }
        const page = await candles({ ...query, interval: '1m', currency: 'weth' })
        return page && { ...page, data: page.data.map(candle => ({ ...candle, time: candle.time - (candle.time % 3_600) })) }
      }
      await chart
        .locator('.chart-pane')
        .first()
        .evaluate((pane, name) => pane.setAttribute('data-drawn', name), `before ${choice}`)
      await page.getByRole('radio', { name: choice }).check()
      await asked.promise
      await expect.poll(shown).toEqual({ ...before, pane: `before ${choice}`, opacity: 0.4 })
      release()
      await expect.poll(shown).toEqual(after)
      before = after
    }
  })

  // The chart ended with "unexpected base" for a token of a trillion, whose price is below 1e-12 ETH.
  test.each([-36, -12, 36])('draws candles of 1e%i', async exponent => {
    const { page } = opened
    const { candles } = memory.fixture.gateway.reads.stored
    const before = candles.get(TOKEN) ?? []
    const of = (digit: string) => (exponent < 0 ? `0.${'0'.repeat(-exponent - 1)}${digit}` : `${digit}${'0'.repeat(exponent)}`)
    const time = Math.floor(Date.now() / 60_000) * 60 - 120
    candles.set(TOKEN, [
      // Of the other end of all sizes, so that the axis spans them.
      { time: time - 60, open: of('1'), high: exponent < 0 ? '1' : '9', low: of('1'), close: of('1'), volume: of('1'), trades: 1 },
      { time, open: of('1'), high: of('4'), low: of('1'), close: of('3'), volume: of('1'), trades: 1 },
    ])
    await openToken(page)
    await page.getByRole('radio', { name: 'ETH' }).check()
    await page.getByRole('radio', { name: '1m' }).check()
    await expect.poll(() => page.getByTestId('legend').textContent()).toContain(`C Ξ${formatPrice(of('3'))}`)
    await expect.poll(() => page.getByTestId('chart').locator('canvas').count()).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Log' }).click()
    await page.getByRole('radio', { name: 'Market cap' }).check()
    await expect.poll(() => page.getByTestId('chart').getAttribute('aria-label')).toContain('Market cap')
    candles.set(TOKEN, before)
    expect(await opened.complaints()).toEqual([])
  })

  test('names the front end that launched the token, or the address of its referrer', async () => {
    const { page } = opened
    await openToken(page)
    const referrer = addressOf(0xfe)
    for (const [sequence, surface, shown] of [
      [FIRST_SEQUENCE + 1, '<b>bankr', '<b>bankr'],
      [FIRST_SEQUENCE + 2, referrer, `${referrer.slice(0, 6)}…`],
      [FIRST_SEQUENCE + 3, 'a\u202erknab', 'a rknab'],
    ] as const) {
      memory.commit(memory.fixture.store(TOKEN, sequence, { surface }))
      await expect.poll(() => page.locator('dt:text-is("Launched through") + dd').textContent()).toContain(shown)
    }
  })

  test('claims with the wallet of the creator: the served call and nothing else', async () => {
    const { page } = opened
    const { creator, chainId } = memory.fixture.gateway.reads.stored.tokens[0] as Token
    const hash = `0x${'ab'.repeat(32)}`
    // A wallet that is on another chain, and first has another account.
    await page.addInitScript(
      ([account, sentAs]) => {
        const wallet = { accounts: ['0x00000000000000000000000000000000000000ff'], chain: '0x1', calls: [] as unknown[] }
        const answers: Record<string, (parameters: { chainId: string }[]) => unknown> = {
          eth_requestAccounts: () => wallet.accounts,
          eth_chainId: () => wallet.chain,
          wallet_switchEthereumChain: ([wanted]) => (wallet.chain = wanted?.chainId ?? ''),
          eth_sendTransaction: () => sentAs,
        }
        const request = async ({ method, params = [] }: { method: string; params?: { chainId: string }[] }) => {
          wallet.calls.push([method, ...params])
          const answer = answers[method]?.(params)
          if (method === 'eth_requestAccounts') wallet.accounts = [account ?? '']
          return answer
        }
        Object.assign(globalThis, { wallet, ethereum: { request } })
      },
      // Wallets write addresses with a checksum.
      [creator.toUpperCase().replace('0X', '0x'), hash],
    )
    await page.reload()
    await openToken(page)
    const claim = page.getByTestId('claim')
    expect(await claim.count()).toBe(0)
    await page.getByText('Claims', { exact: true }).click()
    await claim.getByRole('button', { name: 'Claim' }).click()
    await claim.getByText('Only the creator’s account can claim').waitFor()
    await claim.getByRole('button', { name: 'Claim' }).click()
    await claim.getByText('Sent as').waitFor()
    expect(await claim.locator(`[title="${hash}"]`).count()).toBe(1)
    const calls = await page.evaluate(() => (globalThis as unknown as { wallet: { calls: unknown[] } }).wallet.calls)
    expect(calls).toEqual([
      ['eth_accounts'],
      ['eth_requestAccounts'],
      ['eth_requestAccounts'],
      ['eth_chainId'],
      ['wallet_switchEthereumChain', { chainId: `0x${chainId.toString(16)}` }],
      ['eth_chainId'],
      ['eth_sendTransaction', { from: creator, ...CALL }],
    ])
  })

  test('suggests tokens on every page: slash focuses, arrow keys choose, Enter opens', async () => {
    const { page } = opened
    await openToken(page)
    await page.keyboard.press('/')
    const field = page.getByRole('combobox', { name: 'Search all tokens' })
    await expect.poll(() => field.evaluate(element => element === document.activeElement)).toBe(true)
    await page.keyboard.type('alp')
    const options = page.getByRole('listbox', { name: 'Tokens' }).getByRole('option')
    await expect.poll(() => options.count()).toBeGreaterThan(2)
    const active = async () => options.and(page.locator(`#${await field.getAttribute('aria-activedescendant')}`)).textContent()
    const [first, second] = await options.allTextContents()
    expect(await active()).toBe(first)
    await page.keyboard.press('ArrowDown')
    await expect.poll(active).toBe(second)
    expect(await findingsOf(page)).toEqual([])
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await expect.poll(active).toBe('All results for “alp”')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain('#/?q=alp')
    await page.keyboard.press('/')
    await page.keyboard.type('alp')
    await expect.poll(() => options.count()).toBeGreaterThan(2)
    await options.first().click()
    await expect.poll(() => page.url()).toMatch(/#\/token\/0x[0-9a-f]{40}$/)
    expect(await options.count()).toBe(0)
  })

  test('leaves the focus in the search field when it was focused before the new view was shown', async () => {
    const { page } = opened
    await openToken(page)
    const field = page.getByRole('combobox', { name: 'Search all tokens' })
    await field.evaluate((element: HTMLElement) => {
      location.hash = '#/operator'
      element.focus()
    })
    await page.getByRole('heading', { level: 1 }).filter({ hasText: 'Operator' }).waitFor()
    await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    expect(await field.evaluate(element => element === document.activeElement)).toBe(true)
  })
})
