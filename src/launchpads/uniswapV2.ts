import { toEventSelector } from 'viem/utils'
import type { Address, Hex } from '#domain/address.ts'
import { powerOfTen, ratio } from '#domain/decimal.ts'
import type { TransactionLogs, Watched, WatchedLog } from './adapter.ts'
import { findMaker, findTaxedMaker } from './maker.ts'
import { poolChanged } from './poolChanged.ts'
import type { EventPosition, TokenEvent } from './tokenEvent.ts'
import { magnitude, swapFee } from './uniswapV3.ts'
import { addressTopic, unsigned, wordsOf } from './words.ts'

/**
 * The logs of a Uniswap v2 pair that move its amounts (`v2-core/contracts/interfaces/IUniswapV2Pair.sol`). A `Sync` with the reserves afterwards
 * comes before every `Swap`, `Mint` and `Burn`, so that the last two say nothing more of the pair.
 */
const TOPICS = {
  sync: toEventSelector('Sync(uint112,uint112)'),
  swap: toEventSelector('Swap(address,uint256,uint256,uint256,uint256,address)'),
} as const

/** First topics of the logs of a pair that tell anything. */
export const V2_TOPICS: readonly Hex[] = Object.values(TOPICS)

const RESERVE_BITS = 112

type PoolWatched = Extract<Watched, { role: 'pool' }>

/**
 * What a v2 pair's log means for its token. Reserves are the pair's own (`getReserves`): what was sent to it without a call is in its balance
 * and not in them.
 *
 * @throws MalformedLogError when a known topic carries other data
 */
export function decodeUniswapV2(
  { log }: WatchedLog,
  watched: PoolWatched,
  at: EventPosition & { readonly token: Address },
  transaction: TransactionLogs,
  weth: Address,
): readonly TokenEvent[] {
  const { pool, tokenDecimals } = watched
  const isWethQuoted = pool.quoteToken === weth
  const ofPair = (amount0: bigint, amount1: bigint) =>
    pool.tokenIsToken0 ? { token: amount0, quote: amount1 } : { token: amount1, quote: amount0 }

  switch (log.topics[0]) {
    case TOPICS.sync: {
      const word = wordsOf(log.data, 2)
      const reserves = ofPair(unsigned(word(0), RESERVE_BITS), unsigned(word(1), RESERVE_BITS))
      const price = ratio(reserves.quote * powerOfTen(tokenDecimals), reserves.token * powerOfTen(pool.quoteDecimals))
      // A pair without tokens or without WETH has no price; the last one stays.
      const priceWeth = isWethQuoted && reserves.quote > 0n ? price : null
      return [poolChanged(at, pool.address, { reserves: { mode: 'set', ...reserves }, priceWeth })]
    }
    case TOPICS.swap: {
      const word = wordsOf(log.data, 4)
      // In minus out: a flash swap pays back in what it took out.
      const moved = ofPair(word(0) - word(2), word(1) - word(3))
      if (moved.token === 0n && moved.quote === 0n) return []
      // Both sides given away: a present to the pair's liquidity providers, not a trade.
      if (moved.token > 0n && moved.quote > 0n) return []
      const side = moved.token < 0n || (moved.token === 0n && moved.quote > 0n) ? 'buy' : 'sell'
      const amountToken = magnitude(moved.token)
      const swap = { token: watched.token, pool: log.address, side, amountToken, logIndex: log.logIndex } as const
      const maker =
        findMaker(transaction.logs, swap) ?? findTaxedMaker(transaction.logs, swap) ?? addressTopic(log.topics, side === 'buy' ? 2 : 1)
      const amountWei = isWethQuoted ? magnitude(moved.quote) : null
      const feeWei = amountWei === null || pool.feeBps === null ? null : swapFee(side, amountWei, BigInt(Math.round(pool.feeBps * 100)))
      return [{ ...at, kind: 'trade', pool: pool.address, phase: 'pool', side, maker, amountToken, amountWei, feeWei }]
    }
    default:
      return []
  }
}
