import type { Address, Hex } from '#domain/address.ts'
import type { RpcCall } from '#rpc/rpcEndpoint.ts'
import { type NewLog, testAddress } from './simulatedChain.ts'
import { CLANKER_TOPICS, CLANKER_V4 } from './simulatedClanker.ts'
import { topic, transferLog, V3_SWAP, words } from './simulatedLogs.ts'

/**
 * Seeds whose address lists count as long, as those of a hundred thousand tokens: they are queried in many parts, or by topic. Their
 * chains also have logs of other contracts. None of the kept seeds is among them, so those are unchanged.
 */
export function hasLongLists(seed: number): boolean {
  return seed % 7 === 1 || seed % 7 === 3
}

/** The longest list for these seeds. */
export const FEW_LISTED = 2

/** A block's logs of unwatched tokens and pools, with watched topics. */
export function strangersLogs(number: number): readonly NewLog[] {
  const [token, pool, holder] = [testAddress(70_000 + number), testAddress(71_000 + (number % 5)), testAddress(72_000)]
  const logs: readonly NewLog[] = [
    transferLog(token, holder, pool, BigInt(number)),
    { address: pool, topics: [V3_SWAP, topic(holder), topic(holder)], data: words(1n, -1n, 1n << 96n, 1n, 0n) },
    {
      address: CLANKER_V4.poolManager,
      topics: [CLANKER_TOPICS.v4Swap, topic(pool), topic(holder)],
      data: words(1n, -1n, 1n << 96n, 1n, 0n, 0n),
    },
  ]
  return logs.slice(number % 4)
}

/** Whether a call queries a range's logs without addresses and pools. */
export function isUnlisted({ method, params }: RpcCall): boolean {
  if (method !== 'eth_getLogs') return false
  const { blockHash, address, topics } = params[0] as { blockHash?: Hex; address?: readonly Address[]; topics?: readonly unknown[] }
  return blockHash === undefined && (address === undefined || (address[0] === CLANKER_V4.poolManager && topics?.[1] === null))
}
