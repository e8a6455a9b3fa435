import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Trade } from '#resources/trades.ts'
import { SdkClient } from '#test/endToEnd/sdkClient.ts'
import { certificate } from '#test/support/certificate.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { launchToken, type TradedToken } from '#test/support/launchToken.ts'
import { type Composition, PROGRAMS, startComposition } from './composition.ts'
import { drawPanels } from './drawPanels.ts'

/* Everything that compose.yaml starts, started. Clients come through the proxy, and the process that indexes is killed. */

const CLIENTS = 6

/** `npm run pictures:dashboard`: for so many seconds the chain goes on, stands still and is replaced, then `dist/dashboard.svg` is drawn. */
const DRAWN_SECONDS = Number(process.env['DRAWN_SECONDS'] ?? '0')

/** What is empty while nothing is wrong, or without keys, replicas and metadata. */
const MAY_BE_EMPTY = /== 0$|replica|tokenwire_key|skipped_logs|refused|eth_usd_age|metadata/

describe.runIf(Object.values(PROGRAMS).every(program => program !== null))('the composition', () => {
  const trusted = getCACertificates('default')
  let chain: TestChain
  let composition: Composition
  let alpha: TradedToken
  let clients: readonly SdkClient[] = []

  beforeAll(async () => {
    setDefaultCACertificates([...trusted, certificate])
    const database = await useDatabase({ migrated: false })
    chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 3_600 })
    alpha = await launchToken(chain)
    await alpha.buy()
    composition = await startComposition(chain, database.url)
    clients = Array.from({ length: CLIENTS }, () => new SdkClient(composition.proxyUrl, alpha.token))
    for (const client of clients) await eventually(() => client.isWatching)
  })
  afterAll(async () => {
    await composition?.stop()
    setDefaultCACertificates(trusted)
  })

  const up = async () => {
    const { result } = await composition.prometheus<{ result: readonly { value: readonly [number, string] }[] }>('query?query=up')
    return result.map(({ value: [, isUp] }) => isUp).toSorted()
  }

  test('keeps its clients connected and misses nothing when the process that indexes is killed', async () => {
    await eventually(async () => expect(await up()).toEqual(['1', '1', '1', '1']), { interval: 100 })
    for (let block = 0; block < 3; block++) await alpha.buy()
    await composition.kill('indexer')
    for (let block = 0; block < 3; block++) await alpha.buy()
    const path = `${composition.proxyUrl}/api/tokens/${alpha.token}/trades?order=asc`
    const ids = async () => ((await (await fetch(path)).json()) as { data: readonly Trade[] }).data.map(({ id }) => id).slice(1)
    await eventually(async () => expect(await ids()).toHaveLength(6), { interval: 50 })
    const since = await ids()
    for (const client of clients) {
      await eventually(() => client.holds(since.at(-1) ?? ''))
      expect([client.closes, client.gaps]).toEqual([[], []])
      expect(client.eventsOfChannel).toEqual(since)
    }
    await eventually(async () => expect(await up()).toEqual(['0', '1', '1', '1']), { interval: 100 })
  })

  const readPanels = async () =>
    (JSON.parse(await readFile('deploy/watching/dashboard.json', 'utf8')) as { readonly panels: readonly Panel[] }).panels

  test('every panel of the dashboard has data', async () => {
    for (const { targets } of await readPanels()) {
      for (const { expr } of targets) {
        if (MAY_BE_EMPTY.test(expr)) continue
        await eventually(async () => {
          const answer = await composition.prometheus<{ result: readonly unknown[] }>(`query?query=${encodeURIComponent(expr)}`)
          expect([expr, answer.result.length > 0]).toEqual([expr, true])
        })
      }
    }
  })

  test.runIf(DRAWN_SECONDS > 0)('draws the panels', { timeout: 3_600_000 }, async () => {
    const startedAt = Date.now() / 1_000
    for (let second = 0; second < DRAWN_SECONDS; second++) {
      // The chain stands still in the second quarter, and is replaced twice in the third.
      if (second < DRAWN_SECONDS / 4 || second > DRAWN_SECONDS / 2) await alpha.buy()
      if ([0.6, 0.7].some(part => second === Math.round(part * DRAWN_SECONDS))) await chain.reorg(2)
      if (second === Math.round(0.8 * DRAWN_SECONDS)) await composition.kill('gateway-1')
      await Promise.all(['tokens', 'trades', 'nothing'].map(path => fetch(`${composition.proxyUrl}/api/${path}`)))
      await pause(1_000)
    }
    const range = `start=${startedAt}&end=${Date.now() / 1_000}&step=1`
    const panels = await readPanels()
    const drawn = panels.map(async ({ title, targets, fieldConfig }) => {
      const answers = targets.map(async ({ expr, legendFormat }) => {
        const path = `query_range?query=${encodeURIComponent(expr)}&${range}`
        const { result } = await composition.prometheus<{ result: readonly Series[] }>(path)
        return result.map(({ metric, values }) => {
          const labels = Object.entries(metric).map(([name, value]) => `${name}=${value}`)
          const legend = legendFormat?.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => metric[name] ?? '')
          return { name: legend ?? (labels.join(' ') || expr), points: values.map(([time, value]) => [time, Number(value)] as const) }
        })
      })
      return { title, unit: fieldConfig.defaults.unit ?? 'none', series: (await Promise.all(answers)).flat() }
    })
    const picture = drawPanels(await Promise.all(drawn))
    await writeFile('dist/dashboard.svg', picture)
    expect(picture).not.toContain('NaN')
  })
})

interface Panel {
  readonly title: string
  readonly targets: readonly { readonly expr: string; readonly legendFormat?: string }[]
  readonly fieldConfig: { readonly defaults: { readonly unit?: string } }
}

interface Series {
  readonly metric: Readonly<Record<string, string>>
  readonly values: readonly (readonly [seconds: number, value: string])[]
}
