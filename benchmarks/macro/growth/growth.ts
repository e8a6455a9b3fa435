import { sql } from 'kysely'
import pino from 'pino'
import { median } from '#benchmarks/support/quantile.ts'
import { createOrm } from '#store/connection/orm.ts'
import { readRecentBlocks } from '#store/rows/cursor.ts'
import { type CommitPlan, type CommitTimes, timeCommits } from './commitCost.ts'
import { growthFolder, openGrowthDatabase } from './growthDatabase.ts'
import { startGrowthRpc } from './growthRpc.ts'
import { startGrowthService } from './growthService.ts'
import { type RouteTimes, takeLoad } from './load.ts'
import type { GrowthScale } from './scale.ts'
import { tradedTokens } from './tradedTokens.ts'
import { warmCache } from './warmCache.ts'

export interface GrowthSettings {
  readonly scale: GrowthScale
  /** The database with less history, for the comparison of commits. */
  readonly young: GrowthScale
  readonly requests: number
  readonly concurrency: number
  /** The time between blocks while requests are measured. */
  readonly blockEveryMs: number
  readonly tradesPerBlock: number
  readonly commits: Pick<CommitPlan, 'blocks' | 'batches' | 'blocksPerBatch'>
}

/** About three minutes on an existing database. Two requests at a time, which two cores can serve beside the clients. */
export const SHORT_GROWTH: Omit<GrowthSettings, 'scale' | 'young'> = {
  requests: 4_000,
  concurrency: 2,
  blockEveryMs: 1_000,
  tradesPerBlock: 10,
  commits: { blocks: 60, batches: 6, blocksPerBatch: 60 },
}

export type GrowthTableSizes = Readonly<Record<string, { readonly rows: number; readonly bytes: number; readonly indexBytes: number }>>

export interface GrowthResult {
  readonly settings: GrowthSettings
  readonly tables: GrowthTableSizes
  readonly routes: readonly RouteTimes[]
  readonly commits: { readonly large: CommitTimes; readonly young: CommitTimes; readonly blockRatio: number; readonly batchRatio: number }
}

const TRADED_TOKENS = 200
const WARM_UPS = 2

/** Measures the service over a large database: requests while blocks arrive, then commits compared with a database with less history. */
export async function growth(settings: GrowthSettings, print: (text: string) => void): Promise<GrowthResult> {
  const { scale } = settings
  const server = await openGrowthDatabase({ scale, processes: 2, print })
  try {
    const tables = await readSizes(server.url)
    print('reading the tables into memory')
    await warmCache(growthFolder({ scale }))
    const routes = await measureRequests(server.url, settings)
    const large = await measureCommits(server.url, settings, scale)
    const younger = await openGrowthDatabase({ scale: settings.young, processes: 2, print })
    try {
      const young = await measureCommits(younger.url, settings, settings.young)
      const ratio = (of: 'blocksMs' | 'batchesMs') => median(large[of]) / median(young[of])
      return { settings, tables, routes, commits: { large, young, blockRatio: ratio('blocksMs'), batchRatio: ratio('batchesMs') } }
    } finally {
      await younger.stop()
    }
  } finally {
    await server.stop()
  }
}

function measureCommits(databaseUrl: string, { commits, tradesPerBlock }: GrowthSettings, scale: GrowthScale): Promise<CommitTimes> {
  return timeCommits(databaseUrl, { ...commits, scale, tokens: tradedTokens(scale, TRADED_TOKENS), tradesPerBlock })
}

async function measureRequests(databaseUrl: string, settings: GrowthSettings): Promise<readonly RouteTimes[]> {
  const { scale, requests, concurrency, blockEveryMs, tradesPerBlock } = settings
  const tokens = tradedTokens(scale, TRADED_TOKENS)
  const rpc = await startGrowthRpc({ scale, from: await newestBlock(databaseUrl), tokens, tradesPerBlock, everyMs: blockEveryMs })
  try {
    const service = await startGrowthService(databaseUrl, rpc.url)
    try {
      // Passes that fill the server's buffers and compile the code. The depth of requests into lists differs in every pass.
      for (let pass = 0; pass < WARM_UPS; pass++) await takeLoad({ url: service.url, scale, seed: 1, requests, concurrency })
      return await takeLoad({ url: service.url, scale, seed: 1, requests, concurrency })
    } finally {
      await service.stop()
    }
  } finally {
    await rpc.stop()
  }
}

async function newestBlock(databaseUrl: string): Promise<number> {
  const orm = createOrm(databaseUrl, pino({ level: 'warn' }), { poolSize: 1 })
  try {
    return (await readRecentBlocks(orm.em.getKysely<unknown>(), 1)).at(-1)?.number ?? 0
  } finally {
    await orm.close(true)
  }
}

async function readSizes(databaseUrl: string): Promise<GrowthTableSizes> {
  const orm = createOrm(databaseUrl, pino({ level: 'warn' }), { poolSize: 1, statementTimeoutMs: 0 })
  try {
    const { rows } = await sql<{ name: string; rows: string; bytes: string; index_bytes: string }>`
      select relname as name, reltuples::bigint as rows, pg_table_size(oid) as bytes, pg_indexes_size(oid) as index_bytes
      from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and reltuples > 0 order by 3 desc`.execute(
      orm.em.getKysely(),
    )
    return Object.fromEntries(
      rows.map(row => [row.name, { rows: Number(row.rows), bytes: Number(row.bytes), indexBytes: Number(row.index_bytes) }]),
    )
  } finally {
    await orm.close(true)
  }
}
