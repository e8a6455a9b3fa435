import type { Browser, Page } from 'playwright-core'
import { expect, type TestContext } from 'vitest'
import type { Address } from '#domain/address.ts'
import { loadSite } from '#gateway/http/site.ts'
import type { Site } from '#gateway/http/sources.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import type { Stored } from '#test/gateway/memoryReads.ts'
import { RealtimeFixture } from '#test/gateway/realtime/startRealtime.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { CHROMIUM, launchChromium, type OpenOptions, openPage, type WatchedPage } from './openPage.ts'
import { SITE_FOLDER } from './siteFolder.ts'

export const TOKENS = Array.from({ length: 50 }, (_, index) => addressOf(0x1000 + index))
export const FIRST_SEQUENCE = 1_000

type OnTestFinished = TestContext['onTestFinished']

/** The console in Chromium with a real gateway over `TOKENS` in memory. */
export interface MemoryConsole {
  readonly fixture: RealtimeFixture
  readonly browser: Browser
  open(options?: OpenOptions): Promise<WatchedPage>
  /** Opens a page that is closed when the test has finished, which fails if the page has complaints then. */
  openFor(onTestFinished: OnTestFinished): Promise<WatchedPage>
  /** Waits until the page shows rows and is connected, and returns their tokens. */
  liveTokens(page: Page): Promise<readonly Address[]>
  /** Searches for the tokens, whose rows are then subscribed one by one, and returns those. */
  watchedTokens(page: Page): Promise<readonly Address[]>
  /** Commits states in one block, for subscribers of tokens, of lists, and REST. */
  commit(...snapshots: readonly TokenSnapshot[]): void
}

/**
 * For the rest of the test file. Without Chromium, where its tests are skipped, it is nothing.
 *
 * @param store what REST answers besides the tokens
 */
export async function openMemoryConsole(store: (stored: Stored) => void = () => {}): Promise<MemoryConsole> {
  if (CHROMIUM === null) return {} as MemoryConsole
  const site = await loadSite(SITE_FOLDER)
  const fixture = await RealtimeFixture.start({ allowedOrigins: ['http://127.0.0.1:*'] }, { site: site as Site })
  fixture.show(...TOKENS.map(token => fixture.store(token, FIRST_SEQUENCE)))
  store(fixture.gateway.reads.stored)
  const browser = await launchChromium()
  const open = (options?: OpenOptions) => openPage(browser, fixture.gateway.url, { height: 1_400, ...options })
  return {
    fixture,
    browser,
    open,
    async openFor(onTestFinished) {
      const opened = await open()
      onTestFinished(async () => {
        const complaints = await opened.complaints()
        await opened.page.context().close()
        expect(complaints).toEqual([])
      })
      return opened
    },
    async liveTokens(page) {
      await expect.poll(() => page.getByTestId('connection').getAttribute('data-state')).toBe('live')
      const shown = () => page.locator('tr[data-address]').evaluateAll(rows => rows.map(row => (row as HTMLElement).dataset['address']))
      await expect.poll(async () => (await shown()).length).toBeGreaterThan(20)
      return (await shown()) as Address[]
    },
    commit(...snapshots) {
      const { stored } = fixture.gateway.reads
      const changed = new Map(snapshots.map(({ token }) => [token.address, token]))
      stored.tokens = stored.tokens.map(token => changed.get(token.address) ?? token)
      fixture.commit(...snapshots)
      fixture.lists.changed(new Set(changed.keys()))
    },
    async watchedTokens(page) {
      await page.evaluate(() => location.assign('#/?q=ALP'))
      await expect.poll(() => page.getByTestId('connection').getAttribute('data-state')).toBe('live')
      // Rows below the window may be left again: what is above them grows when the results come.
      const seen = () =>
        page.locator('tr[data-address]').evaluateAll(rows => {
          const isSeen = ({ top, bottom }: DOMRect) => top >= 0 && bottom <= innerHeight
          return rows.filter(row => isSeen(row.getBoundingClientRect())).map(row => (row as HTMLElement).dataset['address'] as Address)
        })
      const isSubscribed = (token: Address) => (fixture.registry.get(token)?.subscribers.webSocket ?? 0) > 0
      await expect.poll(async () => (await seen()).filter(isSubscribed).length).toBeGreaterThan(5)
      return (await seen()).filter(isSubscribed)
    },
  }
}
