import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { closeAfterFile } from '#test/support/closeAfterFile.ts'
import { findBrowser } from '#test/support/findBrowser.ts'
import { POLL_LIMIT_MS } from '#test/support/limits.ts'

/** A page and its errors. */
export interface WatchedPage {
  readonly page: Page
  /** Violations of the page's policy, uncaught errors, and errors in the browser's console except failed requests. */
  complaints(): Promise<readonly string[]>
}

export interface OpenOptions {
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
  /** Makes `Math.random` small in the page, so that the random pauses between attempts are short. */
  readonly isEager?: boolean
  /** Called before the page loads. */
  readonly prepare?: (page: Page) => Promise<void>
}

/** `null`: it is not installed, and its tests are skipped. */
export const CHROMIUM = findBrowser('chromium')

/** Chromium for the rest of the test file. */
export async function launchChromium(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-dev-shm-usage']
  const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args, timeout: POLL_LIMIT_MS })
  closeAfterFile(() => browser.close())
  return browser
}

/** Errors of failed requests, which the tests cause on purpose. */
const OF_THE_NETWORK = /Failed to load resource|WebSocket connection to|net::ERR_/

/** Opens a page in a new browser context. */
export async function openPage(
  browser: Browser,
  url: string,
  { theme = 'light', width = 1280, height = 900, isEager = false, prepare }: OpenOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme })
  context.setDefaultTimeout(POLL_LIMIT_MS)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', error => complaints.push(`uncaught: ${error.message}`))
  page.on('console', message => {
    if (message.type() === 'error' && !OF_THE_NETWORK.test(message.text())) complaints.push(`console: ${message.text()}`)
  })
  if (isEager) {
    await page.addInitScript(() => {
      Math.random = () => 0.02
    })
  }
  await page.addInitScript(() => {
    const violations: string[] = []
    Object.assign(globalThis, { violations })
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
      violations.push(`policy: ${violatedDirective} ${blockedURI} ${sample}`)
    })
  })
  await prepare?.(page)
  await page.goto(url)
  return {
    page,
    complaints: async () => [...complaints, ...(await page.evaluate(() => (globalThis as unknown as { violations: string[] }).violations))],
  }
}

/** The findings of axe on the current page, as `rule: element`. `rules`: only these rules. */
export async function findingsOf(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  return page.evaluate(async values => {
    interface Found {
      readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
    }
    // Changes that follow from a new size are drawn in the frame after it.
    for (let frame = 0; frame < 3; frame++) await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))
    const { axe } = globalThis as unknown as { axe: { run(root: Document, options: object): Promise<Found> } }
    const { violations } = await axe.run(document, {
      resultTypes: ['violations'],
      ...(values === undefined ? {} : { runOnly: { type: 'rule', values } }),
    })
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
  }, rules)
}
