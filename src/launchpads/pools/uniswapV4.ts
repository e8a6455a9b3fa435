import { toEventSelector } from 'viem/utils'
import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { MAX_TICK } from '#domain/prices.ts'
import { type PoolChange, type PoolFacts, poolChanged } from '#launchpads/tokenEvent.ts'
import { addressTopic, addressWord, MalformedLogError, signed, unlessMalformed, wordsByName } from '#launchpads/words.ts'
import { type DecodePool, type PoolLog, pairAmounts, poolTrade, WHOLE_PIPS } from './poolTrade.ts'
import { type CreatedPool, concentratedChange } from './uniswapV3.ts'

/** The logs of a Uniswap v4 PoolManager that are decoded (`v4-core/src/interfaces/IPoolManager.sol`). Topic 1 is the pool's id. */
const TOPICS = {
  initialize: toEventSelector('Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)'),
  swap: toEventSelector('Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)'),
  modifyLiquidity: toEventSelector('ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)'),
} as const

export const V4_TOPICS = Object.values(TOPICS)

export const V4_SWAP_TOPIC = TOPICS.swap

export const V4_INITIALIZE_TOPIC = TOPICS.initialize

const SWAPPED = { amount0: 0, amount1: 1, sqrtPriceX96: 2, liquidity: 3, tick: 4, fee: 5 }

/** Decodes a log of one pool. Its reserves follow from its positions (`index/project/positions.ts`). */
export const decodeUniswapV4: DecodePool = poolLog => {
  const { log, pool, at } = poolLog
  const changed = (change: PoolChange) => poolChanged(at, pool.address, change)
  switch (log.topics[0]) {
    case TOPICS.initialize: {
      const field = wordsByName(log.data, 5, { sqrtPriceX96: 3, tick: 4 })
      return [changed(concentratedAt(poolLog, field('sqrtPriceX96'), field('tick')))]
    }
    case TOPICS.modifyLiquidity: {
      const field = wordsByName(log.data, 4, { tickLower: 0, tickUpper: 1, liquidityDelta: 2 })
      const amount = signed(field('liquidityDelta'))
      // Hooks collect the fees of many positions at every swap by adding nothing to each.
      if (amount === 0n) return []
      const [tickLower, tickUpper] = [tickOf(field('tickLower')), tickOf(field('tickUpper'))]
      return [changed({ liquidityChange: { amount, tickLower, tickUpper } })]
    }
    case TOPICS.swap: {
      const field = wordsByName(log.data, 6, SWAPPED)
      const state = changed(concentratedAt(poolLog, field('sqrtPriceX96'), field('tick'), field('liquidity')))
      // The event gives the swapper's side: positive amounts leave the pool.
      const intoPool = pairAmounts(pool, -signed(field('amount0')), -signed(field('amount1')))
      if (intoPool.token === 0n && intoPool.quote === 0n) return [state]
      const feePips = field('fee')
      if (feePips > WHOLE_PIPS) throw new MalformedLogError('expected a fee of at most 100 %')
      return [state, poolTrade(poolLog, intoPool, feePips, 'poolManager', () => addressTopic(log.topics, 2))]
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

export interface InitializedPool extends CreatedPool {
  readonly hooks: Address
  readonly tickSpacing: number
}

/** The fee of a pool whose hook sets it (`v4-core/src/libraries/LPFeeLibrary.sol`). */
const DYNAMIC_FEE = 0x80_00_00n
const PIPS_PER_BPS = 100

/** The pools of the token that a PoolManager initialised in these logs, in order. A pool in ETH is one in WETH here. */
export function poolsInitialized(
  { poolManager, weth }: { readonly poolManager: Address; readonly weth: Address },
  token: Address,
  logs: readonly ChainLog[],
): readonly InitializedPool[] {
  return logs.flatMap(log => {
    if (log.address !== poolManager || log.topics[0] !== TOPICS.initialize) return []
    return unlessMalformed(() => initializedPool(token, log, weth)) ?? []
  })
}

function initializedPool(token: Address, { topics, data, logIndex }: ChainLog, weth: Address): readonly InitializedPool[] {
  const [id, currencies] = [topics[1], [addressTopic(topics, 2), addressTopic(topics, 3)]] as const
  const other = currencies.find(currency => currency !== token)
  if (id === undefined || other === undefined || !currencies.includes(token)) return []
  const field = wordsByName(data, 5, { fee: 0, tickSpacing: 1, hooks: 2 })
  const feePips = field('fee')
  return [
    {
      logIndex,
      feePips,
      hooks: addressWord(field('hooks')),
      tickSpacing: Number(signed(field('tickSpacing'), 24)),
      facts: managedPool(id, { token, currency: other, weth, feeBps: feePips === DYNAMIC_FEE ? null : Number(feePips) / PIPS_PER_BPS }),
    },
  ]
}

/** A pool of the token inside a PoolManager. @param pair.currency the other side, the zero address for ETH, which counts as WETH here */
export function managedPool(
  id: Hex,
  {
    token,
    currency,
    weth,
    feeBps,
  }: { readonly token: Address; readonly currency: Address; readonly weth: Address; readonly feeBps: number | null },
): PoolFacts {
  const quoteToken = currency === ZERO_ADDRESS ? weth : currency
  return { address: id, type: 'uniswap-v4', quoteToken, tokenIsToken0: token < currency, feeBps }
}
