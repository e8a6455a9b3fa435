import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { ChainSource } from '#chain/chainSource.ts'
import { createLogTest } from '#chain/logs/gatherLogs.ts'
import { filtersOf, type LogRangeQuery } from '#chain/logs/logRanges.ts'
import { orderLogs } from '#chain/logs/parseLogs.ts'
import type { Hex } from '#domain/address.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'
import { setNewest } from '#domain/maps.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import { TRANSFER_TOPIC } from '#launchpads/maker.ts'
import { V4_TOPICS } from '#launchpads/pools/uniswapV4.ts'
import { faultOf } from '#rpc/rpcFault.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import {
  beginKeptRun,
  insertKeptRange,
  type KeptRange,
  type KeptRun,
  type LogsOfBlocks,
  type LogsOfRun,
  readKeptLogs,
  readKeptRuns,
} from '#store/keptLogs.ts'
import type { FetchedRange, RangeSource, WatchedParts } from '#sync/prefetch.ts'

/*
 * The logs of a range of final blocks are kept together, for the launchpads that the index followed. A range that is read from kept logs
 * has to have all of them: those of every launchpad, and of every address and pool id that is watched by then. Otherwise providers are
 * asked for the whole range, and it is kept once more.
 */

/** A launchpad as its logs are kept: two indexes with the same text ask for the same logs of its contracts, tokens and pools. */
export function keptLaunchpad({ contracts, quotePool, decodedTopics }: LaunchpadAdapter): string {
  const asked = [contracts, quotePool?.key, [...decodedTopics], TRANSFER_TOPIC, V4_TOPICS]
  return createHash('sha256').update(JSON.stringify(asked)).digest('base64')
}

export interface KeptSourceOptions {
  readonly source: Pick<ChainSource, 'header' | 'headers' | 'logsInRange' | 'blockWithLogs'>
  /** The databases with kept logs, in the order in which they are looked into. */
  readonly databases: readonly Queryable[]
  /** As `keptLaunchpad`: what the index follows. */
  readonly launchpads: readonly string[]
  /** Whether only logs that were held against receipts may be used. */
  readonly needsProof: boolean
  /** `null`: nothing is kept. */
  readonly writer: KeptWriter | null
}

/** A run that is still of the chain, with its database. */
interface UsableRun extends KeptRun {
  readonly db: Queryable
}

/** A range holds up to 40,000 logs, some 30 MiB. */
const BODIES_HELD = 4

/** Takes ranges from kept logs where these have everything, and else from providers, whose logs are then kept. */
export function createKeptSource(options: KeptSourceOptions): RangeSource & Pick<ChainSource, 'blockWithLogs'> {
  const { source, launchpads, writer } = options
  const bodies = new Map<KeptRange, Promise<LogsOfBlocks>>()
  let opened: Promise<readonly UsableRun[]> | null = null

  const open = (): Promise<readonly UsableRun[]> => {
    // A failed attempt is repeated with the range that wanted it.
    opened ??= readUsableRuns(options).catch((error: unknown) => {
      opened = null
      throw error
    })
    return opened
  }

  const bodyOf = (run: UsableRun, range: KeptRange): Promise<LogsOfBlocks> => {
    const body = bodies.get(range) ?? readKeptLogs(run.db, run.id, range.from)
    setNewest(bodies, range, body, BODIES_HELD)
    body.catch(() => bodies.delete(range))
    return body
  }

  /** `null`: not all of the logs are kept. */
  const readLogs = async (query: LogRangeQuery, since: ReadonlyMap<Hex, number>): Promise<readonly ChainLog[] | null> => {
    const { from, to } = query
    const runs = runsFor(launchpads, (await open()).filter(covers(from, to)))
    if (runs === null || !haveKeys(runs, query, since)) return null
    const tests = filtersOf(query).map(createLogTest)
    const isWanted = (log: ChainLog) => log.blockNumber >= from && log.blockNumber <= to && tests.some(test => test(log))
    const found: (readonly ChainLog[])[] = []
    for (const run of runs) {
      for (const range of run.ranges) {
        if (range.to >= from && range.from <= to) found.push((await bodyOf(run, range)).logs.filter(isWanted))
      }
    }
    return orderLogs(found.flat())
  }

  return {
    blockWithLogs: source.blockWithLogs,
    headers: async numbers => {
      const found = new Map<number, BlockHeader>()
      for (const run of await open()) {
        for (const range of run.ranges) {
          const isWithin = numbers.some(number => number >= range.from && number <= range.to && !found.has(number))
          for (const header of isWithin ? (await bodyOf(run, range)).headers : []) found.set(header.number, header)
        }
      }
      const missing = numbers.filter(number => !found.has(number))
      if (missing.length > 0) for (const header of await source.headers(missing)) found.set(header.number, header)
      return numbers.flatMap(number => found.get(number) ?? [])
    },
    endOfRange: async (from, to, maxLogs) => endOfRange(await open(), from, to, maxLogs),
    logsInRange: async (query, since) => {
      const logs = await readLogs(query, since)
      return logs === null ? source.logsInRange(query) : { logs, to: query.to, isKept: true }
    },
    fetched: async range => {
      if (!range.isKept) await writer?.keep(range, launchpads)
    },
  }
}

async function readUsableRuns({ source, databases, needsProof }: KeptSourceOptions): Promise<readonly UsableRun[]> {
  const usable: UsableRun[] = []
  for (const db of databases) {
    for (const run of await readKeptRuns(db)) {
      const ranges = needsProof && !run.isProven ? [] : await onChain(source, run)
      if (ranges.length > 0) usable.push({ ...run, ranges, db })
    }
  }
  return usable
}

/** The ranges of a run up to the last one that ends with a block of the chain. Each range follows the one before it by its hash. */
async function onChain(source: Pick<ChainSource, 'header'>, { ranges }: KeptRun): Promise<readonly KeptRange[]> {
  let [known, unknown] = [0, ranges.length]
  // The last one first: most often it is on the chain, and then all are.
  for (let next = unknown; known < unknown; next = Math.ceil((known + unknown) / 2)) {
    const range = ranges[next - 1]
    if (range !== undefined && (await isOnChain(source, range))) known = next
    else unknown = next - 1
  }
  return ranges.slice(0, known)
}

async function isOnChain(source: Pick<ChainSource, 'header'>, { to, hash }: KeptRange): Promise<boolean> {
  try {
    return (await source.header(to)).hash === hash
  } catch (error) {
    // The chain may be shorter.
    if (faultOf(error)?.kind !== 'missing') throw error
    return false
  }
}

function covers(from: number, to: number) {
  return ({ ranges }: KeptRun) => (ranges[0]?.from ?? to) <= from && (ranges.at(-1)?.to ?? from) >= to
}

/** Runs that together have all of the launchpads; `null`: there are none. */
function runsFor(launchpads: readonly string[], runs: readonly UsableRun[]): readonly UsableRun[] | null {
  const chosen: UsableRun[] = []
  const isMissing = (one: string) => !chosen.some(run => run.launchpads.includes(one))
  for (const run of runs) if (launchpads.some(one => isMissing(one) && run.launchpads.includes(one))) chosen.push(run)
  return launchpads.some(isMissing) ? null : chosen
}

/** Whether the runs have the logs of every address and pool id that the query asks for: an adapter may find more than it did once. */
function haveKeys(runs: readonly KeptRun[], query: LogRangeQuery, since: ReadonlyMap<Hex, number>): boolean {
  const { from, to } = query
  for (const key of keysOf(query)) {
    const first = Math.max(from, since.get(key) ?? from)
    if (first <= to && !runs.some(({ keys }) => (keys.get(key) ?? Number.POSITIVE_INFINITY) <= first)) return false
  }
  return true
}

/** The addresses and pool ids whose logs are asked for. Of a contract's last list of topics, the long one, the entries are pool ids. */
function* keysOf({ addresses, filtered = [] }: WatchedParts): Iterable<Hex> {
  yield* addresses
  for (const { address, topics } of filtered) {
    const last = topics.at(-1) ?? null
    if (last === null || Array.isArray(last)) yield address
    else yield* last
  }
}

/**
 * Ends a range with a kept one, or before the next one, so that neither is cut. Past `maxLogs` of kept logs no further kept range is begun.
 */
function endOfRange(runs: readonly KeptRun[], from: number, most: number, maxLogs: number): number {
  const within = runs.filter(covers(from, from))
  if (within.length === 0)
    return Math.min(most, ...runs.flatMap(({ ranges: [first] }) => (first && first.from > from ? first.from - 1 : [])))
  const to = Math.min(most, ...within.map(({ ranges }) => ranges.at(-1)?.to ?? most))
  let end = to
  let logs = 0
  for (const range of within.flatMap(({ ranges }) => ranges).toSorted((a, b) => a.to - b.to)) {
    if (range.to < from || range.to > to) continue
    logs += range.logs
    if (logs > maxLogs && end !== to) break
    end = range.to
  }
  return end
}

export interface KeptWriterOptions {
  readonly db: Queryable
  /** Whether the logs were held against the receipts of their blocks. */
  readonly isProven: boolean
  readonly logger: Logger
}

export interface KeptWriter {
  /** Returns when the range before it is written. A range that can't be written is missing, and asked for again when it is needed. */
  keep(range: FetchedRange, launchpads: readonly string[]): Promise<void>
  /** The newest block up to which logs of these launchpads are kept; `null`: none are. */
  endOf(launchpads: readonly string[]): Promise<number | null>
  /** Resolves when everything is written. */
  settled(): Promise<void>
}

/** The run that the next range of the same launchpads may continue. */
interface OpenRun {
  readonly id: number
  /** `null`: it has no range yet. */
  readonly end: Pick<BlockHeader, 'number' | 'hash'> | null
  readonly keys: Map<Hex, number>
}

export function createKeptWriter({ db, isProven, logger }: KeptWriterOptions): KeptWriter {
  let runs: Map<string, OpenRun> | null = null
  let writing: Promise<void> = Promise.resolve()

  const openRun = async (launchpads: readonly string[]): Promise<OpenRun | undefined> => {
    runs ??= await readOpenRuns(db)
    return runs.get(nameOf({ launchpads, isProven }))
  }

  const write = async (range: FetchedRange, launchpads: readonly string[]): Promise<void> => {
    const { first, last, logs } = range
    const keys = keysOfRange(range)
    const begin = async (): Promise<OpenRun> => ({ id: await beginKeptRun(db, { launchpads, isProven }), end: null, keys: new Map() })
    const open = await openRun(launchpads)
    for (let run = open !== undefined && continues(open, first, keys) ? open : await begin(); ; run = await begin()) {
      const added = [...keys].filter(([key]) => !run.keys.has(key))
      // Otherwise another index of this database has continued the run.
      if (!(await insertKeptRange(db, { ...range, run: run.id, keys: added }))) continue
      for (const [key, from] of added) run.keys.set(key, from)
      runs?.set(nameOf({ launchpads, isProven }), { ...run, end: last })
      logger.debug({ from: first.number, to: last.number, logs: logs.length }, 'kept logs')
      return
    }
  }

  return {
    keep: async (range, launchpads) => {
      const before = writing
      writing = before
        .then(() => write(range, launchpads))
        .catch((err: unknown) => {
          runs = null
          const blocks = { from: range.first.number, to: range.last.number }
          logger.warn({ err, ...blocks }, 'logs could not be kept; a rebuild will ask providers for them')
        })
      await before
    },
    endOf: async launchpads => {
      await writing
      return (await openRun(launchpads))?.end?.number ?? null
    },
    settled: () => writing,
  }
}

/** The addresses and pool ids whose logs a range has, each with the first block from which on it has them. */
function keysOfRange({ first, last, watched, announced }: FetchedRange): ReadonlyMap<Hex, number> {
  const keys = new Map<Hex, number>()
  for (const key of keysOf(watched)) keys.set(key, first.number)
  for (const [key, block] of announced) if (block <= last.number) keys.set(key, block)
  return keys
}

/** Whether a range goes on where the run ends, and has every key of it from its first block on. */
function continues({ end, keys: known }: OpenRun, first: BlockHeader, keys: ReadonlyMap<Hex, number>): boolean {
  if (end?.number !== first.number - 1 || end.hash !== first.parentHash) return false
  for (const key of known.keys()) if ((keys.get(key) ?? Number.POSITIVE_INFINITY) > first.number) return false
  return true
}

/** The newest run of each list of launchpads. */
async function readOpenRuns(db: Queryable): Promise<Map<string, OpenRun>> {
  const open = new Map<string, OpenRun>()
  for (const { id, ranges, keys, ...logs } of await readKeptRuns(db)) {
    const last = ranges.at(-1)
    if (last !== undefined) open.set(nameOf(logs), { id, end: { number: last.to, hash: last.hash }, keys: new Map(keys) })
  }
  return open
}

function nameOf({ launchpads, isProven }: LogsOfRun): string {
  return [...launchpads.toSorted(), isProven].join()
}
