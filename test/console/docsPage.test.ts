import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { EXAMPLE_TOKEN, exampleStored } from '#test/gateway/descriptions/describedService.ts'
import { type Gateway, startGateway } from '#test/gateway/startGateway.ts'
import { CHROMIUM, findingsOf, launchChromium, openPage } from './openPage.ts'

describe.skipIf(CHROMIUM === null)('the documentation in a browser', () => {
  let browser: Browser
  let gateway: Gateway

  beforeAll(async () => {
    gateway = await startGateway({ stored: exampleStored(), config: { pathPrefix: '/tokens' } })
    browser = await launchChromium()
  })
  test.each([1280, 390])('asks no other host, breaks no rule of its policy and fits into %i px', async width => {
    const hosts = new Set<string>()
    const { page, complaints } = await openPage(browser, `${gateway.url}/docs#/Tokens/listTokens`, {
      width,
      prepare: async opened => void opened.on('request', request => hosts.add(new URL(request.url()).host)),
    })
    // A column of the former page was three letters wide at 1280 px.
    const name = page.locator('.parameters .parameter__name', { hasText: 'sort' }).first()
    await name.waitFor()
    const box = await name.boundingBox()
    expect(box?.width).toBeGreaterThan(60)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(hosts).toEqual(new Set([new URL(gateway.url).host]))
    expect(await complaints()).toEqual([])
    await page.context().close()
  })

  test('sends a request that is tried, also below a path prefix', async () => {
    for (const prefix of ['', '/tokens']) {
      const { page, complaints } = await openPage(browser, `${gateway.url}${prefix}/docs#/Tokens/listTrades`)
      const operation = page.locator('#operations-Tokens-listTrades')
      await operation.locator('input[placeholder="address"]').fill(EXAMPLE_TOKEN)
      await operation.locator('.execute').click()
      await operation.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor()
      expect(await operation.locator('.request-url').textContent()).toContain(`${gateway.url}${prefix}/api/tokens/${EXAMPLE_TOKEN}/trades`)
      expect(await complaints()).toEqual([])
      await page.context().close()
    }
  })

  test('shows the messages on a page of its own, without findings of axe', async () => {
    const { page, complaints } = await openPage(browser, `${gateway.url}/tokens/docs`, { width: 390 })
    await page.getByRole('link', { name: 'Messages of the WebSocket' }).click()
    await page.getByRole('heading', { name: 'token.update', exact: true }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    expect(await findingsOf(page)).toEqual([])
    expect(await complaints()).toEqual([])
    await page.context().close()
  })
})
