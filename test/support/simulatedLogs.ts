import { type Hex, numberToHex, toEventSelector } from 'viem'
import type { Random } from '#devchain/traders/random.ts'
import type { Address } from '#domain/address.ts'
import type { NewLog } from './simulatedChain.ts'

export const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
export const V3_SWAP = toEventSelector('Swap(address,address,int256,int256,uint160,uint128,int24)')

export function transferLog(token: Address, from: Address, to: Address, amount: bigint): NewLog {
  return { address: token, topics: [TRANSFER, topic(from), topic(to)], data: words(amount) }
}

/** Amounts that leave the pool are negative. */
export interface Swapped {
  readonly amount0: bigint
  readonly amount1: bigint
}

export function randomSwap(random: Random): Swapped {
  const amount0 = BigInt(random.integer(1, 1_000)) * 10n ** 18n
  const amount1 = BigInt(random.integer(1, 1_000)) * 10n ** 15n
  return random.chance(0.5) ? { amount0, amount1: -amount1 } : { amount0: -amount0, amount1 }
}

/** A swap of a Uniswap v3 pool. */
export function v3SwapLog(pool: Address, maker: Address, { amount0, amount1 }: Swapped, random: Random): NewLog {
  const data = words(amount0, amount1, randomPrice(random), 10n ** 20n, BigInt(random.integer(-300, 300)))
  return { address: pool, topics: [V3_SWAP, topic(maker), topic(maker)], data }
}

export function randomPrice(random: Random): bigint {
  return (1n << 96n) / BigInt(random.integer(1_000, 50_000))
}

/** An address as an indexed argument. */
export function topic(address: Address): Hex {
  return numberToHex(BigInt(address), { size: 32 })
}

/** Integers as 32-byte words, negative ones in two's complement. */
export function words(...values: readonly bigint[]): Hex {
  return `0x${values.map(value => BigInt.asUintN(256, value).toString(16).padStart(64, '0')).join('')}`
}
