import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#test/support/eventually.ts'
import { findBrowser } from '#test/support/findBrowser.ts'
import { POLL_LIMIT_MS } from '#test/support/limits.ts'
import { addressOf, tradeOf } from '#test/support/snapshots.ts'
import { ClientFixture } from './clientFixture.ts'
import { type PackedClient, packClient } from './packedClient.ts'
import { serveScript } from './serveScript.ts'
import { startExample } from './startExample.ts'

const A = addressOf(1)

let packed: PackedClient
beforeAll(async () => {
  packed = await packClient()
})
afterAll(() => packed.remove())

describe('the examples', () => {
  let fixture: ClientFixture
  beforeAll(async () => {
    fixture = await ClientFixture.start({ maxConnectionsPerIp: 100 })
    fixture.store(A, 10, { symbol: '<b>ALP', name: '<img src=x onerror=alert(1)>' })
  })
  afterAll(() => fixture.stop())

  const start = (file: string, ...args: readonly string[]) => startExample(packed.project, file, args)

  it('the code of docs/client.md works', async () => {
    const manual = await readFile('docs/client.md', 'utf8')
    const [begin = '', list = ''] = Array.from(manual.matchAll(/```ts\n(.*?)```/gs), ([, lines = '']) => lines)
    fixture.service.gateway.reads.stored.trades = [tradeOf(A)]
    const script = `import { items } from 'tokenwire/client'
      ${begin.replace('https://tokenwire.example.com', fixture.proxy.url)}
      const [{ address }] = listed.value.data
      ${list}`
    await writeFile(path.join(packed.project, 'manual.ts'), script)
    const told = start('manual.ts')
    await told.said(new RegExp(`^${tradeOf(A).priceWeth}$`, 'm'))
    expect(await told.said(/^<b>ALP .*$/m)).toBe('<b>ALP 0.00000001234')
    told.child.kill()
    await told.ended
  })

  it('the bot keeps a price table, and ends with SIGTERM', async () => {
    const bot = start('bot/priceTable.ts', fixture.proxy.url)
    await bot.said(/connection: live/)
    await bot.said(/"<b>ALP" 0\.00000001234 #10/)
    const { market } = fixture.service.stored.get(A)?.token ?? {}
    if (market === undefined) throw new Error('the token is not there')
    fixture.commit(A, 11, { symbol: '<b>ALP', market: { ...market, priceWeth: '0.5' } })
    await bot.said(/"<b>ALP" 0\.5 #11/)
    bot.child.kill('SIGTERM')
    expect(await bot.ended).toBe(0)
  })

  const executable = findBrowser('chromium')

  describe.skipIf(executable === null)('in Chromium', () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: executable ?? '', args: ['--no-sandbox'], timeout: POLL_LIMIT_MS })
    })
    afterAll(() => browser.close())

    async function open(url: string): Promise<{ page: Page; mistakes: string[] }> {
      const page = await browser.newPage()
      page.setDefaultTimeout(POLL_LIMIT_MS)
      const mistakes: string[] = []
      page.on('pageerror', error => mistakes.push(String(error)))
      page.on('console', message => message.type() === 'error' && mistakes.push(message.text()))
      page.on('dialog', dialog => {
        mistakes.push('a name has run')
        void dialog.dismiss()
      })
      await page.goto(url)
      return { page, mistakes }
    }

    it('the page lists tokens, updates live, falls back and returns to WebSocket', async () => {
      const served = start('serve.ts', 'browser', '0')
      try {
        const earlier = fixture.proxy.sent.length
        const { page, mistakes } = await open(`${await served.said(/http\S+/)}/?service=${encodeURIComponent(fixture.proxy.url)}`)
        await page.getByText('live', { exact: true }).waitFor()
        await page.getByRole('cell', { name: '<b>ALP' }).waitFor()
        // It shows no holders.
        await eventually(() => fixture.proxy.sent.slice(earlier).some(text => text.includes(A) && text.includes('"holders":false')))
        const { market } = fixture.service.stored.get(A)?.token ?? {}
        if (market === undefined) throw new Error('the token is not there')
        fixture.commit(A, 20, { market: { ...market, priceWeth: '1.5' } })
        await page.getByRole('cell', { name: '1.5', exact: true }).waitFor()
        expect(mistakes).toEqual([])
        fixture.proxy.webSockets = 'refuse'
        fixture.proxy.cut()
        await page.getByText('fallback', { exact: true }).waitFor()
        fixture.commit(A, 21, { market: { ...market, priceWeth: '2.5' } })
        await page.getByRole('cell', { name: '2.5', exact: true }).waitFor()
        fixture.proxy.webSockets = 'pass'
        // The browser reports the network, so the page does not wait for its next attempt.
        await page.evaluate('dispatchEvent(new Event("online"))')
        await page.getByText('live', { exact: true }).waitFor()
        fixture.commit(A, 22, { market: { ...market, priceWeth: '3.5' } })
        await page.getByRole('cell', { name: '3.5', exact: true }).waitFor()
        await page.close()
      } finally {
        fixture.proxy.webSockets = 'pass'
        served.child.kill()
      }
    })

    it('a React component follows a token, its trades and its candles while it is mounted', async () => {
      fixture.commit(A, 25)
      const { stored } = fixture.service.gateway.reads
      const candle = (time: number, close: string) => ({ time, open: close, high: close, low: close, close, volume: '1', trades: 1 })
      stored.trades = [tradeOf(A)]
      stored.candles = new Map([[A, [candle(60, '5')]]])
      await writeFile(path.join(packed.project, 'app.js'), component())
      const served = await serveScript(packed.project, 'app.js')
      try {
        const { page, mistakes } = await open(`${served.url}/#${fixture.proxy.url}`)
        await page.getByText('25 live').waitFor()
        fixture.commit(A, 26)
        await page.getByText('26 live').waitFor()
        await page.getByText(`trades: ${tradeOf(A).id}`, { exact: true }).waitFor()
        await page.getByText('candles: 60 at 5', { exact: true }).waitFor()
        stored.candles = new Map([[A, [candle(60, '5'), candle(120, '6')]]])
        fixture.service.candles.changed(new Set([A]))
        await page.getByText('candles: 60 at 5,120 at 6', { exact: true }).waitFor()
        fixture.service.trade([1, 9])
        await page.getByText(/^trades: \S+,\S+$/).waitFor()
        const subscriptions = () => fixture.service.realtime.report().subscriptions
        expect(subscriptions()).toBe(3)
        await page.getByRole('button').click()
        await page.getByText('nothing').waitFor()
        await eventually(() => subscriptions() === 0)
        expect(mistakes).toEqual([])
        await page.close()
      } finally {
        served.close()
      }
    })

    it('hooks of React tell a wrong query, a token that is not there, and waiting apart', async () => {
      await writeFile(path.join(packed.project, 'answers.js'), answers())
      const served = await serveScript(packed.project, 'answers.js')
      try {
        const { page, mistakes } = await open(`${served.url}/#${fixture.proxy.url}`)
        for (const text of ['garbage: rejected', 'absent: not_found', 'silent: waiting', 'too long: rejected', `launches: ${A.slice(-2)}`])
          await page.getByText(text, { exact: true }).waitFor()
        fixture.commit(addressOf(77), 3)
        await page.getByText('absent: data 3', { exact: true }).waitFor()
        // The browser itself reports answers such as 404.
        expect(mistakes.filter(text => !text.startsWith('Failed to load resource'))).toEqual([])
        await page.close()
      } finally {
        served.close()
      }
    })

    it('the server-rendered page is readable without scripts and updates live with them', async () => {
      fixture.commit(A, 30, { name: '</script><img src=x onerror=alert(1)>' })
      const served = start('server-rendering/server.ts', fixture.proxy.url, '0')
      try {
        const url = await served.said(/http\S+/)
        const html = await (await fetch(`${url}/${A}`)).text()
        expect(html).toContain('<dd id="price">0.00000001234')
        expect((await fetch(`${url}/${addressOf(99)}`)).status).toBe(404)
        const { page, mistakes } = await open(`${url}/${A}`)
        await page.getByRole('heading', { name: '</script><img' }).waitFor()
        const { market } = fixture.service.stored.get(A)?.token ?? {}
        if (market === undefined) throw new Error('the token is not there')
        fixture.commit(A, 31, { market: { ...market, priceWeth: '7.25' } })
        await page.getByText('7.25', { exact: true }).waitFor()
        expect(mistakes).toEqual([])
        await page.close()
      } finally {
        served.child.kill()
      }
    })
  })
})

/** A React component in strict mode, which mounts it twice. */
function component(): string {
  return `
import { createElement, StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { createTokenwire } from 'tokenwire/client'
import { createLive } from 'tokenwire/client/live'
import { useCandles, useConnectionState, useToken, useTrades } from 'tokenwire/client/react'

const client = createTokenwire({ url: location.hash.slice(1) })
const live = createLive(client)
function Sequence() {
  const { data: state, isLoading } = useToken(client, '${A}')
  const { data: trades = [] } = useTrades(live, { tokens: ['${A}'] })
  const { data: { candles = [] } = {} } = useCandles(live, { token: '${A}' })
  const shown = [
    (isLoading ? 'waiting' : state.sequence) + ' ' + useConnectionState(client),
    'trades: ' + trades.map(({ id }) => id),
    'candles: ' + candles.map(({ time, close }) => time + ' at ' + close),
  ]
  return shown.map(text => createElement('p', { key: text }, text))
}
function App() {
  const [isShown, setShown] = useState(true)
  return createElement('button', { onClick: () => setShown(false) }, isShown ? createElement(Sequence) : 'nothing')
}
createRoot(document.getElementById('app')).render(createElement(StrictMode, null, createElement(App)))
`
}

/** What hooks answer to what is wrong, not there, or not answered. */
function answers(): string {
  return `
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { createTokenwire } from 'tokenwire/client'
import { createLive } from 'tokenwire/client/live'
import { useLaunches, useList, useToken } from 'tokenwire/client/react'

const url = location.hash.slice(1)
const client = createTokenwire({ url })
const silent = createTokenwire({ url, fetch: () => new Promise(() => {}), WebSocket: class { send() {} close() {} } })
const live = createLive(client)
const said = ({ data, error, isLoading }) => (isLoading ? 'waiting' : error === null ? 'data ' + data.sequence : error.code)
function Answers() {
  const shown = {
    garbage: said(useToken(client, 'garbage')),
    absent: said(useToken(client, '${addressOf(77)}')),
    silent: said(useToken(silent, '${A}')),
    'too long': said(useList(live, { limit: 1_000 })),
    launches: useLaunches(live, { limit: 2 }).data?.data.map(({ address }) => address.slice(-2)).join(),
  }
  return Object.entries(shown).map(([name, text]) => createElement('p', { key: name }, name + ': ' + text))
}
createRoot(document.getElementById('app')).render(createElement(Answers))
`
}
