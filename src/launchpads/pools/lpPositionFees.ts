import { encodeFunctionData, parseAbi, toEventSelector } from 'viem/utils'
import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { SentCall } from '#domain/contractCall.ts'
import { addressTopic, addressWord, MalformedLogError, wordsByName, wordsOf } from '#launchpads/words.ts'

export type SimulatedLog = Pick<ChainLog, 'address' | 'topics' | 'data'>

/** Amounts of a pool's two tokens, in its order. */
export interface TokenPair {
  readonly amount0: bigint
  readonly amount1: bigint
}

const LOCKER = parseAbi([
  'function collectRewards(uint256 tokenId)',
  'function positionManager() view returns (address)',
  'struct RewardRecipient { address admin; address recipient; }',
  'function tokenRewards(uint256 tokenId) view returns (uint256 lpTokenId, uint256 creatorReward, RewardRecipient creator, RewardRecipient interfacer)',
])
const MANAGER = parseAbi([
  'struct CollectParams { uint256 tokenId; address recipient; uint128 amount0Max; uint128 amount1Max; }',
  'function collect(CollectParams params) payable returns (uint256 amount0, uint256 amount1)',
])
const MAX_UINT128 = 2n ** 128n - 1n

export const CLAIMED_TOPIC = toEventSelector(
  'ClaimedRewards(uint256,address,address,address,address,address,uint256,uint256,uint256,uint256,uint256,uint256)',
)

const TEAM_PERCENT = 20n
const CREATOR_PERCENT_WITHOUT_INTERFACE = 100 - Number(TEAM_PERCENT)

/** What the creator's recipient was paid by a `ClaimedRewards` event: the interface's share, too, where that has the same recipient. */
export function readClaimed(log: SimulatedLog): TokenPair & { readonly recipient: Address } {
  const [recipient, ofInterface] = [addressTopic(log.topics, 2), addressTopic(log.topics, 3)]
  const field = wordsByName(log.data, 9, { creator0: 3, creator1: 4, interface0: 5, interface1: 6 })
  const isBoth = recipient === ofInterface
  return {
    recipient,
    amount0: field('creator0') + (isBoth ? field('interface0') : 0n),
    amount1: field('creator1') + (isBoth ? field('interface1') : 0n),
  }
}

/** Reads what the creator's recipient would be paid of the uncollected fees of LP positions in a locker. */
export type LpPositionFees = ReturnType<typeof lpLockerV2>

/**
 * Clanker's locker of v3.1 (`LpLockerv2`), with two ways to read fees. Simulating the collecting call with its logs is exact. For providers
 * that cannot, the fees of the whole position are read from Uniswap's position manager and shared out here.
 */
export function lpLockerV2(locker: Address) {
  return {
    locker,

    /** The call that collects a position's fees and pays each recipient's share. */
    collectCall: (positionId: bigint): SentCall => ({
      to: locker,
      data: encodeFunctionData({ abi: LOCKER, functionName: 'collectRewards', args: [positionId] }),
    }),

    /** What the creator's recipient is paid, from the logs of a simulated `collectCall`; `null` when they do not report it. */
    readCollected: (logs: readonly SimulatedLog[], positionId: bigint): TokenPair | null => {
      const claimed = logs.findLast(
        ({ address, topics: [topic, id] }) =>
          address === locker && topic === CLAIMED_TOPIC && id !== undefined && BigInt(id) === positionId,
      )
      return claimed === undefined ? null : readClaimed(claimed)
    },

    managerCall: { to: locker, data: encodeFunctionData({ abi: LOCKER, functionName: 'positionManager' }) },

    /** @throws MalformedLogError when the result is no address */
    readManager: (result: Hex): Address => {
      const manager = addressWord(wordsOf(result, 1)(0))
      if (BigInt(manager) === 0n) throw new MalformedLogError('expected a position manager, got the zero address')
      return manager
    },

    /** The call with which the locker would collect from the position manager. */
    positionCall: (positionId: bigint, manager: Address): SentCall => {
      const params = { tokenId: positionId, recipient: locker, amount0Max: MAX_UINT128, amount1Max: MAX_UINT128 }
      return { from: locker, to: manager, data: encodeFunctionData({ abi: MANAGER, args: [params] }) }
    },

    /** The call that returns who is paid. */
    recipientsCall: (positionId: bigint): SentCall => ({
      to: locker,
      data: encodeFunctionData({ abi: LOCKER, functionName: 'tokenRewards', args: [positionId] }),
    }),

    /** The percent for the creator's recipient, from the result of `recipientsCall`. @throws MalformedLogError when it is none */
    readPercent: (result: Hex): number => {
      const field = wordsByName(result, 6, { creatorPercent: 1, creator: 3, ofInterface: 5 })
      const isBoth = addressWord(field('creator')) === addressWord(field('ofInterface'))
      return isBoth ? CREATOR_PERCENT_WITHOUT_INTERFACE : Number(field('creatorPercent'))
    },

    /** What the creator's recipient is paid of the result of `positionCall`. @throws MalformedLogError when that is no pair of amounts */
    readPosition: (result: Hex, creatorPercent: number): TokenPair => {
      const field = wordsByName(result, 2, { amount0: 0, amount1: 1 })
      return { amount0: creatorShare(field('amount0'), creatorPercent), amount1: creatorShare(field('amount1'), creatorPercent) }
    },
  }
}

/** The locker rounds each share down and gives the rest to the interface, or to the creator where the interface has no share. */
function creatorShare(amount: bigint, creatorPercent: number): bigint {
  return creatorPercent === CREATOR_PERCENT_WITHOUT_INTERFACE
    ? amount - (amount * TEAM_PERCENT) / 100n
    : (amount * BigInt(creatorPercent)) / 100n
}
