import { hash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { createTokenwire, TokenwireError } from '#client/index.ts'
import type { createLive } from '#client/live.ts'
import { RealtimeFixture } from '#test/gateway/realtime/startRealtime.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { type PackedClient, packClient, tool } from './packedClient.ts'

/** Of each entry, as the documents promise. */
async function maxGzippedBytes(): Promise<readonly (readonly [entry: string, bytes: number])[]> {
  const rows = (await readFile('docs/client.md', 'utf8')).matchAll(/^\| `tokenwire\/client(?:\/(\w+))?` .*< ([\d.]+) KB \|$/gm)
  return Array.from(rows, ([, entry = 'index', kilobytes]) => [entry, Number(kilobytes) * 1_024])
}

let packed: PackedClient
beforeAll(async () => {
  packed = await packClient()
})
afterAll(() => packed.remove())

const script = (name: string) => readFile(path.join(packed.package, name), 'utf8')

describe('the package', () => {
  it('is small and imports nothing', async () => {
    const client = await script('index.js')
    const tooLarge: string[] = []
    const bounds = await maxGzippedBytes()
    const scripts = (await readdir(packed.package)).filter(name => name.endsWith('.js')).map(name => path.basename(name, '.js'))
    expect(bounds.map(([entry]) => entry).toSorted()).toEqual(scripts.toSorted())
    for (const [entry, most] of bounds) {
      const { length } = gzipSync(await script(`${entry}.js`), { level: 9 })
      if (length > most) tooLarge.push(`${entry}: ${length}`)
    }
    expect(tooLarge).toEqual([])
    const imports = (text: string) =>
      Array.from(text.matchAll(/\bfrom\s*["'`]([^"'`]+)["'`]|\bimport\s*\(?\s*["'`]([^"'`]+)/g), match => match[1] ?? match[2])
    for (const entry of ['index', 'live', 'format', 'operator', 'candles']) expect(imports(await script(`${entry}.js`))).toEqual([])
    expect(imports(await script('rxjs.js'))).toEqual(['rxjs'])
    expect(imports(await script('react.js'))).toEqual(['react'])
    expect(client).not.toMatch(/\b(?:process|Buffer|require|setImmediate)\b/)
  })

  it('has no type of the server', async () => {
    const types = await readdir(path.join(packed.package, 'types'), { recursive: true })
    const files = types.filter(name => name.endsWith('.d.ts')).map(name => name.split(path.sep).join('/'))
    expect(files.filter(name => !/^(?:client|domain|protocol)\//.test(name))).toEqual([])
    const ofServer: string[] = []
    for (const name of files) {
      const text = await readFile(path.join(packed.package, 'types', name), 'utf8')
      if (
        /\b(?:interface Reads|CommittedBlock|TokenSnapshot|RecentTrades|DatabaseCause|IndexerState|Buffer|NodeJS|pino|zod)\b|from ['"]node:/.test(
          text,
        )
      )
        ofServer.push(name)
    }
    expect(ofServer).toEqual([])
  })

  it('contains its entries and no dependencies of the server', async () => {
    const files = (await readdir(packed.package, { recursive: true, withFileTypes: true }))
      .filter(entry => entry.isFile())
      .map(({ name }) => name)
    expect(files).toEqual(expect.arrayContaining(['package.json', 'README.md', 'LICENSE', 'index.js', 'index.d.ts']))
    const manifest = JSON.parse(await script('package.json')) as Record<string, unknown>
    expect(manifest['dependencies']).toBeUndefined()
    // The repository's package.json has the same entries, in dist/client.
    const { exports } = JSON.parse(await readFile('package.json', 'utf8')) as { exports: object }
    expect(JSON.parse(JSON.stringify(exports).replaceAll('./dist/client/', './'))).toEqual(manifest['exports'])
  })

  it('passes publint and attw', async () => {
    const [{ messages }, types] = await Promise.all([
      publint({ pkgDir: packed.package, pack: false, strict: true }),
      tool('@arethetypeswrong/cli/dist/index.js', [packed.tarball, '--format', 'ascii', '--no-color'], packed.project),
    ])
    expect(messages).toEqual([])
    // Seven entries in all resolution modes.
    expect(types.match(/^ *(?:node10|node16 \(from CJS\)|node16 \(from ESM\)|bundler): 🟢/gm)).toHaveLength(28)
  })

  // React Native's URL has no parts and its signals have no reason and take no options; others lack more.
  it('needs no more of the platform than the guide names', async () => {
    const guide = await readFile('docs/guides/front-ends.md', 'utf8')
    const [, named = ''] = /^The client uses these of the platform: (.*?)\. A$/ms.exec(guide) ?? []
    const names = Array.from(named.matchAll(/`(\w+)`/g), ([, name = '']) => name)
    const context = createContext(Object.fromEntries(names.map(name => [name, BARE[name as keyof typeof BARE]])))
    const load = async <Module>(name: string): Promise<Module> => {
      const text = await script(`client/${name}.js`)
      const module = { exports: {} }
      ;(runInContext(`(function (module, exports) {${text}\n})`, context) as (...given: object[]) => void)(module, module.exports)
      return module.exports as Module
    }
    const client = await load<{ createTokenwire: typeof createTokenwire; TokenwireError: typeof TokenwireError }>('index')
    const live = await load<{ createLive: typeof createLive }>('live')
    const fixture = await RealtimeFixture.start({ apiKeys: [{ name: 'page', sha256: hash('sha256', 'known') }] })
    const { url } = fixture.gateway
    const TOKEN = addressOf(1)
    fixture.show(fixture.store(TOKEN, 1))
    const keyed = client.createTokenwire({ url, apiKey: 'unknown' })
    expect(await keyed.token(TOKEN)).toMatchObject({ ok: false, error: { code: 'rejected' } })
    for (const options of [{ url }, { url, WebSocket: Blocked as never }]) {
      const tokenwire = client.createTokenwire(options)
      expect(await tokenwire.search('a\ud800 b,&c=%')).toMatchObject({ ok: true })
      const ending = new BareAbortController()
      const aborted = tokenwire.token(TOKEN, { signal: ending.signal })
      ending.abort()
      expect(await aborted).toMatchObject({ ok: false, error: { code: 'aborted' } })
      const refused = await live
        .createLive(tokenwire)
        .list({ limit: 0 })
        .next()
        .catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(client.TokenwireError)
      expect((await tokenwire.watch(TOKEN).next()).value?.token.address).toBe(TOKEN)
      expect((await live.createLive(tokenwire).list({ limit: 5 }).next()).value).toMatchObject({ data: [{ address: TOKEN }] })
      tokenwire.close()
    }
    await fixture.stop()
  })

  it('has types that compile with and without those of Node and browsers', async () => {
    // The examples' tsconfig has the types of Node and not those of browsers.
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

/** Its signal has what React Native's has. */
class BareAbortController {
  readonly signal: {
    aborted: boolean
    addEventListener(type: 'abort', run: () => void): void
    removeEventListener(type: 'abort', run: () => void): void
  }
  readonly #listeners = new Set<() => void>()

  constructor() {
    this.signal = {
      aborted: false,
      addEventListener: (_, run) => void this.#listeners.add(run),
      removeEventListener: (_, run) => void this.#listeners.delete(run),
    }
  }

  abort(): void {
    this.signal.aborted = true
    for (const run of this.#listeners) run()
  }
}

/** As where a proxy refuses WebSockets. */
class Blocked {
  constructor() {
    throw new Error('refused')
  }
}

/** Answers without a body that can be read in parts. */
async function bareFetch(url: string, { headers, signal }: { headers: Record<string, string>; signal: BareAbortController['signal'] }) {
  const aborter = new AbortController()
  signal.addEventListener('abort', () => aborter.abort())
  const response = await fetch(url, { headers, signal: aborter.signal })
  return { status: response.status, headers: { get: (name: string) => response.headers.get(name) }, text: () => response.text() }
}

/** What the guide may name. */
const BARE = {
  fetch: bareFetch,
  AbortController: BareAbortController,
  setTimeout,
  clearTimeout,
  performance: { now: () => performance.now() },
  console: { error: () => {} },
  WebSocket,
}

/** Code that uses every entry. Its type errors have to be found. */
const USES = `
import {
  createTokenwire, items, TokenwireError, unwrap,
  type CandleValue, type HolderDistribution, type Launchpad, type MarketTradesQuery, type Token, type WatchedToken,
} from 'tokenwire/client'
import { fillCandles, foldCandleChange } from 'tokenwire/client/candles'
import { formatPrice, fromUnits, toUnits } from 'tokenwire/client/format'
import { createLive, type LiveEvent, type TradesEvent } from 'tokenwire/client/live'
import { operatorCalls } from 'tokenwire/client/operator'
import { useCandles, useLaunches, useList, useToken, useTrades } from 'tokenwire/client/react'
import { observe } from 'tokenwire/client/rxjs'

const tokenwire = createTokenwire({ url: '/', fetch, WebSocket, onError: error => void (error instanceof TokenwireError && error.code) })
export async function run(): Promise<readonly Token[]> {
  const result = await tokenwire.tokens({ sort: 'marketCap', order: 'desc' })
  if (!result.ok) return result.error.code === 'not_found' ? [] : []
  for await (const trade of items(at => tokenwire.trades('0x', at))) trade.side satisfies 'buy' | 'sell'
  for await (const state of tokenwire.watch('0x')) state satisfies WatchedToken
  const large: MarketTradesQuery = { minWeth: '1', launchpad: 'wow' }
  await tokenwire.marketTrades(large)
  const of: CandleValue = 'marketCap'
  await tokenwire.candles('0x', { of })
  unwrap(await tokenwire.launchpads()).data[0] satisfies Launchpad | undefined
  unwrap(await tokenwire.distribution('0x')) satisfies HolderDistribution
  unwrap(await operatorCalls(tokenwire).actors({}, { operatorToken: 'x' })).data[0]?.state satisfies string | undefined
  const price: string | null = unwrap(await tokenwire.token('0x')).market.priceWeth
  void price
  // @ts-expect-error An unknown sort.
  await tokenwire.tokens({ sort: 'beauty' })
  // @ts-expect-error A price can be null.
  result.value.data[0]!.market.priceWeth.length
  return result.value.data
}
const live = createLive(tokenwire)
export async function follow() {
  for await (const event of live.trades({ minWeth: '1' }, { after: '1-1', reorgs: 0 })) {
    event satisfies LiveEvent<TradesEvent>
    if (event.type === 'trades') event.data[0]?.side satisfies 'buy' | 'sell' | undefined
  }
  for await (const event of live.launches()) if (event.type === 'launches') event.data.map(token => token.symbol)
  const { close } = live.list({ sort: 'trending' }, ({ data }) => data.map(row => row.priceWeth))
  close()
  // @ts-expect-error A list has no cursor.
  live.list({ cursor: 'x' })
  const candles = fillCandles(foldCandleChange([], { from: 0, data: [] }), '1m')
  return [candles.length, formatPrice(null), fromUnits('1', 18), toUnits('1', 18)]
}
export const lists = observe(live.list, { sort: 'volume24h' }).subscribe(({ data }) => data[0]?.address)
export const Market = () =>
  [useList(live, { limit: 5 }).data?.data, useTrades(live).data, useCandles(live, { token: '0x' }).data?.candles].map(list => list?.length)
export const Price = ({ address }: { address: string }) => useToken(tokenwire, address).data?.token.market.priceWeth ?? null
export const Launches = () => useLaunches(live, { launchpad: 'wow', limit: 5 }).data?.data[0]?.symbol ?? null
export const prices = observe(tokenwire.watch, '0x').subscribe(state => state.token.address)
`
