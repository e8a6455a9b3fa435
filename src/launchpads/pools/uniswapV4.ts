import { toEventSelector } from 'viem/utils'
import { MAX_TICK } from '#domain/sqrtPrice.ts'
import { findMaker } from '#launchpads/maker.ts'
import { MalformedLogError } from '#launchpads/malformedLog.ts'
import { type PoolChange, poolChanged, type TokenEventOf } from '#launchpads/tokenEvent.ts'
import { addressTopic, signed, wordsOf } from '#launchpads/words.ts'
import { type DecodePool, type PairAmounts, type PoolLog, pairAmounts, poolTrade, WHOLE_PIPS } from './poolTrade.ts'
import { concentratedChange } from './uniswapV3.ts'

/** The logs of a Uniswap v4 PoolManager that are decoded (`v4-core/src/interfaces/IPoolManager.sol`). Topic 1 is the pool's id. */
const TOPICS = {
  initialize: toEventSelector('Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)'),
  swap: toEventSelector('Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)'),
  modifyLiquidity: toEventSelector('ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)'),
} as const

export const V4_TOPICS = Object.values(TOPICS)

export const V4_SWAP_TOPIC = TOPICS.swap

/** Decodes a log of one pool. Its reserves follow from its positions (`index/project/positions.ts`). */
export const decodeUniswapV4: DecodePool = poolLog => {
  const { log, pool, at } = poolLog
  const changed = (change: PoolChange) => poolChanged(at, pool.address, change)
  switch (log.topics[0]) {
    case TOPICS.initialize: {
      const word = wordsOf(log.data, 5)
      return [changed(concentratedAt(poolLog, word(3), word(4)))]
    }
    case TOPICS.modifyLiquidity: {
      const word = wordsOf(log.data, 4)
      const amount = signed(word(2))
      // Hooks collect the fees of many positions at every swap by adding nothing to each.
      return amount === 0n ? [] : [changed({ liquidityChange: { amount, tickLower: tickOf(word(0)), tickUpper: tickOf(word(1)) } })]
    }
    case TOPICS.swap: {
      const word = wordsOf(log.data, 6)
      const state = changed(concentratedAt(poolLog, word(2), word(4), word(3)))
      // The event gives the swapper's side: positive amounts leave the pool.
      const intoPool = pairAmounts(pool, -signed(word(0)), -signed(word(1)))
      if (intoPool.token === 0n && intoPool.quote === 0n) return [state]
      const feePips = word(5)
      if (feePips > WHOLE_PIPS) throw new MalformedLogError('expected a fee of at most 100 %')
      return [state, v4Trade(poolLog, intoPool, feePips)]
    }
    default:
      return []
  }
}

function concentratedAt(poolLog: PoolLog, sqrtPriceX96: bigint, tick: bigint, liquidity?: bigint) {
  if (sqrtPriceX96 === 0n) throw new MalformedLogError('expected a price')
  return concentratedChange(poolLog, sqrtPriceX96, BigInt(tickOf(tick)), liquidity)
}

/** @throws MalformedLogError when a price can't be there */
function tickOf(word: bigint): number {
  const tick = Number(signed(word, 24))
  if (Math.abs(tick) > MAX_TICK) throw new MalformedLogError(`expected a tick from ${-MAX_TICK} to ${MAX_TICK}`)
  return tick
}

/** The trade of a swap; the parameters are those of `poolTrade`. If no transfer shows the maker, it is the PoolManager's caller. */
export function v4Trade(poolLog: PoolLog, intoPool: PairAmounts, feePips: bigint | null): TokenEventOf<'trade'> {
  const { log, transaction } = poolLog
  let bySender = false
  const trade = poolTrade(poolLog, intoPool, feePips, swap => {
    // The PoolManager is paid before or after the swap, at any time in the transaction.
    const maker = findMaker(transaction.logs, { ...swap, settled: 'anytime' })
    bySender = maker === null
    return maker ?? addressTopic(log.topics, 2)
  })
  return bySender ? { ...trade, bySender } : trade
}
