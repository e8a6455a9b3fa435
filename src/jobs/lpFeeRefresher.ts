import { z } from 'zod'
import { mapBounded } from '#async/turns.ts'
import { type Address, type Hex, toAddress } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import type { LpPositionFees, SimulatedLog, TokenPair } from '#launchpads/pools/lpPositionFees.ts'
import { pairAmounts } from '#launchpads/pools/poolTrade.ts'
import { unlessMalformed } from '#launchpads/words.ts'
import type { RpcProvider } from '#rpc/provider.ts'
import type { Rpc } from '#rpc/rpc.ts'
import { callAt, callAtBlock, simulateAt } from '#rpc/rpcCalls.ts'
import { faultOf, type RpcFault } from '#rpc/rpcFault.ts'
import { lockAsWriter } from '#store/rows/cursor.ts'
import type { StalePosition, UncollectedAmount } from '#store/rows/lpFees.ts'
import { readStalePositions, writeUncollected } from '#store/rows/lpFees.ts'
import { type CommitJob, type CommitJobOptions, type CommitNotice, createJobRuns } from './commitJob.ts'

export interface LpFeeRefresherOptions extends CommitJobOptions {
  readonly adapters: readonly Pick<LaunchpadAdapter, 'launchpad' | 'lpPositions'>[]
  /** The least number of blocks between two reads of a position; 0: it is never read. */
  readonly everyBlocks: number
}

const POSITIONS_PER_RUN = 20
const READS_AT_ONCE = 2
/** The most changed tokens that are kept. With more of them, the tables are searched. */
const MAX_PENDING = 2_000
/** The most `unread` tokens of a commit that are kept. With more of them, as after a backfilled range, the tables are searched. */
const MAX_UNREAD = 500

type Block = Pick<CommitNotice, 'number' | 'hash'>

/** Reads the uncollected fees of the LP positions whose pool has moved, at the newest block, and stores them. */
export function createLpFeeRefresher(options: LpFeeRefresherOptions): CommitJob {
  const { rpc, adapters, db, transaction, writer, everyBlocks, isBehind, logger } = options
  const feesOf = new Map(adapters.flatMap(({ launchpad, lpPositions }) => (lpPositions === undefined ? [] : [[launchpad, lpPositions]])))
  const readLpFees = createLpFeeReader(rpc)
  let pending = new Set<Address>()
  /** Whether `pending` has every token whose position may be stale. It has not after a start, a backfilled range or a reorg. */
  let isComplete = false
  let newest: Block | null = null

  const enqueue = ({ number, tokens, unread }: CommitNotice) => {
    // A reorg has deleted the fees that were read at the undone blocks.
    if (unread.length > MAX_UNREAD || (newest !== null && number <= newest.number)) isComplete = false
    for (const { token } of tokens) if (feesOf.has(token.launchpad)) pending.add(token.address)
    // These may be tokens of any launchpad: the search leaves out those without a position.
    if (unread.length <= MAX_UNREAD) for (const token of unread) pending.add(token)
    if (pending.size <= MAX_PENDING) return
    pending = new Set([...pending].slice(0, MAX_PENDING))
    isComplete = false
  }

  /** Stale positions that were not read within `everyBlocks`. All stale positions stay pending. */
  const findDue = async (block: Block): Promise<readonly StalePosition[]> => {
    const changed = pending
    pending = new Set()
    const searchesAll = !isComplete && changed.size < MAX_PENDING / 2
    // The flag is set before the search, so that commits that the search may not see can reset it.
    if (searchesAll) isComplete = true
    try {
      const ofChanged = changed.size === 0 ? [] : await readStalePositions(db, [...changed], MAX_PENDING)
      const all = searchesAll ? await readStalePositions(db, null, MAX_PENDING) : []
      if (all.length === MAX_PENDING) isComplete = false
      const stale = new Map([...ofChanged, ...all].map(position => [position.token, position]))
      for (const token of stale.keys()) pending.add(token)
      return [...stale.values()]
        .filter(({ createdBlock }) => createdBlock <= block.number)
        .filter(({ askedAt }) => askedAt === null || askedAt <= block.number - everyBlocks)
        .slice(0, POSITIONS_PER_RUN)
    } catch (error) {
      for (const token of changed) pending.add(token)
      if (searchesAll) isComplete = false
      throw error
    }
  }

  /** `null`: there is no reader for the launchpad, or the job has stopped. */
  const read = async (position: StalePosition, block: Block): Promise<UncollectedAmount | null> => {
    // In a pool with a fee of 1 %, the creator's basis points of a trade are the creator's percent of the fees.
    const { token, launchpad, positionId, tokenIsToken0, creatorFeeBps: creatorPercent } = position
    const fees = feesOf.get(launchpad)
    if (fees === undefined || runs.isStopped) return null
    const pair = await readLpFees({ fees, positionId, creatorPercent, block })
    return { token, amounts: pair === null ? null : pairAmounts({ tokenIsToken0 }, pair.amount0, pair.amount1) }
  }

  const run = async (block: Block): Promise<void> => {
    const failures: unknown[] = []
    const results = await mapBounded(await findDue(block), READS_AT_ONCE, position =>
      read(position, block).catch((error: unknown) => {
        if (faultOf(error) === null) throw error
        failures.push(error)
        return null
      }),
    )
    if (runs.isStopped) return
    const amounts = results.filter(amount => amount !== null)
    if (amounts.length > 0) {
      const written = transaction(async tx => {
        await lockAsWriter(tx, writer)
        await writeUncollected(tx, block, amounts)
      })
      await runs.commit(written)
    }
    // A failure is thrown only now, since one position without an answer must not hold up the others.
    if (failures.length > 0) throw failures[0]
  }

  const runs = createJobRuns<Block>({ run, logger, failure: 'cannot read the uncollected fees of LP positions' })

  return {
    committed: notice => {
      if (feesOf.size === 0 || everyBlocks === 0 || runs.isStopped) return
      enqueue(notice)
      newest = { number: notice.number, hash: notice.hash }
      if (!isBehind()) runs.request(newest)
    },
    settled: runs.settled,
    stop: runs.stop,
  }
}

export interface LpFeeQuery {
  readonly fees: LpPositionFees
  readonly positionId: bigint
  /** The creator's percentage of the fees; `null`: not known. */
  readonly creatorPercent: number | null
  readonly block: Pick<BlockHeader, 'number' | 'hash'>
}

/**
 * Reads the part of a position's uncollected fees at a block that the creator would be paid.
 *
 * @returns `null` when the provider refuses, as it does if it has pruned the block's state; this does not count against its health
 * @throws `RpcError` when no provider answers, or none has the block
 */
export type ReadLpFees = (query: LpFeeQuery) => Promise<TokenPair | null>

/** Faults of a provider that has no `eth_simulateV1`; `missing` may concern only one block. */
const UNSUPPORTED: ReadonlySet<RpcFault['kind']> = new Set(['rejected', 'http', 'garbled'])

/** Creates a reader that remembers which providers cannot simulate, and the position manager of each locker. */
function createLpFeeReader(rpc: Pick<Rpc, 'ask'>): ReadLpFees {
  const withoutSimulation = new Set<string>()
  const managers = new Map<Address, Address>()

  const bySimulation = async (provider: RpcProvider, { fees, positionId, block }: LpFeeQuery): Promise<TokenPair | null> => {
    if (withoutSimulation.has(provider.name)) return null
    const answer = await callAtBlock(provider, block, simulateAt(block.number, fees.collectCall(positionId)))
    if (answer.kind === 'refusal') {
      if (UNSUPPORTED.has(answer.fault.kind)) withoutSimulation.add(provider.name)
      return null
    }
    const logs = readSimulatedLogs(answer.value)
    return logs === null ? null : unlessMalformed(() => fees.readCollected(logs, positionId))
  }

  const byPosition = async (provider: RpcProvider, { fees, positionId, creatorPercent, block }: LpFeeQuery): Promise<TokenPair | null> => {
    const call = async <T>(request: Parameters<typeof callAt>[1], read: (result: Hex) => T): Promise<T | null> => {
      const answer = await callAtBlock(provider, block, callAt(block.number, request))
      if (answer.kind === 'refusal' || typeof answer.value !== 'string') return null
      const result = answer.value as Hex
      return unlessMalformed(() => read(result))
    }
    const manager = managers.get(fees.locker) ?? (await call(fees.managerCall, fees.readManager))
    if (manager === null) return null
    managers.set(fees.locker, manager)
    // A locker without this getter pays the share in the creation event.
    const percent = (await call(fees.recipientsCall(positionId), fees.readPercent)) ?? creatorPercent
    return percent === null ? null : call(fees.positionCall(positionId, manager), result => fees.readPosition(result, percent))
  }

  return query => rpc.ask(async provider => (await bySimulation(provider, query)) ?? byPosition(provider, query))
}

const hex = z.string().regex(/^0x([0-9a-fA-F]{2})*$/)
const word = z.string().regex(/^0x[0-9a-fA-F]{64}$/)
const log = z.object({ address: z.string().regex(/^0x[0-9a-fA-F]{40}$/), topics: z.array(word).max(4), data: hex })
const simulation = z.tuple([z.object({ calls: z.tuple([z.object({ status: z.string(), logs: z.array(log).max(1_000).optional() })]) })])

/** The logs in the answer to an `eth_simulateV1` of one call; `null` when the call reverts, or the answer has another shape. */
function readSimulatedLogs(answer: unknown): readonly SimulatedLog[] | null {
  const parsed = simulation.safeParse(answer)
  if (!parsed.success) return null
  const { status, logs } = parsed.data[0].calls[0]
  if (Number(status) !== 1 || logs === undefined) return null
  return logs.map(({ address, topics, data }) => ({
    address: toAddress(address),
    topics: topics.map(topic => topic.toLowerCase() as Hex),
    data: data.toLowerCase() as Hex,
  }))
}
