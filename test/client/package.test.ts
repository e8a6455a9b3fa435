import { spawn } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Browser, chromium, type Page } from 'playwright-core'
import { publint } from 'publint'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#test/gateway/startRealtime.ts'
import { findBrowser } from '#test/support/findBrowser.ts'
import { POLL_LIMIT_MS } from '#test/support/limits.ts'
import { addressOf, tradeOf } from '#test/support/snapshots.ts'
import { ClientFixture } from './clientFixture.ts'
import { type PackedClient, packClient, tool } from './packedClient.ts'

const MAX_GZIPPED_BYTES = 10_000

const A = addressOf(1)

let packed: PackedClient
beforeAll(async () => {
  packed = await packClient()
})
afterAll(() => packed.remove())

const script = (name: string) => readFile(path.join(packed.package, name), 'utf8')

describe('the package', () => {
  it('is small, its validation included, and imports nothing', async () => {
    const client = await script('index.js')
    expect(gzipSync(client, { level: 9 }).length).toBeLessThan(MAX_GZIPPED_BYTES)
    const imports = (text: string) =>
      Array.from(text.matchAll(/\bfrom\s*["'`]([^"'`]+)["'`]|\bimport\s*\(?\s*["'`]([^"'`]+)/g), match => match[1] ?? match[2])
    expect(imports(client)).toEqual([])
    expect(imports(await script('rxjs.js'))).toEqual(['rxjs'])
    expect(imports(await script('react.js'))).toEqual(['react'])
    expect(client).not.toMatch(/\b(?:process|Buffer|require|setImmediate)\b/)
  })

  it('holds what is needed, and nothing of the server', async () => {
    const files = (await readdir(packed.package, { recursive: true, withFileTypes: true }))
      .filter(entry => entry.isFile())
      .map(({ name }) => name)
    expect(files).toEqual(expect.arrayContaining(['package.json', 'README.md', 'LICENSE', 'index.js', 'index.d.ts']))
    const manifest = JSON.parse(await script('package.json')) as Record<string, unknown>
    expect(manifest['dependencies']).toBeUndefined()
    // Of the repository's own package.json: the same entries, from its folder for built things.
    const { exports } = JSON.parse(await readFile('package.json', 'utf8')) as { exports: object }
    expect(JSON.parse(JSON.stringify(exports).replaceAll('./dist/client/', './'))).toEqual(manifest['exports'])
  })

  it('is published as publint and attw ask for', async () => {
    const [{ messages }, types] = await Promise.all([
      publint({ pkgDir: packed.package, pack: false, strict: true }),
      tool(
        '@arethetypeswrong/cli/dist/index.js',
        [packed.tarball, '--profile', 'esm-only', '--format', 'ascii', '--no-color'],
        packed.project,
      ),
    ])
    expect(messages).toEqual([])
    // Two ways of resolving that matter for three entries; the others belong to CommonJS and to old tools.
    expect(types.match(/^ *(?:node16 \(from ESM\)|bundler): 🟢/gm)).toHaveLength(6)
  })

  it('has types that stand alone, with and without those of Node and browsers', async () => {
    // The project of the examples has Node's types and none of a browser's.
    await writeFile(path.join(packed.project, 'uses.ts'), USES)
    const compilerOptions = {
      target: 'es2023',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2023', 'dom'],
      types: [],
      strict: true,
      noEmit: true,
    }
    await writeFile(path.join(packed.project, 'tsconfig.browser.json'), JSON.stringify({ compilerOptions, files: ['uses.ts'] }))
    const tsc = (file: string) => tool('typescript/bin/tsc', ['-p', file], packed.project)
    expect(await Promise.all(['tsconfig.browser.json', 'tsconfig.json'].map(tsc))).toEqual(['', ''])
  })
})

/** A project's code that touches every entry; wrong types in it must not compile either. */
const USES = `
import { createTokenwire, items, TokenwireError, unwrap, type Token, type WatchedToken } from 'tokenwire/client'
import { useToken } from 'tokenwire/client/react'
import { watchToken } from 'tokenwire/client/rxjs'

const tokenwire = createTokenwire({ url: '/', fetch, WebSocket, onError: error => void (error instanceof TokenwireError && error.code) })
export async function run(): Promise<readonly Token[]> {
  const result = await tokenwire.tokens({ sort: 'marketCap', order: 'desc' })
  if (!result.ok) return result.error.code === 'not_found' ? [] : []
  for await (const trade of items(at => tokenwire.trades('0x', at))) trade.side satisfies 'buy' | 'sell'
  for await (const state of tokenwire.updates('0x')) state satisfies WatchedToken
  const price: string | null = unwrap(await tokenwire.token('0x')).market.priceWeth
  void price
  // @ts-expect-error There is no such sort.
  await tokenwire.tokens({ sort: 'beauty' })
  // @ts-expect-error A price may be unknown.
  result.value.data[0]!.market.priceWeth.length
  return result.value.data
}
export const Price = ({ address }: { address: string }) => useToken(tokenwire, address)?.token.market.priceWeth ?? null
export const prices = watchToken(tokenwire, '0x').subscribe(state => state.token.address)
`

/** In strict mode, where React mounts everything twice. */
const COMPONENT = `
import { createElement, StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { createTokenwire } from 'tokenwire/client'
import { useConnectionState, useToken } from 'tokenwire/client/react'

const client = createTokenwire({ url: location.hash.slice(1) })
function Sequence() {
  const state = useToken(client, '${A}')
  return createElement('p', null, (state === null ? 'waiting' : state.sequence) + ' ' + useConnectionState(client))
}
function App() {
  const [isShown, setShown] = useState(true)
  return createElement('button', { onClick: () => setShown(false) }, isShown ? createElement(Sequence) : 'nothing')
}
createRoot(document.getElementById('app')).render(createElement(StrictMode, null, createElement(App)))
`

describe('the examples', () => {
  let fixture: ClientFixture
  beforeAll(async () => {
    fixture = await ClientFixture.start({ maxConnectionsPerIp: 100 })
    fixture.store(A, 10, { symbol: '<b>ALP', name: '<img src=x onerror=alert(1)>' })
  })
  afterAll(() => fixture.stop())

  /** Runs an example; `said` waits for a line that it prints. */
  function start(file: string, ...args: readonly string[]) {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file, ...args], { cwd: packed.project })
    let output = ''
    const looks = new Set<() => void>()
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', chunk => {
        output += String(chunk)
        for (const look of looks) look()
      })
    }
    const ended = new Promise<number | null>(resolve => child.once('close', code => resolve(code)))
    return {
      child,
      ended,
      said: (pattern: RegExp) =>
        new Promise<string>((resolve, reject) => {
          const look = () => {
            const [found] = pattern.exec(output) ?? []
            if (found !== undefined) resolve(found)
          }
          looks.add(look)
          look()
          void ended.then(code => reject(new Error(`it ended with ${code} and said:\n${output}`)))
        }),
    }
  }

  it('the lines of the manual do what it says', async () => {
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

  it('a bot keeps a price table, and ends when it is told to', async () => {
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
      browser = await chromium.launch({ executablePath: executable ?? '', args: ['--no-sandbox'] })
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

    it('a page lists tokens, goes on live, falls back and comes back', async () => {
      const served = start('browser/serve.ts', '0')
      try {
        const { page, mistakes } = await open(`${await served.said(/http\S+/)}/?service=${encodeURIComponent(fixture.proxy.url)}`)
        await page.getByText('live', { exact: true }).waitFor()
        await page.getByRole('cell', { name: '<b>ALP' }).waitFor()
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
        // The page may not wait for the next try when the network says that it is back.
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

    it('a component follows a token while it is mounted', async () => {
      fixture.commit(A, 25)
      await writeFile(path.join(packed.project, 'app.js'), COMPONENT)
      const built = await build({
        root: packed.project,
        configFile: false,
        logLevel: 'error',
        define: { 'process.env.NODE_ENV': '"development"' },
        build: { write: false, minify: false, lib: { entry: 'app.js', formats: ['es'] } },
      })
      const [{ output }] = built as unknown as [{ output: [{ code: string }] }]
      const server = createServer((request, response) => {
        const isScript = request.url === '/app.js'
        response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
        response.end(
          isScript ? output[0].code : '<link rel="icon" href="data:,"><div id="app"></div><script type="module" src="/app.js"></script>',
        )
      })
      await new Promise<void>(resolve => {
        server.listen(0, resolve)
      })
      try {
        const { port } = server.address() as AddressInfo
        const { page, mistakes } = await open(`http://localhost:${port}/#${fixture.proxy.url}`)
        await page.getByText('25 live').waitFor()
        fixture.commit(A, 26)
        await page.getByText('26 live').waitFor()
        const subscriptions = () => fixture.service.realtime.health().subscriptions
        expect(subscriptions()).toBe(1)
        await page.getByRole('button').click()
        await page.getByText('nothing').waitFor()
        await eventually(() => subscriptions() === 0)
        expect(mistakes).toEqual([])
        await page.close()
      } finally {
        server.close()
      }
    })

    it('a page that a server rendered says what is known without scripts, and goes on live with them', async () => {
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
