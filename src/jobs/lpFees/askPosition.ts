import type { Address, Hex } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import type { LpPositionFees, TokenPair } from '#launchpads/lpPositionFees.ts'
import { unlessMalformed } from '#launchpads/malformedLog.ts'
import { callAtBlock } from '#rpc/callAtBlock.ts'
import type { Rpc, RpcProvider } from '#rpc/rpc.ts'
import { callAt, simulateAt } from '#rpc/rpcCalls.ts'
import type { RpcFault } from '#rpc/rpcFault.ts'
import { readSimulation } from './readSimulation.ts'

/** What was learned for the life of the process; bounded by the numbers of providers and lockers. */
export interface AskedBefore {
  /** Providers that do not simulate transactions with their logs. */
  readonly withoutSimulation: Set<string>
  readonly managers: Map<Address, Address>
}

export interface PositionQuestion {
  readonly rewards: LpPositionFees
  readonly positionId: bigint
  readonly creatorPercent: number | null
  readonly block: Pick<BlockHeader, 'number' | 'hash'>
}

/** What says that it has no such method; "missing" may be of this block only. */
const UNABLE: ReadonlySet<RpcFault['kind']> = new Set(['rejected', 'http', 'garbled'])

/**
 * The creator's share that lies in a position at a block: by the logs that the collecting call would leave, or else by what the position
 * itself would give. A refusal is an answer, and does not count against the provider: it may have dropped the state of that block.
 *
 * @returns `null` when it is refused
 * @throws `RpcError` when no provider can be asked, or none shows that block
 */
export function askPosition(rpc: Pick<Rpc, 'ask'>, question: PositionQuestion, before: AskedBefore): Promise<TokenPair | null> {
  return rpc.ask(async provider => {
    const simulated = await bySimulation(provider, question, before)
    return simulated ?? byPosition(provider, question, before)
  })
}

async function bySimulation(
  provider: RpcProvider,
  { rewards, positionId, block }: PositionQuestion,
  { withoutSimulation }: AskedBefore,
): Promise<TokenPair | null> {
  if (withoutSimulation.has(provider.name)) return null
  const answer = await callAtBlock(provider, block, simulateAt(block.number, rewards.collectCall(positionId)))
  if (answer.kind === 'refusal') {
    if (UNABLE.has(answer.fault.kind)) withoutSimulation.add(provider.name)
    return null
  }
  return unlessMalformed(() => {
    const logs = readSimulation(answer.value)
    return logs === null ? null : rewards.readCollected(logs, positionId)
  })
}

async function byPosition(
  provider: RpcProvider,
  { rewards, positionId, creatorPercent, block }: PositionQuestion,
  { managers }: AskedBefore,
): Promise<TokenPair | null> {
  if (creatorPercent === null) return null
  const call = async (simulated: Parameters<typeof callAt>[1]): Promise<Hex | null> => {
    const answer = await callAtBlock(provider, block, callAt(block.number, simulated))
    return answer.kind === 'answer' && typeof answer.value === 'string' ? (answer.value as Hex) : null
  }
  let manager = managers.get(rewards.locker) ?? null
  if (manager === null) {
    const answer = await call(rewards.managerCall)
    manager = answer === null ? null : unlessMalformed(() => rewards.readManager(answer))
    if (manager === null) return null
    managers.set(rewards.locker, manager)
  }
  const answer = await call(rewards.positionCall(positionId, manager))
  return answer === null ? null : unlessMalformed(() => rewards.readPosition(answer, creatorPercent))
}
