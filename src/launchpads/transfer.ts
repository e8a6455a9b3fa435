import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { addressTopic, wordsOf } from './words.ts'

/** keccak256 of `Transfer(address,address,uint256)` (ERC-20). */
export const TRANSFER_TOPIC: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

export interface Transfer {
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
}

/** @throws MalformedLogError when it is no ERC-20 transfer; the amount of an ERC-721 one, for example, is a topic */
export function decodeTransfer(log: ChainLog): Transfer {
  return { from: addressTopic(log.topics, 1), to: addressTopic(log.topics, 2), amount: wordsOf(log.data, 1)(0) }
}
