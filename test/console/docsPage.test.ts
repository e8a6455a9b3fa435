import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXAMPLE_TOKEN, exampleStored } from '#test/gateway/describedService.ts'
import { type Gateway, startGateway } from '#test/gateway/startGateway.ts'
import { findBrowser } from '#test/support/findBrowser.ts'
import { findingsOf, launchChromium, openPage } from './openPage.ts'

const executablePath = findBrowser('chromium')

describe.skipIf(executablePath === null)('the documentation in a browser', () => {
  let browser: Browser
  let gateway: Gateway

  beforeAll(async () => {
    gateway = await startGateway({ stored: exampleStored(), config: { pathPrefix: '/tokens' } })
    browser = await launchChromium(executablePath ?? '')
  })
  afterAll(async () => {
    await browser.close()
    await gateway.close()
  })

  test.each(['light', 'dark'] as const)('has no findings of axe and sends no request to another host, in the %s theme', async theme => {
    const { page, complaints } = await openPage(browser, `${gateway.url}/docs`, { theme })
    const hosts: string[] = []
    page.on('request', request => hosts.push(new URL(request.url()).host))
    await page.reload({ waitUntil: 'networkidle' })
    expect(new Set(hosts)).toEqual(new Set([new URL(gateway.url).host]))
    expect(await findingsOf(page)).toEqual([])
    expect(await complaints()).toEqual([])
    await page.context().close()
  })

  test('offers the words of a parameter as a choice, and fits into 390 px', async () => {
    const { page, complaints } = await openPage(browser, `${gateway.url}/docs#listTokens`, { width: 390 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    const wide = `Array.from(document.querySelectorAll('.table'), each => each.scrollWidth - each.clientWidth).filter(over => over > 0).length`
    expect(await page.evaluate(wide)).toBe(0)
    const form = page.locator('#listTokens form')
    await form.getByLabel('sort', { exact: true }).selectOption('marketCapUsd')
    await form.getByLabel('status', { exact: true }).selectOption(['bonding', 'migrated'])
    await form.getByRole('button').click()
    await form.locator('[data-status]', { hasText: '200' }).waitFor()
    expect(await form.locator('[data-url]').textContent()).toBe('GET /api/tokens?sort=marketCapUsd&status=bonding%2Cmigrated')
    expect(await findingsOf(page)).toEqual([])
    expect(await complaints()).toEqual([])
    await page.context().close()
  })

  // At 1280 px a column of values was three letters wide.
  test('has columns at least as wide as their words', async () => {
    const { page } = await openPage(browser, `${gateway.url}/docs#listTokens`, { width: 1280 })
    const narrow = `Array.from(document.querySelectorAll('#listTokens td'), cell => {
      const range = document.createRange()
      range.selectNodeContents(cell)
      const words = cell.textContent.split(/[^\\w]+/).reduce((longest, word) => Math.max(longest, word.length), 0)
      return { words, width: cell.clientWidth }
    }).filter(({ words, width }) => width < Math.min(words, 12) * 6)`
    expect(await page.evaluate(narrow)).toEqual([])
    await page.context().close()
  })

  test('shows one group at a time, and the entry that the address names', async () => {
    const { page, complaints } = await openPage(browser, `${gateway.url}/docs`)
    const shown = () => page.getByRole('heading', { level: 2 }).allTextContents()
    expect(await shown()).toEqual(['Rules'])
    const contents = page.getByRole('navigation')
    await contents.getByRole('link', { name: 'Integrations' }).click()
    expect(await shown()).toEqual(['Integrations'])
    expect(await page.getByText('/dexscreener/{launchpad}/events', { exact: false }).count()).toBeGreaterThan(0)
    await page.goto(`${gateway.url}/docs#schema-Token`)
    expect(await shown()).toEqual(['Schemas'])
    expect(await page.locator('#schema-Token').isVisible()).toBe(true)
    expect(await findingsOf(page)).toEqual([])
    expect(await complaints()).toEqual([])
    await page.context().close()
  })

  test('sends a request that is tried, also below a path prefix', async () => {
    for (const prefix of ['', '/tokens']) {
      const { page, complaints } = await openPage(browser, `${gateway.url}${prefix}/docs#listTrades`)
      const form = page.locator('#listTrades form')
      await form.getByLabel('address').fill(EXAMPLE_TOKEN)
      await form.getByLabel('limit').fill('1')
      await form.getByRole('button').click()
      await form.locator('[data-status]', { hasText: '200' }).waitFor()
      expect(await form.locator('[data-url]').textContent()).toBe(`GET ${prefix}/api/tokens/${EXAMPLE_TOKEN}/trades?limit=1`)
      expect(JSON.parse((await form.locator('[data-body]').textContent()) ?? '')).toMatchObject({ data: [{ token: EXAMPLE_TOKEN }] })
      expect(await complaints()).toEqual([])
      await page.context().close()
    }
  })
})
