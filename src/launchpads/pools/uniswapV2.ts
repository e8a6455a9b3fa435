import { toEventSelector } from 'viem/utils'
import type { Hex } from '#domain/address.ts'
import { findMaker, findTaxedMaker } from '#launchpads/maker.ts'
import { poolChanged } from '#launchpads/tokenEvent.ts'
import { addressTopic, unsigned, wordsOf } from '#launchpads/words.ts'
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

/** Decodes a log of a v2 pair. Reserves are those of `getReserves`, which may be less than the pair's balances. */
export const decodeUniswapV2: DecodePool = poolLog => {
  const { log, pool, tokenDecimals, at, transaction } = poolLog
  switch (log.topics[0]) {
    case TOPICS.sync: {
      const word = wordsOf(log.data, 2)
      const reserves = pairAmounts(pool, unsigned(word(0), RESERVE_BITS), unsigned(word(1), RESERVE_BITS))
      // A pair with an empty side has no price, and keeps its last one.
      const price = reserves.quote > 0n ? quotePrice(reserves.quote, reserves.token, tokenDecimals) : null
      return [poolChanged(at, pool.address, { reserves: { mode: 'set', ...reserves }, price })]
    }
    case TOPICS.swap: {
      const word = wordsOf(log.data, 4)
      // In minus out: a flash swap may pay back in the currency that it took.
      const intoPool = pairAmounts(pool, word(0) - word(2), word(1) - word(3))
      const { token, quote } = intoPool
      // Nothing was traded, or both currencies were given to the liquidity providers.
      if ((token === 0n && quote === 0n) || (token > 0n && quote > 0n)) return []
      return [
        poolTrade(
          poolLog,
          intoPool,
          fixedFeePips(pool),
          swap =>
            findMaker(transaction.logs, swap) ??
            findTaxedMaker(transaction.logs, swap) ??
            addressTopic(log.topics, swap.side === 'buy' ? 2 : 1),
        ),
      ]
    }
    case TOPICS.mint: {
      const word = wordsOf(log.data, 2)
      return poolJoinExit(poolLog, pairAmounts(pool, word(0), word(1)), addressTopic(log.topics, 1))
    }
    case TOPICS.burn: {
      const word = wordsOf(log.data, 2)
      return poolJoinExit(poolLog, pairAmounts(pool, -word(0), -word(1)), addressTopic(log.topics, 2))
    }
    default:
      return []
  }
}
