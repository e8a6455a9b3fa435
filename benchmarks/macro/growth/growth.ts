import { fork } from 'node:child_process'
import { once } from 'node:events'
import { sql } from 'kysely'
import pino from 'pino'
import { createOrm } from '#store/connection/orm.ts'
import { readRecentBlocks } from '#store/rows/cursor.ts'
import { type CommitPlan, type CommitTimes, timeCommits } from './commitCost.ts'
import { growthFolder, openGrowthDatabase } from './growthDatabase.ts'
import type { GrowthRpcPlan } from './growthRpcProcess.ts'
import { startGrowthService } from './growthService.ts'
import { type HotTokenTimes, type InTurns, timeHotToken, timeSubscriptions } from './hotToken.ts'
import { type RouteTimes, takeLoad } from './load.ts'
import type { GrowthPart } from './parts.ts'
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
  /** How often a token with many trades is measured in turns with one that has few. */
  readonly hotTurns: number
  readonly parts: readonly GrowthPart[]
}

/** About six minutes on an existing database. Two requests at a time, which two cores can serve beside the clients. */
export const SHORT_GROWTH: Omit<GrowthSettings, 'scale' | 'young' | 'parts'> = {
  requests: 20_000,
  concurrency: 2,
  blockEveryMs: 1_000,
  tradesPerBlock: 10,
  commits: { blocks: 60, batches: 6, blocksPerBatch: 60 },
  hotTurns: 200,
}

export type GrowthTableSizes = Readonly<Record<string, { readonly rows: number; readonly bytes: number; readonly indexBytes: number }>>

export interface RequestTimes {
  /** While blocks are committed, without answers of megabytes. */
  readonly usual: readonly RouteTimes[]
  /** One answer in forty has megabytes. */
  readonly withBulk: readonly RouteTimes[]
  readonly withoutBlocks: readonly RouteTimes[]
}

export interface GrowthResult {
  readonly settings: GrowthSettings
  readonly tables: GrowthTableSizes
  /** `null`: not asked for. */
  readonly requests: RequestTimes | null
  readonly hotToken: (HotTokenTimes & { readonly subscriptionMs: InTurns }) | null
  readonly commits: { readonly large: CommitTimes; readonly young: CommitTimes } | null
}

const TRADED_TOKENS = 200
const WARM_UPS = 2

/** Measures the service over a large database: requests while blocks arrive, then commits compared with a database with less history. */
export async function growth(settings: GrowthSettings, print: (text: string) => void): Promise<GrowthResult> {
  const { scale, parts } = settings
  const server = await openGrowthDatabase({ scale, processes: 2, print })
  try {
    const tables = await readSizes(server.url)
    print('reading the tables into memory')
    await warmCache(growthFolder({ scale }))
    const requests = parts.includes('requests') ? await measureRequests(server.url, settings, print) : null
    const hotToken = parts.includes('hot token') ? await measureHotToken(server.url, settings) : null
    const commits = parts.includes('commits') ? await compareCommits(server.url, settings, print) : null
    return { settings, tables, requests, hotToken, commits }
  } finally {
    await server.stop()
  }
}

async function compareCommits(
  databaseUrl: string,
  settings: GrowthSettings,
  print: (text: string) => void,
): Promise<GrowthResult['commits']> {
  const large = await measureCommits(databaseUrl, settings, settings.scale)
  const younger = await openGrowthDatabase({ scale: settings.young, processes: 2, print })
  try {
    return { large, young: await measureCommits(younger.url, settings, settings.young) }
  } finally {
    await younger.stop()
  }
}

function measureCommits(databaseUrl: string, { commits, tradesPerBlock }: GrowthSettings, scale: GrowthScale): Promise<CommitTimes> {
  return timeCommits(databaseUrl, { ...commits, scale, tokens: tradedTokens(scale, TRADED_TOKENS), tradesPerBlock })
}

async function measureRequests(databaseUrl: string, settings: GrowthSettings, print: (text: string) => void): Promise<RequestTimes> {
  const { scale, requests, concurrency } = settings
  return withService(databaseUrl, settings, async ({ url, stopBlocks }) => {
    const pass = (name: string, { bulk = false } = {}) => {
      print(`requests: ${name}`)
      return takeLoad({ url, scale, seed: 1, requests, concurrency, bulk })
    }
    // Passes that fill the server's buffers and compile the code. The depth of requests into lists differs in every pass.
    for (let warmUp = 1; warmUp <= WARM_UPS; warmUp++) await pass(`pass ${warmUp} of ${WARM_UPS} that are not counted`, { bulk: true })
    const usual = await pass('while blocks are committed')
    const withBulk = await pass('beside answers of megabytes', { bulk: true })
    stopBlocks()
    return { usual, withBulk, withoutBlocks: await pass('without blocks') }
  })
}

async function measureHotToken(databaseUrl: string, settings: GrowthSettings): Promise<GrowthResult['hotToken']> {
  const { scale, tradesPerBlock, hotTurns: turns } = settings
  const subscriptionMs = await withService(databaseUrl, settings, ({ url, stopBlocks }) => {
    stopBlocks()
    return timeSubscriptions(url, { scale, turns })
  })
  return { ...(await timeHotToken(databaseUrl, { scale, turns, tradesPerBlock })), subscriptionMs }
}

interface ServiceWithBlocks {
  readonly url: string
  /** No more blocks come after the newest. */
  stopBlocks(): void
}

/** `npm start`, with blocks that a process of its own provides. */
async function withService<T>(databaseUrl: string, settings: GrowthSettings, work: (service: ServiceWithBlocks) => Promise<T>): Promise<T> {
  const { scale, blockEveryMs, tradesPerBlock } = settings
  const plan = { scale: scale.name, from: await newestBlock(databaseUrl), tokens: TRADED_TOKENS, tradesPerBlock, everyMs: blockEveryMs }
  const rpc = fork(new URL('./growthRpcProcess.ts', import.meta.url), [JSON.stringify(plan satisfies GrowthRpcPlan)])
  try {
    const [rpcUrl] = (await once(rpc, 'message')) as [string]
    const service = await startGrowthService(databaseUrl, rpcUrl)
    try {
      return await work({ url: service.url, stopBlocks: () => void rpc.send('stop') })
    } finally {
      await service.stop()
    }
  } finally {
    rpc.disconnect()
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
