import { sql } from 'kysely'
import type { ChainContents, ChainSize } from '#benchmarks/chain/launchpadChain.ts'
import { type Chain, startChain } from '#benchmarks/chain/startChain.ts'
import type { Arm, Benchmark, Figures } from '#benchmarks/harness/benchmark.ts'
import { thisCheckout } from '#benchmarks/harness/checkout.ts'
import { Worker } from '#benchmarks/harness/worker.ts'
import { type DatabaseServer, startDatabaseServer, withDatabase } from '#benchmarks/service/databaseServer.ts'
import { type Settings, startMeasuredService } from '#benchmarks/service/measuredService.ts'
import type { ProcessUsage } from '#benchmarks/service/processUsage.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'
import { assertSameRows, peerRows, type RowFigures, tokenwireRows, writtenRows } from './compareRows.ts'
import type { FloorCalls } from './floorProcess.ts'
import type { Indexer, Surroundings } from './indexer.ts'
import { installPeer, type Peer } from './installPeer.ts'
import { startPeer } from './peers.ts'
import { probeRest, type RestProbe } from './restProbe.ts'

export interface BackfillSettings {
  readonly size: ChainSize
  readonly latenciesMs: readonly number[]
  readonly peers: readonly Peer[]
}

export const SHORT_BACKFILL: BackfillSettings = {
  size: { tokens: 500, trades: 10_000, blocks: 600 },
  latenciesMs: [0],
  peers: ['ponder', 'sqd'],
}

export const FULL_BACKFILL: BackfillSettings = {
  size: { tokens: 500, trades: 100_000, blocks: 3_000 },
  latenciesMs: [0, 50],
  peers: ['ponder', 'sqd'],
}

const FIGURES: Benchmark['figures'] = [
  { name: 'time', unit: 'ms', better: 'less' },
  { name: 'trades', unit: '/s', better: 'more' },
  { name: 'CPU', unit: 'ms', better: 'less' },
  { name: 'database CPU', unit: 'ms', better: 'less' },
  { name: 'peak memory', unit: 'MB', better: 'less' },
  { name: 'page p99', unit: 'ms', better: 'less' },
]
const MAX_BLOCKS = 2_000
/** Well below the provider's limit of logs. */
const LOGS_PER_RANGE = 8_000
const LONG_MS = 600_000

/** One chain and one PostgreSQL for all contestants. Each has a new process and an empty database. */
interface Course {
  readonly chain: Chain
  readonly contents: ChainContents
  readonly database: DatabaseServer
  readonly folder: string
  /** Of those who have finished. */
  readonly rows: { readonly name: string; readonly rows: RowFigures }[]
  /** A database in which Tokenwire has kept the logs of the chain, made at the first call. */
  keptLogs(): Promise<string>
  /** The name of a database with what Ponder has fetched of the chain and nothing of what it has indexed, made at the first call. */
  ponderCache(): Promise<string>
}

type Parts = Omit<Course, 'rows' | 'keptLogs' | 'ponderCache'>

/** Runs work on the benchmarks of a backfill. The peers are installed before. */
export async function withBackfillBenchmarks<T>(
  { size, latenciesMs, peers }: BackfillSettings,
  print: (text: string) => void,
  work: (benchmarks: readonly Benchmark[]) => Promise<T>,
): Promise<T> {
  for (const peer of peers) await installPeer(peer, print)
  const folder = await makeTemporaryFolder()
  const stops: (() => Promise<void>)[] = [folder.remove]
  try {
    const database = await startDatabaseServer()
    stops.push(database.stop)
    const chain = await startChain(size, folder.path)
    stops.push(() => chain.calls.stop())
    const contents = await chain.calls.call('contents', null)
    const parts = { chain, contents, database, folder: folder.path }
    const keptLogs = once(() => keepLogs(parts))
    const ponderCache = once(() => fillPonderCache(parts))
    const course: Course = { ...parts, rows: [], keptLogs, ponderCache }
    return await work(latenciesMs.map(latencyMs => backfill(course, size, latencyMs, peers)))
  } finally {
    for (const stop of stops.toReversed()) await stop()
  }
}

function backfill(course: Course, size: ChainSize, latencyMs: number, peers: readonly Peer[]): Benchmark {
  const main = thisCheckout().main
  const ofTokenwire = (name: string, probe: (url: string) => RestProbe | null, more: () => Promise<Settings> = async () => ({})): Arm => ({
    name,
    measure: async () => {
      const settings = { ...course.chain.settings, ...(await more()) }
      const start = ({ rpcUrl, databaseUrl }: Surroundings) =>
        startMeasuredService(main, course.folder, { ...settings, RPC_URLS: rpcUrl, DATABASE_URL: databaseUrl })
      return measureIndexer(course, { name, start, probe: ({ url }) => probe(url), rows: tokenwireRows }, latencyMs)
    },
  })
  const arms: readonly Arm[] = [
    { name: 'floor', measure: () => measureFloor(course, latencyMs) },
    ofTokenwire('tokenwire', () => null),
    ofTokenwire(
      'tokenwire, keeps logs',
      () => null,
      async () => ({ KEEP_LOGS: 'true' }),
    ),
    ofTokenwire(
      'tokenwire, from kept logs',
      () => null,
      async () => ({ LOGS_FROM: await course.keptLogs() }),
    ),
    ofTokenwire('tokenwire, read', url => probeRest(`${url}/api/tokens`)),
    ...peers.map(name => ({
      name,
      measure: () => measureIndexer(course, contestantOf(name), latencyMs),
    })),
    ...(peers.includes('ponder') ? [ponderFromCache(course, latencyMs)] : []),
  ]
  return {
    name: `backfill, ${latencyMs} ms`,
    about: `${size.trades} trades of ${size.tokens} tokens in ${size.blocks} blocks, ${latencyMs} ms of latency at the provider; from the start of the process until the last block is indexed`,
    arms,
    figures: FIGURES,
  }
}

const contestantOf = (name: Peer): Contestant<Indexer> => ({
  name,
  start: of => startPeer(name, of),
  probe: () => null,
  rows: peerRows(name),
})

/** Ponder begins anew without its tables, and keeps what it has fetched in a schema of its own. */
function ponderFromCache(course: Course, latencyMs: number): Arm {
  const name = 'ponder, from its cache'
  return {
    name,
    measure: async () => measureIndexer(course, { ...contestantOf('ponder'), name, template: await course.ponderCache() }, latencyMs),
  }
}

async function fillPonderCache({ chain, contents, database }: Parts): Promise<string> {
  await chain.calls.call('behave', { latencyMs: 0, maxBlocks: MAX_BLOCKS })
  const name = 'ponder_cache'
  const databaseUrl = await database.create(name)
  const indexer = await startPeer('ponder', { rpcUrl: chain.url, databaseUrl, contents })
  try {
    await indexer.indexed(contents.head)
  } finally {
    await indexer.stop()
  }
  await withDatabase(databaseUrl, db => sql`drop schema ponder cascade`.execute(db))
  return name
}

/** Indexes the chain once, and leaves the logs that this has kept. */
async function keepLogs({ chain, contents, database, folder }: Parts): Promise<string> {
  await chain.calls.call('behave', { latencyMs: 0, maxBlocks: MAX_BLOCKS })
  const databaseUrl = await database.create('kept')
  const settings = { ...chain.settings, RPC_URLS: chain.url, DATABASE_URL: databaseUrl, KEEP_LOGS: 'true' }
  const service = await startMeasuredService(thisCheckout().main, folder, settings)
  try {
    await service.indexed(contents.head)
  } finally {
    await service.stop()
  }
  return databaseUrl
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => (made ??= make())
}

interface Contestant<I extends Indexer> {
  readonly name: string
  /** The database that its own is a copy of. Default: an empty one. */
  readonly template?: string
  start(surroundings: Surroundings): Promise<I>
  /** A client that requests pages meanwhile; `null`: none. */
  probe(indexer: I): RestProbe | null
  rows(databaseUrl: string): Promise<RowFigures>
}

async function measureIndexer<I extends Indexer>(course: Course, contestant: Contestant<I>, latencyMs: number): Promise<Figures> {
  const { chain, contents, database } = course
  await chain.calls.call('behave', { latencyMs, maxBlocks: MAX_BLOCKS })
  const databaseUrl = await database.create('contestant', contestant.template)
  try {
    const databaseBeforeMs = await database.cpuMs()
    const begunAtMs = performance.now()
    const indexer = await contestant.start({ rpcUrl: chain.url, databaseUrl, contents })
    try {
      const probe = contestant.probe(indexer)
      await indexer.indexed(contents.head)
      const time = performance.now() - begunAtMs
      const pages = await probe?.end()
      const usage = await indexer.usage()
      const databaseCpuMs = (await database.cpuMs()) - databaseBeforeMs
      const found = { name: contestant.name, rows: await writtenRows(() => contestant.rows(databaseUrl), tradesOf(course)) }
      for (const other of course.rows) assertSameRows(found, other)
      course.rows.push(found)
      return { ...figuresOf(course, time, usage), 'database CPU': databaseCpuMs, ...(pages && { 'page p99': pages.p99Ms }) }
    } finally {
      await indexer.stop()
    }
  } finally {
    await database.drop('contestant')
  }
}

async function measureFloor(course: Course, latencyMs: number): Promise<Figures> {
  const { chain, contents } = course
  await chain.calls.call('behave', { latencyMs, maxBlocks: MAX_BLOCKS })
  const begunAtMs = performance.now()
  const floor = Worker.start<FloorCalls>(new URL('./floorProcess.ts', import.meta.url))
  try {
    const blocksPerRange = Math.max(1, Math.min(MAX_BLOCKS, Math.floor((LOGS_PER_RANGE * contents.head) / contents.logs)))
    const { logs } = await floor.call('fetchAll', { url: chain.url, head: contents.head, blocksPerRange }, LONG_MS)
    if (logs !== contents.logs) throw new Error(`the floor fetched ${logs} logs of ${contents.logs}`)
    return figuresOf(course, performance.now() - begunAtMs, await floor.call('usage', null))
  } finally {
    await floor.stop()
  }
}

function figuresOf(course: Course, time: number, { cpuMs, peakRssMiB }: ProcessUsage): Figures {
  return { time, trades: (tradesOf(course) / time) * 1_000, CPU: cpuMs, 'peak memory': peakRssMiB }
}

function tradesOf({ contents }: Course): number {
  return contents.trades.reduce((sum, count) => sum + count, 0)
}
