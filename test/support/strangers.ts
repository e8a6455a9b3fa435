import type { Address, Hex } from '#domain/address.ts'
import type { RpcCall } from '#rpc/rpcEndpoint.ts'
import { type NewLog, testAddress } from './simulatedChain.ts'
import { CLANKER_TOPICS, CLANKER_V4 } from './simulatedClanker.ts'
import { topic, transferLog, V3_SWAP, words } from './simulatedLogs.ts'

/**
 * Seeds whose lists of addresses count as long, as those of a hundred thousand tokens do: they are asked for in many parts or left out. Their chains
 * hold logs of strangers, too. None of the seeds that are kept is among them, which so remain what they were.
 */
export function hasLongLists(seed: number): boolean {
  return seed % 7 === 1 || seed % 7 === 3
}

/** What a list may hold there. */
export const FEW_LISTED = 2

/** The logs of a block, with topics that matter, of tokens and pools that nobody watches. */
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

/** Whether a call asks for a range's logs without saying which addresses or pools. */
export function isUnlisted({ method, params }: RpcCall): boolean {
  if (method !== 'eth_getLogs') return false
  const { blockHash, address, topics } = params[0] as { blockHash?: Hex; address?: readonly Address[]; topics?: readonly unknown[] }
  return blockHash === undefined && (address === undefined || (address[0] === CLANKER_V4.poolManager && topics?.[1] === null))
}
