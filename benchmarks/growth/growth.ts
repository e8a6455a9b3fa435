import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { thisCheckout } from '#benchmarks/harness/checkout.ts'
import { formatCount, formatMs, textTable } from '#benchmarks/harness/textTable.ts'
import { Worker } from '#benchmarks/harness/worker.ts'
import { withDatabase } from '#benchmarks/service/databaseServer.ts'
import { startMeasuredService } from '#benchmarks/service/measuredService.ts'
import { readRecentBlocks } from '#store/rows/cursor.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'
import type { GrowthChainCalls } from './growthChainProcess.ts'
import { openGrowthDatabase } from './growthDatabase.ts'
import { IDENTITY } from './loadTables.ts'
import { type RouteTimes, takeLoad } from './requestLoad.ts'
import type { GrowthScale } from './scale.ts'

export interface GrowthSettings {
  readonly scale: GrowthScale
  /** Of a pass. */
  readonly requests: number
}

export interface GrowthResult {
  /** While blocks are committed, without answers of megabytes. */
  readonly usual: readonly RouteTimes[]
  /** One answer in forty has megabytes. */
  readonly withBulk: readonly RouteTimes[]
  readonly withoutBlocks: readonly RouteTimes[]
}

/** As many as two cores can serve beside the clients. */
const CONCURRENCY = 2
const BLOCK_EVERY_MS = 1_000
const TRADES_PER_BLOCK = 10
const TRADED_TOKENS = 200
const WARM_UPS = 2

/** Measures every route of the service over a large database, while blocks arrive. */
export async function growth({ scale, requests }: GrowthSettings, print: (text: string) => void): Promise<GrowthResult> {
  const server = await openGrowthDatabase({ scale, processes: 2, print })
  const folder = await makeTemporaryFolder()
  const chain = Worker.start<GrowthChainCalls>(new URL('./growthChainProcess.ts', import.meta.url))
  try {
    print(await tableSizes(server.url))
    const from = await withDatabase(server.url, async db => (await readRecentBlocks(db, 1)).at(-1)?.number ?? 0)
    const plan = { scale: scale.name, from, tokens: TRADED_TOKENS, tradesPerBlock: TRADES_PER_BLOCK, everyMs: BLOCK_EVERY_MS }
    const rpcUrl = await chain.call('open', plan)
    const launchpadsFile = path.join(folder.path, 'launchpads.json')
    const launchpads = IDENTITY.launchpads.map(({ contracts, ...launchpad }) => ({ ...launchpad, ...contracts }))
    await writeFile(launchpadsFile, JSON.stringify({ weth: IDENTITY.weth, launchpads }))
    const settings = {
      RPC_URLS: rpcUrl,
      COINGECKO_URL: rpcUrl,
      COINBASE_URL: rpcUrl,
      LAUNCHPADS_FILE: launchpadsFile,
      DATABASE_URL: server.url,
    }
    const service = await startMeasuredService(thisCheckout().main, folder.path, settings)
    try {
      const pass = (name: string, { bulk = false } = {}) => {
        print(`requests: ${name}`)
        return takeLoad({ url: service.url, scale, seed: 1, requests, concurrency: CONCURRENCY, bulk })
      }
      // They fill the caches and compile the code. How deep requests go into lists differs in every pass.
      for (let warmUp = 1; warmUp <= WARM_UPS; warmUp++) await pass(`pass ${warmUp} of ${WARM_UPS} that are not counted`, { bulk: true })
      const usual = await pass('while blocks are committed')
      const withBulk = await pass('beside answers of megabytes', { bulk: true })
      await chain.call('stopBlocks', null)
      return { usual, withBulk, withoutBlocks: await pass('without blocks') }
    } finally {
      await service.stop()
    }
  } finally {
    await chain.stop()
    await server.stop()
    await folder.remove()
  }
}

function tableSizes(databaseUrl: string): Promise<string> {
  return withDatabase(databaseUrl, async db => {
    const { rows } = await sql<{ name: string; rows: string; bytes: string; index_bytes: string }>`
      select relname as name, reltuples::bigint as rows, pg_table_size(oid) as bytes, pg_indexes_size(oid) as index_bytes
      from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and reltuples > 0 order by 3 desc`.execute(db)
    const gigabytes = (bytes: string) => `${(Number(bytes) / 2 ** 30).toFixed(2)} GB`
    const cells = rows.map(row => [row.name, formatCount(Number(row.rows)), gigabytes(row.bytes), gigabytes(row.index_bytes)])
    return `${textTable(['', 'rows', 'table', 'indexes'], cells)}\n`
  })
}

/** A row for each route. */
export function reportGrowth({ usual, withBulk, withoutBlocks }: GrowthResult): string {
  const cells = (times: readonly RouteTimes[], asked: string) => {
    const found = times.find(({ route }) => route === asked)
    return found === undefined ? ['', ''] : [formatMs(found.p50Ms), formatMs(found.p99Ms)]
  }
  const rows = withBulk.map(({ route, requests }) => [
    route,
    formatCount(requests),
    ...[usual, withBulk, withoutBlocks].flatMap(times => cells(times, route)),
  ])
  const headings = ['', 'requests', 'p50', 'p99', 'beside megabytes: p50', 'p99', 'without blocks: p50', 'p99']
  return `${CONCURRENCY} requests at a time, a block of ${TRADES_PER_BLOCK} trades every second\n\n${textTable(headings, rows)}\n`
}
