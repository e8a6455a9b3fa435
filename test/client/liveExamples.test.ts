import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Candle } from '#resources/candles.ts'
import { exampleStored } from '#test/gateway/descriptions/describedService.ts'
import { eventually, stepUntil } from '#test/support/eventually.ts'
import { findBrowser } from '#test/support/findBrowser.ts'
import { POLL_LIMIT_MS } from '#test/support/limits.ts'
import { listen } from '#test/support/listen.ts'
import { addressOf, tokenOf } from '#test/support/snapshots.ts'
import { ClientFixture } from './clientFixture.ts'
import { type PackedClient, packClient } from './packedClient.ts'
import { serveScript } from './serveScript.ts'
import { startExample } from './startExample.ts'

const A = addressOf(1)
const MAKER = addressOf(0xab)

/* The examples of tokenwire/client/live, all against one gateway. */

let packed: PackedClient
let fixture: ClientFixture
beforeAll(async () => {
  ;[packed, fixture] = await Promise.all([packClient(), ClientFixture.start()])
  const { wallets = [], holdings = [], claims = [] } = exampleStored()
  fixture.store(A, 10)
  Object.assign(fixture.service.gateway.reads.stored, { holdings, claims, wallets: wallets.map(one => ({ ...one, address: MAKER })) })
})
afterAll(async () => {
  await fixture.stop()
  await packed.remove()
})

const start = (file: string, ...args: readonly string[]) => startExample(packed.project, file, args)

it('the code of docs/client.md on live queries works', async () => {
  const manual = await readFile('docs/client.md', 'utf8')
  const blocks = Array.from(manual.matchAll(/```ts\n(.*?)```/gs), ([, lines = '']) => lines)
  const live = blocks.find(block => block.includes('createLive')) ?? ''
  const script = `import { createTokenwire } from 'tokenwire/client'
    const tokenwire = createTokenwire({ url: '${fixture.proxy.url}' })
    ${live}`
  await writeFile(path.join(packed.project, 'live.ts'), script)
  const told = start('live.ts')
  await told.said(/^buys after \d+-\d+$/m)
  fixture.service.trade([1, 1])
  expect(await told.said(/^\d+-1 .*$/m)).toContain(` 0.0000617 ${A}`)
  told.child.kill()
  await told.ended
})

it('the launch bot tells every launch, and after a restart those that it missed', async () => {
  const bot = start('launch-bot/launchBot.ts', fixture.proxy.url)
  await bot.said(/^from \d+-\d+ on$/m)
  fixture.service.trade([2, 1])
  await bot.said(new RegExp(`^wow "ALP" ${addressOf(2)} by 0x`, 'm'))
  bot.child.kill('SIGTERM')
  expect(await bot.ended).toBe(0)
  fixture.service.trade([3, 1])
  fixture.service.events.drop(1)
  fixture.service.trade([4, 1])
  const again = start('launch-bot/launchBot.ts', fixture.proxy.url)
  await again.said(new RegExp(`^wow "ALP" ${addressOf(4)} by 0x`, 'm'))
  again.child.kill('SIGTERM')
  await again.ended
})

it('a bot of the guide that hears nothing connects again', async () => {
  const guide = await readFile('docs/guides/bots.md', 'utf8')
  const [code = ''] = Array.from(guide.matchAll(/```js\n(.*?)```/gs), ([, lines = '']) => lines).filter(lines =>
    lines.includes("channel: 'trades'"),
  )
  const script = code.replace('ws://127.0.0.1:3000', fixture.proxy.url.replace('http', 'ws')).replace('20_000', '300')
  await writeFile(path.join(packed.project, 'channel.mjs'), script)
  const bot = start('channel.mjs')
  try {
    await eventually(() => fixture.proxy.sent.some(text => text.includes('"minWeth":"0.000001"')))
    fixture.proxy.webSockets = 'swallow'
    const before = fixture.proxy.opened
    await eventually(() => fixture.proxy.opened > before)
    fixture.proxy.webSockets = 'pass'
    const subscribed = () => fixture.service.realtime.report().subscriptions > 0
    await stepUntil(
      () => bot.output().includes(' bought '),
      async () => {
        if (subscribed()) fixture.service.trade([1, 1])
        await pause(100)
      },
    )
    expect(bot.output()).toContain(' bought ')
  } finally {
    fixture.proxy.webSockets = 'pass'
    bot.child.kill()
    await bot.ended
  }
})

it('the graduation notifier posts to a webhook', async () => {
  const posted: string[] = []
  const webhook = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => (body += String(chunk)))
    request.on('end', () => {
      posted.push(body)
      response.writeHead(204).end()
    })
  })
  const port = await listen(webhook)
  try {
    const notifier = start('graduation-notifier/notify.ts', `http://127.0.0.1:${port}`, fixture.proxy.url)
    await notifier.said(/^from \d+-\d+ on$/m)
    fixture.service.trade([5, 1])
    await notifier.said(/^204 ALP has graduated to a pool, at a market cap of 12\.3 ETH/m)
    // Slack reads the first as a mention of everyone, Discord the second as a link.
    fixture.service.events.symbol = '<!channel> [ALP](https://a.example)'
    fixture.service.trade([6, 1])
    await notifier.said(/^204 channel ALPhttpsaexample has graduated/m)
    notifier.child.kill('SIGTERM')
    expect(await notifier.ended).toBe(0)
    expect(JSON.parse(posted[0] ?? '')).toMatchObject({ allowed_mentions: { parse: [] } })
  } finally {
    fixture.service.events.symbol = 'ALP'
    webhook.close()
  }
})

it('the chart feed gives all bars, then those that changed', async () => {
  const candle = (time: number, close: string): Candle => ({ time, open: '1', high: '2', low: '1', close, volume: '0', trades: 1 })
  const { candles } = fixture.service.gateway.reads.stored
  candles.set(A, [candle(60, '1'), candle(240, '2')])
  const feed = start('chart-feed/chartFeed.ts', A, fixture.proxy.url)
  const { setData } = JSON.parse(await feed.said(/^{"setData":\[{.*$/m)) as { setData: { time: number; close: number }[] }
  // The intervals without a trade carry the close before them.
  expect(setData.map(({ time, close }) => [time, close])).toEqual([
    [60, 1],
    [120, 1],
    [180, 1],
    [240, 2],
  ])
  candles.set(A, [candle(60, '1'), candle(240, '3')])
  fixture.service.candles.changed(new Set([A]))
  await feed.said(/^{"update":{"time":240,"open":1,"high":2,"low":1,"close":3,"volume":0}}$/m)
  feed.child.kill('SIGTERM')
  expect(await feed.ended).toBe(0)
})

const executable = findBrowser('chromium')

describe.skipIf(executable === null)('in Chromium', () => {
  let browser: Browser
  const mistakes: string[] = []
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executable ?? '', args: ['--no-sandbox'], timeout: POLL_LIMIT_MS })
  })
  afterAll(async () => {
    await browser.close()
    expect(mistakes).toEqual([])
  })

  async function open(url: string): Promise<Page> {
    const page = await browser.newPage()
    page.setDefaultTimeout(POLL_LIMIT_MS)
    page.on('pageerror', error => mistakes.push(String(error)))
    page.on('console', message => message.type() === 'error' && mistakes.push(message.text()))
    await page.goto(url)
    return page
  }

  it('the wallet page shows what a wallet has, and follows its trades', async () => {
    const served = start('serve.ts', 'wallet-page', '0')
    try {
      const origin = await served.said(/http\S+/)
      const page = await open(`${origin}/?service=${encodeURIComponent(fixture.proxy.url)}&address=${MAKER}`)
      await page.getByText('41 trades, worth 0.4 ETH, realized 0.21 ETH').waitFor()
      await page.getByRole('cell', { name: '5.00K', exact: true }).waitFor()
      await page.getByRole('listitem').filter({ hasText: '0.31 WETH by a call to 0x' }).waitFor()
      const { stored } = fixture.service.gateway.reads
      stored.wallets = stored.wallets.map(wallet => ({ ...wallet, trades: 42 }))
      fixture.service.trade([1, 0xab])
      await page.getByText('42 trades').waitFor()
      expect(await page.getByRole('alert').textContent()).toBe('')
      await page.close()
    } finally {
      served.child.kill()
    }
  })

  it('the leaderboard keeps its order', async () => {
    const { stored } = fixture.service.gateway.reads
    const trending = (n: number, buyers: number) => {
      const token = tokenOf(addressOf(n), n, { symbol: `T${n}` })
      const { trades } = token.market
      return { ...token, market: { ...token.market, trades: { ...trades, h1: { ...trades.h1, buyers } } } }
    }
    const show = (...tokens: ReturnType<typeof trending>[]) => {
      stored.tokens = tokens
      fixture.service.lists.changed(null)
    }
    show(trending(1, 5), trending(2, 9))
    const script = await serveScript(packed.project, 'leaderboard/leaderboard.jsx')
    try {
      const page = await open(`${script.url}/#${fixture.proxy.url}`)
      const names = () => page.getByRole('listitem').locator('b').allTextContents()
      await page.getByRole('listitem').nth(1).waitFor()
      expect(await names()).toEqual(['T2', 'T1'])
      show(trending(1, 10), trending(2, 9))
      await page.getByRole('listitem').first().filter({ hasText: 'T1' }).waitFor()
      expect(await names()).toEqual(['T1', 'T2'])
      await page.close()
    } finally {
      script.close()
    }
  })

  it('the chart of React follows the candles of a token', async () => {
    const { stored } = fixture.service.gateway.reads
    const candle = (time: number, close: string) => ({ time, open: close, high: close, low: close, close, volume: '1', trades: 1 })
    stored.tokens = [tokenOf(A, 1)]
    stored.candles = new Map([[A, [candle(60, '0.0000000123')]]])
    const script = await serveScript(packed.project, 'chart/chart.jsx')
    try {
      const page = await open(`${script.url}/#${fixture.proxy.url}/${A}`)
      await page.getByText('closed at Ξ0.0₇1230', { exact: true }).waitFor()
      await page.locator('canvas').first().waitFor()
      stored.candles = new Map([[A, [candle(60, '0.0000000123'), candle(180, '6')]]])
      fixture.service.candles.changed(new Set([A]))
      await page.getByText('closed at Ξ6.000', { exact: true }).waitFor()
      expect(await page.locator('figcaption').allTextContents()).toEqual(['closed at Ξ6.000'])
      await page.close()
    } finally {
      script.close()
    }
  })
})
