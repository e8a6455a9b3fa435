import type { Browser, Page } from 'playwright-core'
import { expect, type TestContext } from 'vitest'
import type { Address } from '#domain/address.ts'
import { loadSite, type Site } from '#gateway/http/site.ts'
import { RealtimeFixture } from '#test/gateway/startRealtime.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { launchChromium, type OpenOptions, openPage, type WatchedPage } from './openPage.ts'
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
  /** Waits until the rows on the screen are subscribed, and returns their tokens. */
  watchedTokens(page: Page): Promise<readonly Address[]>
  stop(): Promise<void>
}

export async function startMemoryConsole(chromium: string): Promise<MemoryConsole> {
  const site = await loadSite(SITE_FOLDER)
  const fixture = await RealtimeFixture.start({ allowedOrigins: ['http://127.0.0.1:*'] }, { site: site as Site })
  fixture.show(...TOKENS.map(token => fixture.store(token, FIRST_SEQUENCE)))
  const browser = await launchChromium(chromium)
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
    async watchedTokens(page) {
      await expect.poll(() => page.getByTestId('connection').getAttribute('data-state')).toBe('live')
      const subscribed = () => TOKENS.filter(token => (fixture.registry.get(token)?.subscribers.webSocket ?? 0) > 0)
      await expect.poll(() => subscribed().length).toBeGreaterThan(20)
      return subscribed()
    },
    async stop() {
      await browser.close()
      await fixture.stop()
    },
  }
}
