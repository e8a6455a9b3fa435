import { encodeFunctionData, parseAbi, toEventSelector } from 'viem/utils'
import { type Address, type Hex, toAddress } from '#domain/address.ts'
import { addressWord, MalformedLogError, wordsOf } from './words.ts'

/** A call without a transaction: for `eth_call`, or one of those of `eth_simulateV1`. */
export interface SimulatedCall {
  /** Left out: nobody in particular. */
  readonly from?: Address
  readonly to: Address
  readonly data: Hex
}

/** Amounts of a pool's two tokens, in its order. */
export interface TokenPair {
  readonly amount0: bigint
  readonly amount1: bigint
}

type SimulatedLog = { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex }

/**
 * What a locker that shares out the fees of Uniswap v3 positions would pay the creator now. Two ways: the collecting call with the logs
 * that it would leave, which is exact whatever the locker computes; and what the position itself would give, shared out here, for
 * providers that do not simulate logs.
 */
export interface PositionRewards {
  readonly locker: Address
  /** The call that collects. */
  collectCall(positionId: bigint): SimulatedCall
  /** The creator's part of it, from the logs that it would leave; `null`: they do not say. */
  readPaid(logs: readonly SimulatedLog[], positionId: bigint): TokenPair | null
  /** Asks for Uniswap's position manager. */
  readonly managerCall: SimulatedCall
  /** @throws MalformedLogError when the answer is no address */
  readManager(answer: Hex): Address
  /** What the locker would ask of the position manager, in its name. */
  positionCall(positionId: bigint, manager: Address): SimulatedCall
  /** The creator's part of what the position gives. @throws MalformedLogError when the answer is not a pair of amounts */
  readPosition(answer: Hex, creatorPercent: number): TokenPair
}

const LOCKER = parseAbi(['function collectRewards(uint256 tokenId)', 'function positionManager() view returns (address)'])
const MANAGER = parseAbi([
  'struct CollectParams { uint256 tokenId; address recipient; uint128 amount0Max; uint128 amount1Max; }',
  'function collect(CollectParams params) payable returns (uint256 amount0, uint256 amount1)',
])
const MOST = 2n ** 128n - 1n

/** keccak256 of the locker's `ClaimedRewards` signature. */
export const CLAIMED_TOPIC = toEventSelector(
  'ClaimedRewards(uint256,address,address,address,address,address,uint256,uint256,uint256,uint256,uint256,uint256)',
)

/** The team's part, in percent, is fixed; without an interface's part all that is left is the creator's. */
const TEAM_PERCENT = 20n
const MOST_CREATOR_PERCENT = 100 - Number(TEAM_PERCENT)

/** Clanker's locker of v3.1 (`LpLockerv2`). */
export function lpLockerV2(locker: Address): PositionRewards {
  return {
    locker,
    collectCall: positionId => ({
      to: locker,
      data: encodeFunctionData({ abi: LOCKER, functionName: 'collectRewards', args: [positionId] }),
    }),
    readPaid: (logs, positionId) => {
      const isOurs = ({ address, topics: [topic, id] }: SimulatedLog) =>
        address === locker && topic === CLAIMED_TOPIC && id !== undefined && BigInt(id) === positionId
      const claimed = logs.findLast(isOurs)
      if (claimed === undefined) return null
      const word = wordsOf(claimed.data, 9)
      return { amount0: word(3), amount1: word(4) }
    },
    managerCall: { to: locker, data: encodeFunctionData({ abi: LOCKER, functionName: 'positionManager' }) },
    readManager: answer => {
      const manager = addressWord(wordsOf(answer, 1)(0))
      if (BigInt(manager) === 0n) throw new MalformedLogError('no position manager')
      return toAddress(manager)
    },
    positionCall: (positionId, manager) => ({
      from: locker,
      to: manager,
      data: encodeFunctionData({
        abi: MANAGER,
        args: [{ tokenId: positionId, recipient: locker, amount0Max: MOST, amount1Max: MOST }],
      }),
    }),
    readPosition: (answer, creatorPercent) => {
      const word = wordsOf(answer, 2)
      return { amount0: creatorPart(word(0), creatorPercent), amount1: creatorPart(word(1), creatorPercent) }
    },
  }
}

/** Each part is rounded down, and the last one takes the rest: the interface's, or the creator's where that is all beside the team's. */
function creatorPart(amount: bigint, creatorPercent: number): bigint {
  return creatorPercent === MOST_CREATOR_PERCENT ? amount - (amount * TEAM_PERCENT) / 100n : (amount * BigInt(creatorPercent)) / 100n
}
