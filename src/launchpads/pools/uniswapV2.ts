import { toEventSelector } from 'viem/utils'
import type { Hex } from '#domain/address.ts'
import { poolChanged } from '#launchpads/tokenEvent.ts'
import { addressTopic, unsigned, wordsByName } from '#launchpads/words.ts'
import { type DecodePool, fixedFeePips, pairAmounts, poolJoinExit, poolTrade, quotePrice } from './poolTrade.ts'

/**
 * The logs of a Uniswap v2 pair that are decoded (`v2-core/contracts/interfaces/IUniswapV2Pair.sol`). A `Sync` with the new reserves
 * precedes every `Swap`, `Mint` and `Burn`.
 */
const TOPICS = {
  sync: toEventSelector('Sync(uint112,uint112)'),
  swap: toEventSelector('Swap(address,uint256,uint256,uint256,uint256,address)'),
  mint: toEventSelector('Mint(address,uint256,uint256)'),
  burn: toEventSelector('Burn(address,uint256,uint256,address)'),
} as const

export const V2_TOPICS: readonly Hex[] = Object.values(TOPICS)

const RESERVE_BITS = 112
const AMOUNTS = { amount0: 0, amount1: 1 }
const SWAPPED = { amount0In: 0, amount1In: 1, amount0Out: 2, amount1Out: 3 }

/** Decodes a log of a v2 pair. Reserves are those of `getReserves`, which may be less than the pair's balances. */
export const decodeUniswapV2: DecodePool = poolLog => {
  const { log, pool, tokenDecimals, at } = poolLog
  switch (log.topics[0]) {
    case TOPICS.sync: {
      const reserve = wordsByName(log.data, 2, AMOUNTS)
      const reserves = pairAmounts(pool, unsigned(reserve('amount0'), RESERVE_BITS), unsigned(reserve('amount1'), RESERVE_BITS))
      // A pair with an empty side has no price, and keeps its last one.
      const price = reserves.quote > 0n ? quotePrice(reserves.quote, reserves.token, tokenDecimals) : null
      return [poolChanged(at, pool.address, { reserves: { mode: 'set', ...reserves }, price })]
    }
    case TOPICS.swap: {
      const field = wordsByName(log.data, 4, SWAPPED)
      // In minus out: a flash swap may pay back in the currency that it took.
      const intoPool = pairAmounts(pool, field('amount0In') - field('amount0Out'), field('amount1In') - field('amount1Out'))
      const { token, quote } = intoPool
      // Nothing was traded, or both currencies were given to the liquidity providers.
      if ((token === 0n && quote === 0n) || (token > 0n && quote > 0n)) return []
      return [poolTrade(poolLog, intoPool, fixedFeePips(pool), 'pool', side => addressTopic(log.topics, side === 'buy' ? 2 : 1))]
    }
    case TOPICS.mint: {
      const field = wordsByName(log.data, 2, AMOUNTS)
      return poolJoinExit(poolLog, pairAmounts(pool, field('amount0'), field('amount1')), addressTopic(log.topics, 1))
    }
    case TOPICS.burn: {
      const field = wordsByName(log.data, 2, AMOUNTS)
      return poolJoinExit(poolLog, pairAmounts(pool, -field('amount0'), -field('amount1')), addressTopic(log.topics, 2))
    }
    default:
      return []
  }
}
