import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { RangeLimit } from './rangeLimit.ts'
import { afterAnsweredRange, afterRefusedRange, type RangeSize, UNLIMITED_RANGE } from './rangeSize.ts'
import { parseHeader } from './rawBlock.ts'
import { parseLogs } from './rawLogs.ts'
import type { Rpc, RpcProvider } from './rpc.ts'
import { blockByNumber, logsOfAddresses, type Topics } from './rpcCalls.ts'
import { faultOf, RpcError } from './rpcFault.ts'

export interface LogRangeQuery {
  readonly from: number
  /** Inclusive. */
  readonly to: number
  /** A block at or after `to`: every answer must come from a provider on whose chain it is. */
  readonly end: { readonly number: number; readonly hash: Hex }
  readonly addresses: readonly Address[]
  /** Contracts that are not among `addresses` and whose logs matter only as far as their topics fit. */
  readonly filtered?: readonly FilteredAddress[]
  /** No more is fetched once this many logs are there, so that a busy stretch can't fill the memory. */
  readonly maxLogs: number
}

/** Of one contract's logs those whose topics fit. */
export interface FilteredAddress {
  readonly address: Address
  /** One position at most holds a long list, which is asked for in parts. */
  readonly topics: Topics
}

export interface LogRange {
  /** Ascending by (block, log index), each once. */
  readonly logs: readonly ChainLog[]
  /** The last block whose logs are all there: the query's `to`, or an earlier one when `maxLogs` was reached. */
  readonly to: number
}

export interface LogRanges {
  /** @throws `RpcError` */
  fetch(query: LogRangeQuery): Promise<LogRange>
  /** How many blocks the provider is asked for at once now, as learned from what it refused. */
  blocksAtOnce(provider: string): number
}

/** geth refuses more, addresses as well as topics of one position. */
const MOST_ADDRESSES = 1_000
/** So many pieces in a row that time out are cut smaller; after that it is the provider that hangs, and whoever asked shall know. */
const TIMEOUTS_IN_A_ROW = 2

/** One query being answered. */
interface Run {
  readonly query: LogRangeQuery
  timeoutsInARow: number
}

interface Piece {
  readonly from: number
  readonly to: number
  readonly addresses: readonly Address[]
  readonly topics?: Topics
}

type PieceOutcome =
  | { readonly kind: 'logs'; readonly logs: readonly ChainLog[] }
  | { readonly kind: 'too-large'; readonly provider: string; readonly error: unknown }

/**
 * Logs per answer to aim for, below what providers refuse: an answer is parsed in one go, and so much of it is 10 ms in which nothing else happens.
 */
const LOGS_PER_ANSWER = 2_000
/** The density of the chain that was learned fades by so much with every answer that shows less. */
const DENSITY_KEPT = 0.8

/** What was learned of one provider. */
interface Limits {
  readonly size: RangeSize
  readonly addresses: number
}

const NO_LIMITS: Limits = { size: UNLIMITED_RANGE, addresses: MOST_ADDRESSES }

export function createLogRanges({ rpc, concurrency }: { rpc: Pick<Rpc, 'ask' | 'preferred'>; concurrency: number }): LogRanges {
  const limits = new Map<string, Limits>()
  const limitsOf = (provider: string) => limits.get(provider) ?? NO_LIMITS
  /** Logs per block in the fullest of the last answers. */
  let density = 0
  const noteDensity = ({ from, to }: Piece, logs: number) => {
    density = Math.max(logs / (to - from + 1), density * DENSITY_KEPT)
  }
  /** What the provider allows, and no more blocks than fill an answer. */
  const sizeNow = (provider: string): Limits => {
    const { size, addresses } = limitsOf(provider)
    const fitting = density === 0 ? size.blocks : Math.ceil(LOGS_PER_ANSWER / density)
    return { addresses, size: { ...size, blocks: Math.max(1, Math.min(size.blocks, fitting)) } }
  }

  const askPiece = async (piece: Piece, run: Run): Promise<PieceOutcome> => {
    let provider = ''
    const question = async (one: RpcProvider): Promise<PieceOutcome> => {
      provider = one.name
      try {
        const logs = await fetchPiece(one, piece, run.query)
        noteDensity(piece, logs.length)
        const { size, addresses } = limitsOf(provider)
        limits.set(provider, { addresses, size: afterAnsweredRange(size, piece.to - piece.from + 1) })
        return { kind: 'logs', logs }
      } catch (error) {
        const fault = faultOf(error)
        if (fault?.kind === 'too-large') limits.set(provider, afterRefusal(limitsOf(provider), piece, fault.limit))
        if (fault?.kind === 'timeout') limits.set(provider, afterRefusal(limitsOf(provider), piece, { kind: 'density' }))
        throw error
      }
    }
    try {
      const outcome = await rpc.ask(question)
      run.timeoutsInARow = 0
      return outcome
    } catch (error) {
      const fault = faultOf(error)
      const smaller = fault?.kind === 'too-large' || (fault?.kind === 'timeout' && ++run.timeoutsInARow <= TIMEOUTS_IN_A_ROW)
      if (!smaller) throw error
      return { kind: 'too-large', provider, error }
    }
  }

  const fetchSplitting = async (piece: Piece, run: Run): Promise<readonly ChainLog[]> => {
    const outcome = await askPiece(piece, run)
    if (outcome.kind === 'logs') return outcome.logs
    const { size, addresses } = limitsOf(outcome.provider)
    const parts = split(piece, size.blocks, addresses)
    if (parts.length === 1) throw outcome.error
    const found: (readonly ChainLog[])[] = []
    for (const part of parts) found.push(await fetchSplitting(part, run))
    return found.flat()
  }

  return {
    blocksAtOnce: provider => limitsOf(provider).size.blocks,
    fetch: async query => {
      if (query.addresses.length === 0 && (query.filtered ?? []).length === 0) return { logs: [], to: query.to }
      const run: Run = { query, timeoutsInARow: 0 }
      const plan = createPlan(query, () => sizeNow(rpc.preferred()))
      const found: (readonly ChainLog[])[] = []
      let count = 0
      let failed = false
      const work = async () => {
        for (let piece = plan.next(false); piece !== null && !failed; piece = plan.next(count > query.maxLogs)) {
          try {
            const logs = await fetchSplitting(piece, run)
            found.push(logs)
            count += logs.length
          } catch (error) {
            failed = true
            throw error
          }
        }
      }
      const outcomes = await Promise.allSettled(Array.from({ length: concurrency }, work))
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
      return { logs: inOrder(found.flat()), to: plan.reached() }
    },
  }
}

async function fetchPiece(provider: RpcProvider, { from, to, addresses, topics }: Piece, { end }: LogRangeQuery): Promise<ChainLog[]> {
  // Together with the range's end, by which the provider shows that it has the range at all and on the same chain:
  // asked for blocks that it does not have yet, it would answer with what it has, and nobody could tell.
  const [rawLogs, rawEnd] = await provider.calls([logsOfAddresses(from, to, addresses, topics), blockByNumber(end.number)])
  const { hash } = parseHeader(rawEnd, `block ${end.number}`)
  if (hash !== end.hash) throw new RpcError({ kind: 'inconsistent', what: `another block ${end.number}` })
  const wanted = new Set(addresses)
  const logs = parseLogs(rawLogs)
  const fits = topics?.map(some => (some === null ? null : new Set(some))) ?? []
  for (const { address, blockNumber, topics: actual } of logs) {
    if (blockNumber < from || blockNumber > to)
      throw new RpcError({ kind: 'inconsistent', what: `a log of block ${blockNumber} in ${from}-${to}` })
    if (!wanted.has(address)) throw new RpcError({ kind: 'inconsistent', what: 'a log of an address that was not asked for' })
    if (fits.some((some, index) => some !== null && !some.has(actual[index] ?? '0x')))
      throw new RpcError({ kind: 'inconsistent', what: 'a log of topics that were not asked for' })
  }
  return logs
}

function afterRefusal(known: Limits, piece: Piece, limit: RangeLimit): Limits {
  if (limit.kind !== 'addresses') return { ...known, size: afterRefusedRange(known.size, piece.to - piece.from + 1, limit) }
  const asked = widthOf(piece)
  const fewer = limit.max !== null && limit.max < asked ? limit.max : Math.ceil(asked / 2)
  return { ...known, addresses: Math.max(1, Math.min(known.addresses, fewer)) }
}

/** How many addresses a piece asks for, or topics of one position: what providers limit alike. */
function widthOf({ addresses, topics = [] }: Piece): number {
  return Math.max(addresses.length, ...topics.map(some => some?.length ?? 0))
}

/** Smaller pieces after a refusal: as the limits now say, or halves by blocks, then by width, when the piece is within them already. */
function split(piece: Piece, blocks: number, most: number): readonly Piece[] {
  const span = piece.to - piece.from + 1
  const width = widthOf(piece)
  if (span > blocks || width > most) return cut(piece, blocks, most)
  return span > 1 ? cut(piece, Math.ceil(span / 2), most) : cut(piece, 1, Math.max(1, Math.ceil(width / 2)))
}

/** Pieces of at most so many blocks and so wide, ascending by block. */
function cut(piece: Piece, blocks: number, most: number): Piece[] {
  const parts: Piece[] = []
  const width = widthOf(piece)
  for (let at = piece.from; at <= piece.to; at += blocks) {
    const range = { from: at, to: Math.min(piece.to, at + blocks - 1) }
    for (let first = 0; first < width; first += most) parts.push({ ...narrowed(piece, first, most), ...range })
  }
  return parts
}

/** The piece with a part of its longest list. */
function narrowed(piece: Piece, first: number, count: number): Piece {
  const { topics, addresses } = piece
  if (topics === undefined) return { ...piece, addresses: addresses.slice(first, first + count) }
  const width = widthOf(piece)
  const longest = topics.findIndex(some => some?.length === width)
  return { ...piece, topics: topics.map((some, index) => (index === longest ? (some?.slice(first, first + count) ?? null) : some)) }
}

interface Plan {
  /** The next piece, or `null`. When `enough` is there, only what was begun is completed: every piece of a stretch of blocks. */
  next(enough: boolean): Piece | null
  /** The last block that the pieces given out cover. */
  reached(): number
}

/** Gives out the pieces of a query in the order of blocks, sized by what the limits are at that moment. */
function createPlan({ from, to, addresses, filtered = [] }: LogRangeQuery, limits: () => Limits): Plan {
  const subjects = [{ addresses: [...new Set(addresses)] }, ...filtered.map(({ address, topics }) => ({ addresses: [address], topics }))]
  let next = from
  let stretch: Piece[] = []
  return {
    next: enough => {
      if (stretch.length === 0 && !enough && next <= to) {
        const { size, addresses: count } = limits()
        const end = Math.min(to, next + size.blocks - 1)
        stretch = subjects.flatMap(subject => cut({ ...subject, from: next, to: end }, size.blocks, count))
        next = end + 1
      }
      return stretch.shift() ?? null
    },
    reached: () => next - 1,
  }
}

/**
 * Sorts by place in the chain.
 *
 * @throws `RpcError` `inconsistent` when a place is taken twice or a block has two hashes: then the answers are of different chains
 */
function inOrder(logs: ChainLog[]): readonly ChainLog[] {
  logs.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
  let before: ChainLog | null = null
  for (const log of logs) {
    if (before?.blockNumber === log.blockNumber) {
      if (before.logIndex === log.logIndex)
        throw new RpcError({ kind: 'inconsistent', what: `log ${log.logIndex} of block ${log.blockNumber} twice` })
      if (before.blockHash !== log.blockHash) throw new RpcError({ kind: 'inconsistent', what: `logs of two blocks ${log.blockNumber}` })
    }
    before = log
  }
  return logs
}
