import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from '#benchmarks/harness/worker.ts'
import { type DatabaseServer, startDatabaseServer } from '#benchmarks/service/databaseServer.ts'
import { type Indexing, type Surroundings, startTokenwire } from './arms.ts'
import type { ChainSettings } from './chainPlan.ts'
import { assertSameRows, peerRows, type RowFigures, tokenwireRows } from './compareRows.ts'
import type { FloorCalls } from './floorCalls.ts'
import { installPeer, type Peer } from './installPeers.ts'
import { startEnvio, startPonder, startSqd } from './peers.ts'
import { openRecording, type Recording } from './recording.ts'
import { probeRest } from './restProbe.ts'
import type { ChainContents, SourceCalls } from './sourceCalls.ts'
import type { SourceCounts } from './sourceServer.ts'

/** `tokenwire-read`: with a client that requests pages. */
export type ContestantName = 'floor' | 'tokenwire' | 'tokenwire-read' | Peer

export interface BackfillSettings {
  readonly chain: ChainSettings
  readonly latenciesMs: readonly number[]
  /** The contestants and latencies; turns are in this order. */
  readonly contestants: readonly { readonly name: ContestantName; readonly latenciesMs: readonly number[] }[]
  /** Turns per contestant and latency. */
  readonly rounds: number
  readonly limits: { readonly maxBlocks: number; readonly maxLogs: number }
}

export interface BackfillTurn {
  readonly contestant: ContestantName
  readonly latencyMs: number
  /** From the start of the process until the last block is indexed. */
  readonly ms: number
  readonly cpuMs: number | null
  readonly peakRssMiB: number | null
  readonly databaseCpuMs: number
  readonly source: SourceCounts & { readonly cpuMs: number }
  readonly rest: { readonly requests: number; readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number } | null
}

export interface BackfillResult {
  readonly settings: BackfillSettings
  readonly contents: Omit<ChainContents, 'addresses'> & {
    readonly blocks: number
    readonly transactions: number
    readonly addresses: number
  }
  readonly turns: readonly BackfillTurn[]
}

/** Some hours of a busy launchpad. Generated once, in about five minutes. */
const FULL_CHAIN: ChainSettings = { seed: 1, tokens: 500, trades: 100_000, wallets: 1_000, blocks: 3_000, secondsPerBlock: 12 }

const LIMITS = { maxBlocks: 2_000, maxLogs: 10_000 }

/** The concurrency of Tokenwire's own requests. */
const CONCURRENCY = 4
const HEADERS_PER_REQUEST = 100
const LONG_MS = 600_000
const WRITTEN_ATTEMPTS = 50
const WRITTEN_POLL_MS = 100

interface Course {
  readonly settings: BackfillSettings
  readonly recording: Recording
  readonly source: Worker<SourceCalls>
  readonly rpcUrl: string
  readonly contents: ChainContents
  readonly database: DatabaseServer
  readonly print: (text: string) => void
}

/**
 * Indexes one chain with each contestant in turn: a new process and an empty database every time, the same source and the same PostgreSQL.
 *
 * @param cache the folder of the chain; default: the repository's cache
 * @throws `Error` when two contestants have different rows, or one of them ends early
 */
export async function backfill(settings: BackfillSettings, print: (text: string) => void, cache?: URL): Promise<BackfillResult> {
  for (const peer of Object.keys(PEERS) as Peer[]) {
    if (settings.contestants.some(({ name }) => name === peer)) await installPeer(peer, print)
  }
  const recording = await openRecording(settings.chain, print, cache)
  const source = Worker.start<SourceCalls>(new URL('./sourceProcess.ts', import.meta.url))
  const database = await startDatabaseServer()
  try {
    const { url: rpcUrl, contents } = await source.call('open', recording.folder.href, LONG_MS)
    const course: Course = { settings, recording, source, rpcUrl, contents, database, print }
    const turns: BackfillTurn[] = []
    const rows: { readonly name: ContestantName; readonly rows: RowFigures }[] = []
    for (let round = 0; round < settings.rounds; round++) {
      for (const latencyMs of settings.latenciesMs) {
        for (const { name, latenciesMs } of settings.contestants) {
          if (!latenciesMs.includes(latencyMs)) continue
          await source.call('behave', { latencyMs, ...settings.limits })
          await source.call('takeCounts', null)
          const { turn, figures } = await TURNS[name](course, latencyMs)
          if (figures !== null) {
            if (figures.trades !== contents.trades)
              throw new Error(`${name} has ${figures.trades} trades, and the chain ${contents.trades}`)
            for (const other of rows) assertSameRows({ name, rows: figures }, other)
            rows.push({ name, rows: figures })
          }
          turns.push(turn)
          print(`  ${name} at ${latencyMs} ms: ${(turn.ms / 1_000).toFixed(1)} s`)
        }
      }
    }
    const { head, transactions } = recording.summary
    return { settings, contents: { ...contents, addresses: contents.addresses.length, blocks: head + 1, transactions }, turns }
  } finally {
    await source.stop()
    await database.stop()
  }
}

type Turned = { readonly turn: BackfillTurn; readonly figures: RowFigures | null }

const TOKENWIRE = { name: 'tokenwire', start: startTokenwire, rows: tokenwireRows } as const

const PEERS: Readonly<Record<Peer, (surroundings: Surroundings) => Promise<Indexing>>> = {
  ponder: startPonder,
  envio: startEnvio,
  sqd: startSqd,
}

const TURNS: Readonly<Record<ContestantName, (course: Course, latencyMs: number) => Promise<Turned>>> = {
  floor: takeFloorTurn,
  tokenwire: (course, latencyMs) => takeIndexingTurn(course, { ...TOKENWIRE, latencyMs, page: null }),
  'tokenwire-read': (course, latencyMs) =>
    takeIndexingTurn(course, { ...TOKENWIRE, name: 'tokenwire-read', latencyMs, page: '/api/tokens' }),
  ponder: takePeerTurn('ponder'),
  envio: takePeerTurn('envio'),
  sqd: takePeerTurn('sqd'),
}

function takePeerTurn(peer: Peer): (course: Course, latencyMs: number) => Promise<Turned> {
  return (course, latencyMs) => takeIndexingTurn(course, { name: peer, latencyMs, start: PEERS[peer], rows: peerRows(peer), page: null })
}

async function takeFloorTurn({ source, rpcUrl, contents, recording, database, settings }: Course, latencyMs: number): Promise<Turned> {
  const ranges = await source.call('ranges', { addresses: contents.addresses, ...settings.limits })
  await source.call('takeCounts', null)
  const databaseBeforeMs = await database.cpuMs()
  const begunAtMs = performance.now()
  const floor = Worker.start<FloorCalls>(new URL('./floorProcess.ts', import.meta.url))
  try {
    const plan = { url: rpcUrl, addresses: contents.addresses, ranges, concurrency: CONCURRENCY, headersPerRequest: HEADERS_PER_REQUEST }
    const fetched = await floor.call('fetchAll', plan, LONG_MS)
    const ms = performance.now() - begunAtMs
    if (fetched.logs !== contents.logs)
      throw new Error(`the floor fetched ${fetched.logs} logs of block 0 to ${recording.summary.head}, not ${contents.logs}`)
    const counts = await source.call('takeCounts', null)
    const databaseCpuMs = (await database.cpuMs()) - databaseBeforeMs
    const usage = await floor.call('usage', null)
    return { turn: { contestant: 'floor', latencyMs, ms, ...usage, databaseCpuMs, source: counts, rest: null }, figures: null }
  } finally {
    await floor.stop()
  }
}

interface IndexingTurn {
  readonly name: ContestantName
  readonly latencyMs: number
  readonly start: (surroundings: Surroundings) => Promise<Indexing>
  readonly rows: (databaseUrl: string) => Promise<RowFigures>
  /** Requested during the whole run. */
  readonly page: string | null
}

/** Peers report a block shortly before they have written all of its rows: waits for them outside the measured time. */
async function writtenRows(read: () => Promise<RowFigures>, trades: number): Promise<RowFigures> {
  for (let attempt = 0; attempt < WRITTEN_ATTEMPTS; attempt++) {
    const figures = await read()
    if (figures.trades === trades) return figures
    await pause(WRITTEN_POLL_MS)
  }
  return read()
}

async function takeIndexingTurn(
  { source, rpcUrl, recording, contents, database }: Course,
  { name, latencyMs, start, rows, page }: IndexingTurn,
): Promise<Turned> {
  const databaseUrl = await database.create(name)
  try {
    const databaseBeforeMs = await database.cpuMs()
    const indexing = await start({ rpcUrl, databaseUrl, deployment: recording.summary.deployment })
    try {
      const probe = page === null ? null : probeRest(`${indexing.url}${page}`)
      await indexing.indexed(recording.summary.head)
      const ms = performance.now() - indexing.contestant.startedAtMs
      const rest = (await probe?.end()) ?? null
      const usage = await indexing.contestant.usage()
      const counts = await source.call('takeCounts', null)
      const databaseCpuMs = (await database.cpuMs()) - databaseBeforeMs
      const { cpuMs = null, peakRssMiB = null } = usage ?? {}
      return {
        turn: { contestant: name, latencyMs, ms, cpuMs, peakRssMiB, databaseCpuMs, source: counts, rest },
        figures: await writtenRows(() => rows(databaseUrl), contents.trades),
      }
    } finally {
      await indexing.stop()
    }
  } finally {
    await database.drop(name)
  }
}

const ALL_LATENCIES = [0, 50]

/** A tenth of the chain, one turn each: shows large changes. */
export const SHORT_BACKFILL: BackfillSettings = {
  chain: { seed: 1, tokens: 50, trades: 10_000, wallets: 400, blocks: 600, secondsPerBlock: 12 },
  latenciesMs: ALL_LATENCIES,
  contestants: [
    { name: 'floor', latenciesMs: ALL_LATENCIES },
    { name: 'tokenwire', latenciesMs: ALL_LATENCIES },
    { name: 'tokenwire-read', latenciesMs: [0] },
    { name: 'ponder', latenciesMs: [0] },
    { name: 'envio', latenciesMs: [0] },
    { name: 'sqd', latenciesMs: [0] },
  ],
  rounds: 1,
  limits: LIMITS,
}

export const FULL_BACKFILL: BackfillSettings = {
  chain: FULL_CHAIN,
  latenciesMs: ALL_LATENCIES,
  contestants: [
    { name: 'floor', latenciesMs: ALL_LATENCIES },
    { name: 'tokenwire', latenciesMs: ALL_LATENCIES },
    { name: 'tokenwire-read', latenciesMs: ALL_LATENCIES },
    { name: 'ponder', latenciesMs: ALL_LATENCIES },
    { name: 'envio', latenciesMs: ALL_LATENCIES },
    { name: 'sqd', latenciesMs: ALL_LATENCIES },
  ],
  rounds: 1,
  limits: LIMITS,
}
