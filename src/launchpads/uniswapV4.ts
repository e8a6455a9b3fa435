import { toEventSelector } from 'viem/utils'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import type { TransactionLogs, Watched, WatchedLog } from './adapter.ts'
import { findMaker } from './maker.ts'
import { poolChanged } from './poolChanged.ts'
import type { EventPosition, TokenEvent } from './tokenEvent.ts'
import { concentratedState, magnitude, priceFromSqrt, swapFee } from './uniswapV3.ts'
import { addressTopic, MalformedLogError, signed, wordsOf } from './words.ts'

/** The logs of a Uniswap v4 PoolManager that move a pool's price (`v4-core/src/interfaces/IPoolManager.sol`); topic 1 is the pool's id. */
const TOPICS = {
  initialize: toEventSelector('Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)'),
  swap: toEventSelector('Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)'),
  modifyLiquidity: toEventSelector('ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)'),
} as const

/** What a PoolManager is asked for: first topics. */
export const POOL_TOPICS = Object.values(TOPICS)

/** A fee of everything leaves nothing that a price could be told by. */
const WHOLE_PIPS = 1_000_000n

/**
 * What a log of a PoolManager means for the token of the pool that it is about. Reserves are never told: fees and donations move what a pool has
 * without saying how much.
 *
 * @throws MalformedLogError when a known topic carries other data
 */
export function decodeUniswapV4(
  { log }: WatchedLog,
  { token, pool, tokenDecimals }: Extract<Watched, { role: 'pool' }>,
  at: EventPosition & { readonly token: Address },
  transaction: TransactionLogs,
  weth: Address,
): readonly TokenEvent[] {
  const changed = (told: Parameters<typeof poolChanged>[2]) => poolChanged(at, pool.address, told)
  const inWeth = pool.quoteToken === weth || pool.quoteToken === ZERO_ADDRESS
  const priceAt = (sqrtPriceX96: bigint) => (inWeth ? priceFromSqrt(sqrtPriceX96, pool, tokenDecimals) : null)

  switch (log.topics[0]) {
    case TOPICS.initialize: {
      const word = wordsOf(log.data, 5)
      const concentrated = concentratedState(word(3), word(4))
      return [changed({ priceWeth: priceAt(concentrated.sqrtPriceX96), concentrated })]
    }
    case TOPICS.modifyLiquidity: {
      const word = wordsOf(log.data, 4)
      const range = { tickLower: Number(signed(word(0))), tickUpper: Number(signed(word(1))) }
      return [changed({ liquidityChange: { amount: signed(word(2)), ...range } })]
    }
    case TOPICS.swap: {
      const word = wordsOf(log.data, 6)
      const [amount0, amount1] = [signed(word(0)), signed(word(1))]
      const concentrated = concentratedState(word(2), word(4), word(3))
      const state = changed({ priceWeth: priceAt(concentrated.sqrtPriceX96), concentrated })
      // Of the swapper's: what they get is positive.
      const [tokens, quote] = pool.tokenIsToken0 ? [amount0, amount1] : [amount1, amount0]
      if (tokens === 0n && quote === 0n) return [state]
      const side = tokens > 0n || (tokens === 0n && quote < 0n) ? 'buy' : 'sell'
      const amountToken = magnitude(tokens)
      const swap = { token, pool: log.address, side, amountToken, logIndex: log.logIndex, settled: 'anytime' } as const
      const maker = findMaker(transaction.logs, swap) ?? addressTopic(log.topics, 2)
      const amountWei = inWeth ? magnitude(quote) : null
      const feePips = word(5)
      if (feePips > WHOLE_PIPS) throw new MalformedLogError('a fee of more than everything')
      const feeWei = amountWei === null ? null : swapFee(side, amountWei, feePips)
      return [state, { ...at, kind: 'trade', pool: pool.address, phase: 'pool', side, maker, amountToken, amountWei, feeWei }]
    }
    default:
      return []
  }
}
