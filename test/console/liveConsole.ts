import { once } from 'node:events'
import type { Browser, Page } from 'playwright-core'
import { parseEther } from 'viem'
import { expect } from 'vitest'
import { formatPrice } from '#client/decimalText.ts'
import { buyOnCurve, type Launched, launch, readLaunched } from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import type { Token } from '#resources/token.ts'
import { startTestChain } from '#test/support/chain.ts'
import { chainService } from '#test/support/chainService.ts'
import { type FrontProxy, startFrontProxy } from './frontProxy.ts'
import { CHROMIUM, launchChromium, openPage, type WatchedPage } from './openPage.ts'

export const OPERATOR_TOKEN = 'operators-only-7f3a'
const HOSTILE_NAME = '<img src=x onerror="globalThis.hit=1">\u202ednE\u2066'
const HOSTILE_SYMBOL = '\u202e"><b>A'

/**
 * The console in Chromium, with the real service on a development chain. The proxy between them keeps its address when the service is
 * killed, and can reject WebSockets.
 */
export interface LiveConsole {
  readonly browser: Browser
  readonly proxy: FrontProxy
  readonly alpha: Launched
  /** A token whose name and symbol contain HTML. */
  readonly hostile: Launched
  open(hash: string, options?: Parameters<typeof openPage>[2] & { readonly base?: string }): Promise<Page>
  /** Closes the opened page and returns its errors. */
  closePage(): Promise<readonly string[]>
  /** An answer of the service. */
  get<T>(path: string): Promise<T>
  /** Buys, and waits until the trade is indexed. */
  buy(curve: Address, ether: string): Promise<void>
  /** Mines a block without a transaction this much later, and waits until it is indexed. */
  mineEmpty(secondsLater: number): Promise<void>
  killService(): Promise<void>
  /** Buys while the service is down, then starts it again. */
  buyAndRestart(curve: Address, ether: string): Promise<void>
}

/** For the rest of the test file. Without Chromium, where its tests are skipped, it is nothing. */
export async function startLiveConsole(databaseUrl: string): Promise<LiveConsole> {
  if (CHROMIUM === null) return {} as LiveConsole
  const chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 3_600 })
  const [, creator, alice] = chain.accounts as readonly [Address, Address, Address]
  const buyWith = (curve: Address, ether: string) => chain.mined(buyOnCurve(chain, { from: alice, curve, paidWei: parseEther(ether) }))
  const alpha = readLaunched(
    await chain.mined(launch(chain, { from: creator, name: 'Alpha', symbol: 'ALP', firstBuyWei: parseEther('0.05') })),
  )
  const hostile = readLaunched(await chain.mined(launch(chain, { from: creator, name: HOSTILE_NAME, symbol: HOSTILE_SYMBOL })))
  await buyWith(hostile.curve, '0.01')
  const { start } = await chainService(chain, databaseUrl, {
    EXPLORER_URL: 'https://explorer.example',
    PATH_PREFIX: '/kept',
    OPERATOR_TOKEN,
  })
  const startIndexed = async () => {
    const started = await start()
    await started.indexed(await chain.head())
    return started
  }
  const [started, browser] = await Promise.all([startIndexed(), launchChromium()])
  let service = started
  const proxy = await startFrontProxy(service.url)
  let opened: WatchedPage | null = null

  return {
    browser,
    proxy,
    alpha,
    hostile,
    async open(hash, options = {}) {
      opened = await openPage(browser, `${options.base ?? proxy.url}/${hash}`, options)
      return opened.page
    },
    async closePage() {
      const complaints = await opened?.complaints()
      await opened?.page.context().close()
      opened = null
      return complaints ?? []
    },
    async get<T>(path: string) {
      const response = await fetch(service.url + path)
      expect([path, response.status]).toEqual([path, 200])
      return (await response.json()) as T
    },
    async buy(curve, ether) {
      const { blockNumber } = await buyWith(curve, ether)
      await service.indexed(Number(blockNumber))
    },
    async mineEmpty(secondsLater) {
      const { timestamp } = await chain.client.getBlock()
      await chain.client.setNextBlockTimestamp({ timestamp: timestamp + BigInt(secondsLater) })
      await chain.mine()
      await service.indexed(await chain.head())
    },
    async killService() {
      const died = once(service.process, 'close')
      service.process.kill('SIGKILL')
      await died
    },
    async buyAndRestart(curve, ether) {
      await buyWith(curve, ether)
      service = await startIndexed()
      proxy.target = service.url
    },
  }
}

export const priceCell = (page: Page, token: Address) => page.locator(`tr[data-address="${token}"] .c-price`)

export async function expectState(page: Page, state: string): Promise<void> {
  await expect.poll(() => page.getByTestId('connection').getAttribute('data-state')).toBe(state)
}

/** The row shows the token's state of REST, with the same sequence. */
export async function expectAsRest({ get }: LiveConsole, page: Page, token: Address): Promise<void> {
  const rest = await get<Token>(`/api/tokens/${token}`)
  await expect.poll(() => priceCell(page, token).getAttribute('data-sequence')).toBe(String(rest.sequence))
  expect(await priceCell(page, token).locator('> span').first().textContent()).toBe(`$${formatPrice(rest.market.priceUsd)}`)
}

/** The market view, once it shows the current state of a token. */
export async function openMarket(live: LiveConsole, options: Parameters<LiveConsole['open']>[1] = {}): Promise<Page> {
  const page = await live.open('', options)
  await expectAsRest(live, page, live.alpha.token)
  return page
}
