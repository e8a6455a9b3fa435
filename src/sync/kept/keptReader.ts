import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { ChainSource } from '#chain/chainSource.ts'
import type { KeyList } from '#chain/logs/gatherLogs.ts'
import type { FilteredAddress, LogRangeQuery } from '#chain/logs/logRanges.ts'
import type { Address, Hex } from '#domain/address.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'
import type { BlockCalls, CallAnswer } from '#domain/contractCall.ts'
import { setNewest } from '#domain/maps.ts'
import { faultOf } from '#rpc/rpcFault.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { type KeptRange, type KeptRun, readKeptBody, readKeptFacts, readKeptRuns, writeKeptFacts } from '#store/keptLogs/keptTables.ts'
import { type LogsOfBlocks, unpackLogs } from '#store/keptLogs/packLogs.ts'
import type { ChainFacts } from '#sync/committer.ts'

export interface KeptReaderOptions {
  readonly db: Queryable
  /** Shows which of the kept blocks are on the chain. */
  readonly source: Pick<ChainSource, 'header'>
  /** Whether only logs that were held against receipts may be used. */
  readonly needsProof: boolean
}

/** The logs of a database that are kept, and still of the chain. */
export interface KeptReader {
  /** @throws `RpcError`; the database's errors */
  open(): Promise<OpenedKept>
}

export interface OpenedKept {
  readonly ranges: readonly KeptRange[]
  /** The kept part of a piece, and what is missing of it. */
  read(
    piece: LogPiece,
    since: ReadonlyMap<Hex, number>,
  ): Promise<{ readonly logs: readonly ChainLog[]; readonly missing: readonly LogPiece[] }>
  /** The headers of those of the blocks that are kept, by their numbers. */
  headers(numbers: readonly number[]): Promise<ReadonlyMap<number, BlockHeader>>
}

/** A range holds up to 40,000 logs, some 30 MiB. */
const BODIES_HELD = 4

type Body = LogsOfBlocks & { readonly byNumber: ReadonlyMap<number, BlockHeader> }

export function createKeptReader({ db, source, needsProof }: KeptReaderOptions): KeptReader {
  let opened: Promise<OpenedKept> | null = null
  const open = async (): Promise<OpenedKept> => {
    const runs: UsableRun[] = []
    for (const run of await readKeptRuns(db)) {
      const parsed = parseFilterText(run.filter)
      const ranges = needsProof && !parsed.isProven ? [] : await onChain(source, run)
      if (ranges.length > 0) runs.push({ ...run, ranges, parsed })
    }
    return openKept(db, runs)
  }
  return {
    open: () => {
      // A failed attempt is repeated with the range that wanted it.
      opened ??= open().catch((error: unknown) => {
        opened = null
        throw error
      })
      return opened
    },
  }
}

function openKept(db: Queryable, runs: readonly UsableRun[]): OpenedKept {
  const bodies = new Map<string, Promise<Body | null>>()
  const bodyOf = (run: KeptRun, { from }: KeptRange): Promise<Body | null> => {
    const key = `${run.id} ${from}`
    const body = bodies.get(key) ?? readBody(db, run, from)
    setNewest(bodies, key, body, BODIES_HELD)
    body.catch(() => bodies.delete(key))
    return body
  }

  const logsOf = async ({ run, range, filter, keys, from, to }: CoveredPiece): Promise<readonly ChainLog[]> => {
    const body = await bodyOf(run, range)
    if (body === null) throw new TypeError(`the kept logs from block ${range.from} on were removed meanwhile`)
    const isPlain = filter.kind === 'contract' && !filter.grows
    return body.logs.filter(log => {
      if (log.blockNumber < from || log.blockNumber > to) return false
      const key = keyOfLog(filter, log)
      return key !== null && (isPlain || keys.has(key))
    })
  }

  return {
    ranges: runs.flatMap(({ ranges }) => ranges),
    read: async (piece, since) => {
      const { covered, missing } = coverPiece(piece, runs, since)
      const logs: (readonly ChainLog[])[] = []
      for (const part of covered) logs.push(await logsOf(part))
      return { logs: logs.flat(), missing }
    },
    headers: async numbers => {
      const found = new Map<number, BlockHeader>()
      for (const run of runs) {
        for (const range of run.ranges) {
          const within = numbers.filter(number => number >= range.from && number <= range.to && !found.has(number))
          const body = within.length === 0 ? null : await bodyOf(run, range)
          for (const number of within) {
            const header = body?.byNumber.get(number)
            if (header !== undefined) found.set(number, header)
          }
        }
      }
      return found
    },
  }
}

async function readBody(db: Queryable, run: KeptRun, from: number): Promise<Body | null> {
  const packed = await readKeptBody(db, run.id, from)
  if (packed === null) return null
  const body = await unpackLogs(packed)
  return { ...body, byNumber: new Map(body.headers.map(header => [header.number, header])) }
}

/** The ranges of a run up to the last one that ends with a block of the chain. Each range follows the one before it by its hash. */
async function onChain(source: KeptReaderOptions['source'], { ranges }: KeptRun): Promise<readonly KeptRange[]> {
  let [known, unknown] = [0, ranges.length]
  // The last one first: most often it is on the chain, and then all are.
  for (let next = unknown; known < unknown; next = Math.ceil((known + unknown) / 2)) {
    const range = ranges[next - 1]
    if (range !== undefined && (await isOnChain(source, range))) known = next
    else unknown = next - 1
  }
  return ranges.slice(0, known)
}

async function isOnChain(source: KeptReaderOptions['source'], { to, hash }: KeptRange): Promise<boolean> {
  try {
    return (await source.header(to)).hash === hash
  } catch (error) {
    // The chain may be shorter.
    if (faultOf(error)?.kind !== 'missing') throw error
    return false
  }
}

export interface KeptFactsOptions {
  readonly facts: ChainFacts
  /** The databases that may hold a fact, in the order in which they are looked into. */
  readonly databases: readonly Queryable[]
  /** Where new facts are kept; `null`: nowhere. */
  readonly into: Queryable | null
  readonly logger: Logger
}

export interface KeptFacts extends ChainFacts {
  /** Resolves when everything is written. */
  settled(): Promise<void>
}

type Facts = ReadonlyMap<Hex, Hex | null>

/**
 * Senders of transactions, and what contracts answered at the end of a block: kept ones first, then the chain's, which are kept. Their keys
 * are hashes of what they follow from, so a reorg does not change them.
 */
export function createKeptFacts({ facts, databases, into, logger }: KeptFactsOptions): KeptFacts {
  let writing: Promise<void> = Promise.resolve()

  const read = async (keys: readonly Hex[]): Promise<Facts> => {
    const found = new Map<Hex, Hex | null>()
    for (const db of databases) {
      const missing = keys.filter(key => !found.has(key))
      for (const [key, value] of missing.length === 0 ? [] : await readKeptFacts(db, missing)) found.set(key, value)
    }
    return found
  }

  const keep = async (found: Facts): Promise<void> => {
    if (into === null || found.size === 0) return
    await writing
    writing = writeKeptFacts(into, found).catch((err: unknown) => {
      logger.warn({ err }, 'senders and answers of contracts could not be kept; a rebuild will ask providers for them')
    })
  }

  return {
    senders: async transactions => {
      const kept = await read(transactions.map(({ txHash }) => txHash))
      const missing = transactions.filter(({ txHash }) => !kept.has(txHash))
      const fetched = missing.length === 0 ? NO_SENDERS : await facts.senders(missing)
      await keep(fetched)
      return new Map([...(kept as ReadonlyMap<Hex, Address>), ...fetched])
    },
    answers: async blocks => {
      const kept = await read(blocks.flatMap(block => block.calls.map((_, index) => keyOfCall(block, index))))
      const missing = blocks.filter(block => block.calls.some((_, index) => !kept.has(keyOfCall(block, index))))
      const fetched = missing.length === 0 ? NO_ANSWERS : await facts.answers(missing)
      await keep(
        new Map(missing.flatMap(block => (fetched.get(block.hash) ?? []).map((answer, index) => [keyOfCall(block, index), answer]))),
      )
      const answersOf = (block: BlockCalls) =>
        fetched.get(block.hash) ?? block.calls.map((_, index) => kept.get(keyOfCall(block, index)) ?? null)
      return new Map(blocks.map(block => [block.hash, answersOf(block)]))
    },
    settled: () => writing,
  }
}

const NO_SENDERS: ReadonlyMap<Hex, Address> = new Map()
const NO_ANSWERS: ReadonlyMap<Hex, readonly CallAnswer[]> = new Map()

function keyOfCall({ hash, calls }: BlockCalls, index: number): Hex {
  const call = calls[index]
  return `0x${createHash('sha256').update(`${hash} ${call?.to} ${call?.data}`).digest('hex')}`
}

/** The logs of a filter in some blocks, both ends inclusive. */
export interface LogPiece extends KeyedFilter {
  readonly from: number
  readonly to: number
}

/** Logs of a kept range that are wanted: those of the filter and the keys in these blocks. */
interface CoveredPiece extends LogPiece {
  readonly run: KeptRun
  readonly range: KeptRange
}

export interface Coverage {
  readonly covered: readonly CoveredPiece[]
  /** What has to be asked for. Never overlaps with what is covered. */
  readonly missing: readonly LogPiece[]
}

/** A run with its filter as parsed. */
interface UsableRun extends KeptRun {
  readonly parsed: KeptFilter
}

/**
 * What of a piece is kept. Every log that matches the piece is in exactly one of the parts.
 *
 * @param since the first block whose logs matter, for keys that are announced within the blocks
 */
function coverPiece(piece: LogPiece, runs: readonly UsableRun[], since: ReadonlyMap<Hex, number>): Coverage {
  const covered: CoveredPiece[] = []
  let missing: readonly LogPiece[] = [piece]
  for (const run of runs) {
    for (const range of run.ranges) {
      if (range.to < piece.from || range.from > piece.to) continue
      missing = missing.flatMap(part => {
        const cut = cutPiece(part, run, range, since)
        if (cut === null) return [part]
        covered.push(cut.covered)
        return cut.missing
      })
    }
  }
  return { covered, missing }
}

/** `null`: the range has nothing of it. */
function cutPiece(
  piece: LogPiece,
  run: UsableRun,
  range: KeptRange,
  since: ReadonlyMap<Hex, number>,
): { readonly covered: CoveredPiece; readonly missing: readonly LogPiece[] } | null {
  const from = Math.max(piece.from, range.from)
  const to = Math.min(piece.to, range.to)
  const compared = from > to ? null : compareFilters(piece.filter, run.parsed)
  if (compared === null) return null
  const hasKeys = piece.filter.kind === 'addresses' || piece.filter.grows
  const isKept = (key: Hex) => {
    const needed = Math.max(from, since.get(key) ?? from)
    return needed > to || (run.keys.get(key) ?? Number.POSITIVE_INFINITY) <= needed
  }
  const [kept, others] = hasKeys ? partition(piece.keys, isKept) : [piece.keys, NO_KEYS]
  if (hasKeys && kept.size === 0) return null
  const parts: readonly (LogPiece | null)[] = [
    piece.from < from ? { ...piece, to: from - 1 } : null,
    others.size > 0 ? { ...piece, from, to, keys: others } : null,
    compared.lacking === null ? null : { ...piece, from, to, keys: kept, filter: compared.lacking },
    piece.to > to ? { ...piece, from: to + 1 } : null,
  ]
  return {
    covered: { ...piece, from, to, keys: kept, filter: compared.common, run, range },
    missing: parts.filter(part => part !== null),
  }
}

const NO_KEYS: ReadonlySet<Hex> = new Set()

/** The keys that pass and those that do not. `keys` itself is returned where all pass: most often they do. */
function partition(keys: ReadonlySet<Hex>, test: (key: Hex) => boolean): readonly [ReadonlySet<Hex>, ReadonlySet<Hex>] {
  const others = new Set<Hex>()
  for (const key of keys) if (!test(key)) others.add(key)
  if (others.size === 0) return [keys, others]
  return [new Set([...keys].filter(key => !others.has(key))), others]
}

/**
 * A query of logs as a fixed part and the keys that it lists. Kept logs are stored by the fixed part, since the keys become more with every
 * launch. Of `addresses`, the keys are addresses; of a `contract` whose last list of topics grows, they are pool ids in that position.
 */
export type KeptFilter =
  | { readonly kind: 'addresses'; readonly topics: readonly Hex[] }
  | { readonly kind: 'contract'; readonly address: Address; readonly topics: readonly (readonly Hex[] | null)[]; readonly grows: boolean }

interface KeyedFilter {
  readonly filter: KeptFilter
  /** Each once. Empty for a contract without a list that grows. */
  readonly keys: ReadonlySet<Hex>
}

type LogRangeQueryParts = Pick<LogRangeQuery, 'addresses' | 'topics' | 'filtered'>

/** The filters of a query. `null`: it asks for all logs of its addresses, which is never kept. */
export function keyedFilters({ addresses, topics, filtered = [] }: LogRangeQueryParts): readonly KeyedFilter[] | null {
  if (topics === undefined) return null
  const listed = new Set<Hex>(addresses)
  const ofAddresses = listed.size === 0 ? [] : [{ filter: { kind: 'addresses', topics: topics.toSorted() } as const, keys: listed }]
  return [...ofAddresses, ...filtered.map(ofContract)]
}

function ofContract({ address, topics }: FilteredAddress): KeyedFilter {
  const last = topics.at(-1) ?? null
  const grows = last !== null && !Array.isArray(last)
  const fixed = (grows ? topics.slice(0, -1) : topics).map(some => (some === null ? null : [...some].toSorted()))
  return { filter: { kind: 'contract', address, topics: fixed, grows }, keys: new Set<Hex>(grows ? last : []) }
}

/** The part of a query for these logs. */
export function partOf({ filter, keys }: KeyedFilter): LogRangeQueryParts {
  if (filter.kind === 'addresses') return { addresses: keys as ReadonlySet<Address>, topics: filter.topics }
  const topics: readonly (KeyList<Hex> | null)[] = filter.grows ? [...filter.topics, keys] : filter.topics
  return { addresses: [], topics: [], filtered: [{ address: filter.address, topics }] }
}

/** The key by which a log belongs to a filter; `null`: it does not match the fixed part. A contract's logs without a list have `0x`. */
export function keyOfLog(filter: KeptFilter, { address, topics }: ChainLog): Hex | null {
  if (filter.kind === 'addresses') return filter.topics.includes(topics[0] ?? '0x') ? address : null
  const matches = (some: readonly Hex[] | null, position: number) => some === null || some.includes(topics[position] ?? '0x')
  if (address !== filter.address || !filter.topics.every(matches)) return null
  return filter.grows ? (topics[filter.topics.length] ?? '0x') : '0x'
}

/** @param isProven whether the logs were held against the receipts of their blocks */
export function filterText(filter: KeptFilter, isProven: boolean): string {
  return JSON.stringify({ ...filter, isProven })
}

/** What `filterText` wrote. */
function parseFilterText(text: string): KeptFilter & { readonly isProven: boolean } {
  return JSON.parse(text) as KeptFilter & { readonly isProven: boolean }
}

/** What of a filter's fixed part another one has too, and what it lacks; `null`: nothing in common. */
function compareFilters(wanted: KeptFilter, kept: KeptFilter): { readonly common: KeptFilter; readonly lacking: KeptFilter | null } | null {
  if (wanted.kind === 'addresses' && kept.kind === 'addresses') {
    const has = new Set(kept.topics)
    const [common, lacking] = [wanted.topics.filter(topic => has.has(topic)), wanted.topics.filter(topic => !has.has(topic))]
    if (common.length === 0) return null
    return { common: { ...wanted, topics: common }, lacking: lacking.length === 0 ? null : { ...wanted, topics: lacking } }
  }
  const isSame = filterText(wanted, false) === filterText({ ...kept }, false)
  return isSame ? { common: wanted, lacking: null } : null
}
