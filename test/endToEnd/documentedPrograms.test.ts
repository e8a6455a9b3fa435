import { once } from 'node:events'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Browser, chromium, type Page } from 'playwright-core'
import { parseEther } from 'viem'
import { expect, test } from 'vitest'
import { formatCompact, formatPrice } from '#client/format.ts'
import { buyOnCurve, graduate } from '#devchain/actions.ts'
import type { Candle } from '#resources/candles.ts'
import type { Token } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import type { Wallet } from '#resources/wallet.ts'
import { readWebhooks } from '#store/rows/webhookPositions.ts'
import { packClient } from '#test/client/packedClient.ts'
import { serveScript } from '#test/client/serveScript.ts'
import { type RunningExample, startExample } from '#test/client/startExample.ts'
import { startTestChain } from '#test/support/chain.ts'
import { closeAfterFile } from '#test/support/closeAfterFile.ts'
import { useDatabase } from '#test/support/database.ts'
import { eventually, poll, stepUntil } from '#test/support/eventually.ts'
import { findBrowser } from '#test/support/findBrowser.ts'
import { findProgram } from '#test/support/findProgram.ts'
import { freePort } from '#test/support/freePort.ts'
import { launchToken } from '#test/support/launchToken.ts'
import { POLL_LIMIT_MS } from '#test/support/limits.ts'
import { listen } from '#test/support/listen.ts'
import { serviceFolder } from '#test/support/service.ts'

/*
 * Every program of the documents that follows the service, against one service on a chain: it is killed, stays away for ten seconds in which
 * the chain is reorganized and goes on, and meets another reorg afterwards. Both bots of the guide ended with the first failed attempt.
 */

/** Longer than the first pauses of all programs together. */
const AWAY_MS = 10_000

const database = await useDatabase({ migrated: false })
const chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 600 })
const folder = await serviceFolder(chain)
const packed = await packClient()
closeAfterFile(() => packed.remove())
const [port, receiverPort] = [await freePort(), await freePort()]
const url = `http://127.0.0.1:${port}`
const alice = chain.account(2)
const alpha = await launchToken(chain)
const posted = await openWebhook()
const running = new Map<string, RunningExample>()
closeAfterFile(async () => {
  for (const { child } of running.values()) child.kill('SIGKILL')
})

test('every program of the documents is right again after ten seconds without the service, and after reorgs', async () => {
  let service = await startService()
  await buy('0.11')
  await service.indexed(await chain.head())
  await startPrograms()
  const pages = await openPages()
  const away = await startExampleServer()
  const readers = ['every trade', 'channel', 'token', 'trades of a token']
  await stepUntil(
    () => readers.every(name => /buy|bought|newest/.test(running.get(name)?.output() ?? '')),
    async () => {
      await buy('0.001')
      await pause(500)
    },
  )
  // All of these small ones, of which `live` tells none, are before the fence, also where the service is behind the chain.
  await service.indexed(await chain.head())
  const fence = (await trades()).at(-1)?.id ?? ''
  await buy('0.12')
  const delta = await launchToken(chain, { from: alice, name: 'Delta', symbol: 'DEL' })
  await buy('0.13')
  const newest = await eventually(async () => (await trades()).find(({ amountWeth }) => amountWeth === '0.13')?.id ?? false)
  await eventually(() => ['channel', 'python', 'live'].every(name => running.get(name)?.output().includes(`${newest} `)))
  await running.get('launch bot')?.said(new RegExp(delta.token))

  service.process.kill('SIGKILL')
  await once(service.process, 'close')
  // The block of the last purchase and the one of the launch are gone.
  await chain.reorg(2)
  const gone = pause(AWAY_MS)
  await buy('0.14')
  const beta = await launchToken(chain, { from: alice, name: 'Beta', symbol: 'BET' })
  await chain.mined(buyOnCurve(chain, { from: alice, curve: beta.curve, paidWei: parseEther('6') }))
  await chain.mined(graduate(chain, { from: alice, token: beta.token }))
  await buy('0.15')
  expect((await fetch(`${away}/${alpha.token}`)).status).toBe(503)
  await gone
  service = await startService()
  await service.indexed(await chain.head())
  await buy('0.16')
  await eventually(async () => (await trades()).some(({ amountWeth }) => amountWeth === '0.16'))
  await chain.reorg(2)
  for (const paid of ['0.17', '0.18', '0.19']) await buy(paid)
  await eventually(async () => (await trades()).some(({ amountWeth }) => amountWeth === '0.19'))

  const all = await trades()
  const lines = all.map(({ id, amountWeth }) => `${id} ${amountWeth}`)
  const since = all.flatMap(({ id, amountWeth }) => (isAfter(id, fence) ? [`${id} ${amountWeth}`] : []))
  expect(since.length).toBeGreaterThan(5)
  await poll(() => held('every trade')).toEqual(lines)
  for (const name of ['channel', 'python', 'live'])
    await poll(() => held(name).filter(line => isAfter(line.split(' ')[0] ?? '', fence)), { message: name }).toEqual(since)

  const token = await rest<Token>(`/api/tokens/${alpha.token}`)
  const { priceWeth, tradeCount } = token.market
  await poll(() => last('token', 'ALP ')).toBe(`ALP ${priceWeth} buy`)
  await poll(() => last('trades of a token')).toBe(`${tradeCount} trades, the newest ${all.at(-1)?.id}`)
  await poll(() => running.get('README')?.output()).toMatch(new RegExp(`sequence: ${token.sequence}\\b`))
  await poll(() => last('watch', 'ALP ')).toBe(`ALP ${priceWeth}`)
  await poll(() => last('price table', alpha.token)).toBe(`${alpha.token} "ALP" ${priceWeth} #${token.sequence}`)
  await poll(() => count('launch bot', new RegExp(`^reference "BET" ${beta.token}`, 'gm'))).toBe(1)
  expect(running.get('launch bot')?.output()).toMatch(/^void: launches of block \d+ and later$/m)
  await poll(() => posted.filter(text => text.startsWith('BET ')).map(text => text.replace(/,.*/, ''))).toEqual([
    'BET has reached its target',
    'BET has graduated to a pool',
  ])
  const { data: candles } = await rest<{ data: readonly Candle[] }>(`/api/tokens/${alpha.token}/candles?interval=1m&limit=500`)
  await poll(() => lastClose()).toBe(Number(candles.at(-1)?.close))
  await poll(() => count('receiver', /^BET \S+ \S+$/gm)).toBe(1)
  await poll(async () => (await fetch(`${away}/${alpha.token}`)).text()).toContain(`<dd id="price">${priceWeth}`)

  const wallet = await rest<Wallet>(`/api/wallets/${alice}`)
  await pages?.shows('browser', priceWeth ?? '')
  await pages?.shows('wallet', `${wallet.trades} trades, worth ${formatCompact(wallet.valueWeth)} ETH`)
  await pages?.shows('leaderboard', `Ξ${formatPrice(priceWeth)}`)
  await pages?.shows('chart', `closed at Ξ${formatPrice(candles.at(-1)?.close ?? null)}`)
  for (const [name, { child }] of running) expect([name, child.exitCode, child.signalCode]).toEqual([name, null, null])
  expect(await service.stop()).toBe(0)
})

async function startService() {
  const hook = {
    name: 'half',
    url: `http://127.0.0.1:${receiverPort}`,
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    channel: 'crossings',
    filters: { of: 'graduationPercent', above: '50' },
  }
  const file = path.join(folder.folder, 'webhooks.json')
  await writeFile(file, JSON.stringify([hook]))
  return folder.start({ DATABASE_URL: database.url, PORT: String(port), WEBHOOKS_FILE: file, WEBHOOKS_ALLOW_PRIVATE: 'true' })
}

async function startPrograms(): Promise<void> {
  const { project } = packed
  for (const name of ['standardwebhooks', 'fast-sha256', '@stablelib'])
    await symlink(path.resolve('node_modules', name), path.join(project, 'node_modules', name))
  const begin = (name: string, file: string, args: readonly string[] = [], program?: string) =>
    running.set(name, startExample(project, file, args, program))
  const written = async (name: string, code: string) => {
    const file = `${name.replaceAll(' ', '-')}.mjs`
    await writeFile(path.join(project, file), code)
    begin(name, file)
  }
  const atPort = (code: string) => code.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
  const [everyTrade = '', channel = '', token = '', tradesOfToken = '', ...more] = await codeOf('docs/guides/bots.md', 'js')
  expect(more).toEqual([])
  await written('every trade', atPort(everyTrade))
  await written('channel', atPort(channel))
  await written('token', atPort(token))
  await written('trades of a token', atPort(tradesOfToken))
  const [tour = ''] = await codeOf('README.md', 'js')
  await written('README', atPort(tour).replace(/0x\w{40}/, alpha.token))
  const manual = await codeOf('docs/client.md', 'ts')
  const first = (manual[0] ?? '').replace('https://tokenwire.example.com', url)
  await written('watch', first)
  const live = manual.find(code => code.includes('live.trades')) ?? ''
  await written('live', `import { createTokenwire } from 'tokenwire/client'\nconst tokenwire = createTokenwire({ url: '${url}' })\n${live}`)
  const [receiver = ''] = (await codeOf('docs/operation.md', 'js')).filter(code => code.includes('createServer'))
  await written('receiver', receiver.replace('8080', String(receiverPort)))
  begin('price table', 'bot/priceTable.ts', [url])
  begin('launch bot', 'launch-bot/launchBot.ts', [url, 'launches.json'])
  begin('notifier', 'graduation-notifier/notify.ts', [posted.url, url, 'graduations.json'])
  begin('chart feed', 'chart-feed/chartFeed.ts', [alpha.token, url])
  const python = findProgram({ names: ['python3'], aptPackage: 'python3' })
  if (python !== null) begin('python', 'python/follow_trades.py', [url, path.join(project, 'position.txt')], python)

  for (const name of ['launch bot', 'notifier']) await running.get(name)?.said(/^from/m)
  await running.get('live')?.said(/^buys after/m)
  await running.get('README')?.said(/token.update/)
  await running.get('price table')?.said(/#\d/)
  await running.get('chart feed')?.said(/setData/)
  await running.get('watch')?.said(/ALP/)
  if (python !== null) await eventually(async () => (await readFile(path.join(project, 'position.txt'), 'utf8')) !== '')
  await eventually(async () => (await readWebhooks(database.kysely)).length === 1)
}

/** The rendering server, and its page without scripts. */
async function startExampleServer(): Promise<string> {
  const server = startExample(packed.project, 'server-rendering/server.ts', [url, '0'])
  running.set('server', server)
  return (await server.said(/http:\S+/)).replace('localhost', '127.0.0.1')
}

/** The pages, in Chromium. */
async function openPages() {
  const executablePath = findBrowser('chromium')
  if (executablePath === null) return null
  const browser: Browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: POLL_LIMIT_MS })
  closeAfterFile(() => browser.close())
  const open = async (address: string): Promise<Page> => {
    const page = await browser.newPage()
    page.setDefaultTimeout(POLL_LIMIT_MS)
    await page.goto(address)
    return page
  }
  const served = async (name: string) => {
    const server = startExample(packed.project, 'serve.ts', [name, '0'])
    running.set(`serve ${name}`, server)
    return server.said(/http:\S+/)
  }
  const built = async (entry: string) => {
    const script = await serveScript(packed.project, entry)
    closeAfterFile(async () => script.close())
    return script.url
  }
  const pages: Readonly<Record<string, Page>> = {
    browser: await open(`${await served('browser')}/?service=${url}`),
    wallet: await open(`${await served('wallet-page')}/?service=${url}&address=${alice}`),
    leaderboard: await open(`${await built('leaderboard/leaderboard.jsx')}/#${url}`),
    chart: await open(`${await built('chart/chart.jsx')}/#${url}/${alpha.token}`),
  }
  return { shows: (name: string, text: string) => pages[name]?.getByText(text).first().waitFor() }
}

/** A webhook of Discord that is overloaded at first. What it takes is in the array. */
async function openWebhook(): Promise<string[] & { readonly url: string }> {
  const taken: string[] = []
  let asked = 0
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      if (++asked === 1) {
        response.writeHead(429, { 'retry-after': '1' }).end()
        return
      }
      taken.push((JSON.parse(Buffer.concat(parts).toString()) as { content: string }).content)
      response.writeHead(204).end()
    })
  })
  closeAfterFile(async () => server.closeAllConnections())
  return Object.assign(taken, { url: `http://127.0.0.1:${await listen(server)}` })
}

async function codeOf(file: string, language: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8')
  return Array.from(text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs')), ([, code = '']) => code)
}

const buy = (paid: string) => chain.mined(buyOnCurve(chain, { from: alice, curve: alpha.curve, paidWei: parseEther(paid) }))
const rest = async <T>(route: string) => (await (await fetch(url + route)).json()) as T
const trades = async () => (await rest<{ data: readonly Trade[] }>('/api/trades?order=asc&limit=500')).data
/** The last line with this beginning: others say how the connection is, before or after. */
const last = (name: string, beginning = '') =>
  running
    .get(name)
    ?.output()
    .trimEnd()
    .split('\n')
    .findLast(line => line.startsWith(beginning))
const count = (name: string, pattern: RegExp) => running.get(name)?.output().match(pattern)?.length ?? 0

/** Compares places of trades. */
function isAfter(id: string, fence: string): boolean {
  const [[block = 0, log = 0] = [], [fenceBlock = 0, fenceLog = 0] = []] = [id, fence].map(place => place.split('-').map(Number))
  return block > fenceBlock || (block === fenceBlock && log > fenceLog)
}

/** The trades that the reader of a program's output holds, who drops what the program calls void. A trade that comes twice is there twice. */
function held(name: string): readonly string[] {
  let lines: string[] = []
  for (const line of running.get(name)?.output().split('\n') ?? []) {
    const [id = '', amount = ''] = line.replace(/ (buy|sell|bought) /, ' ').split(' ')
    const [, fromBlock] = /^void from block (\d+)$/.exec(line) ?? []
    if (fromBlock !== undefined) lines = lines.filter(one => Number(one.split('-')[0]) < Number(fromBlock))
    else if (line.endsWith(' is void')) lines = lines.filter(one => one.split(' ')[0] !== id)
    else if (/^\d+-\d+$/.test(id)) lines.push(`${id} ${amount}`)
  }
  return lines
}

/** The close of the newest bar that the chart feed has told. */
function lastClose(): number | undefined {
  const { setData, update } = JSON.parse(last('chart feed', '{') ?? '{}') as { setData?: { close: number }[]; update?: { close: number } }
  return (update ?? setData?.at(-1))?.close
}
