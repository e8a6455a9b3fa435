import { z } from 'zod'
import { type Address, type Hex, toAddress } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import { unlessMalformed } from '#launchpads/malformedLog.ts'
import type { LpPositionFees, SimulatedLog, TokenPair } from '#launchpads/pools/lpPositionFees.ts'
import { callAtBlock } from '#rpc/callAtBlock.ts'
import type { Rpc, RpcProvider } from '#rpc/rpc.ts'
import { callAt, simulateAt } from '#rpc/rpcCalls.ts'
import type { RpcFault } from '#rpc/rpcFault.ts'

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
export function createLpFeeReader(rpc: Pick<Rpc, 'ask'>): ReadLpFees {
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
