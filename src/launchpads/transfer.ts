import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { addressTopic, addressWord, wordsOf } from './words.ts'

/** keccak256 of `Transfer(address,address,uint256)` (ERC-20). */
export const TRANSFER_TOPIC: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

export interface Transfer {
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
}

/**
 * Some contracts, older than ERC-20's final text or careless of it, index none of the parameters: all three are in the data then.
 *
 * @throws MalformedLogError when it is no ERC-20 transfer; the amount of an ERC-721 one, for example, is a topic
 */
export function decodeTransfer(log: ChainLog): Transfer {
  if (log.topics.length === 1) {
    const word = wordsOf(log.data, 3)
    return { from: addressWord(word(0)), to: addressWord(word(1)), amount: word(2) }
  }
  return { from: addressTopic(log.topics, 1), to: addressTopic(log.topics, 2), amount: wordsOf(log.data, 1)(0) }
}
