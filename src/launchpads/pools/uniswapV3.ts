import { toEventSelector } from 'viem/utils'
import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { Decimal } from '#domain/decimal.ts'
import type { TradeSide } from '#domain/trade.ts'
import { type PoolChange, type PoolFacts, poolChanged, poolFacts, type TokenEvent, type TokenEventOf } from '#launchpads/tokenEvent.ts'
import { addressTopic, addressWord, signed, unlessMalformed, unsigned, wordsByName, wordsOf, wordTopic } from '#launchpads/words.ts'
import { type DecodePool, fixedFeePips, type PoolLog, pairAmounts, poolJoinExit, poolTrade, quotePrice } from './poolTrade.ts'

/** The logs of a Uniswap v3 pool that change its balances or price (`v3-core/contracts/interfaces/pool/IUniswapV3PoolEvents.sol`). */
const TOPICS = {
  initialize: toEventSelector('Initialize(uint160,int24)'),
  swap: toEventSelector('Swap(address,address,int256,int256,uint160,uint128,int24)'),
  // PancakeSwap (`pancake-v3-contracts`, `projects/v3-core/contracts/interfaces/pool/IPancakeV3PoolEvents.sol`): with the protocol's fees.
  swapWithProtocolFees: toEventSelector('Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)'),
  mint: toEventSelector('Mint(address,address,int24,int24,uint128,uint256,uint256)'),
  burn: toEventSelector('Burn(address,int24,int24,uint128,uint256,uint256)'),
  collect: toEventSelector('Collect(address,address,int24,int24,uint128,uint128)'),
  collectProtocol: toEventSelector('CollectProtocol(address,address,uint128,uint128)'),
  flash: toEventSelector('Flash(address,address,uint256,uint256,uint256,uint256)'),
  // Aerodrome and Velodrome Slipstream (`contracts/core/interfaces/pool/ICLPoolEvents.sol`): the gauge takes the fees of staked positions.
  collectFees: toEventSelector('CollectFees(address,uint128,uint128)'),
} as const

export const V3_TOPICS: readonly Hex[] = Object.values(TOPICS)

export const SWAP_TOPIC = TOPICS.swap

const SWAPPED = { amount0: 0, amount1: 1, sqrtPriceX96: 2, liquidity: 3, tick: 4 }

const Q192 = 1n << 192n

/**
 * Decodes a log of a v3 pool. Reserves are the pool's balances: a burn changes them only when it is collected. They are known from the
 * event that initialises the pool, or from calls (`decodeLogs.ts`).
 */
export const decodeUniswapV3: DecodePool = poolLog => {
  const { log, pool, at } = poolLog
  const changed = (change: PoolChange) => poolChanged(at, pool.address, change)
  const joinExit = (amount0: bigint, amount1: bigint, change: PoolChange = {}): readonly TokenEvent[] => {
    const amounts = pairAmounts(pool, amount0, amount1)
    return [
      changed({ reserves: { mode: 'move', ...amounts }, ...change }),
      // The first indexed argument: the owner of the liquidity, or the caller of `collectProtocol`, `collectFees` or `flash`.
      ...poolJoinExit(poolLog, amounts, addressTopic(log.topics, 1)),
    ]
  }

  switch (log.topics[0]) {
    case TOPICS.initialize: {
      const field = wordsByName(log.data, 2, { sqrtPriceX96: 0, tick: 1 })
      return [
        changed({ reserves: { mode: 'set', token: 0n, quote: 0n }, ...concentratedChange(poolLog, field('sqrtPriceX96'), field('tick')) }),
      ]
    }
    case TOPICS.swapWithProtocolFees:
    case TOPICS.swap: {
      const field = wordsByName(log.data, 5, SWAPPED)
      const intoPool = pairAmounts(pool, signed(field('amount0')), signed(field('amount1')))
      const priced = concentratedChange(poolLog, field('sqrtPriceX96'), field('tick'), field('liquidity'))
      const state = changed({ reserves: { mode: 'move', ...intoPool }, ...priced })
      if (intoPool.token === 0n && intoPool.quote === 0n) return [state]
      const named = (side: TradeSide) => addressTopic(log.topics, side === 'buy' ? 2 : 1)
      return [state, poolTrade(poolLog, intoPool, fixedFeePips(pool), 'pool', named)]
    }
    case TOPICS.mint: {
      const field = wordsByName(log.data, 4, { liquidity: 1, amount0: 2, amount1: 3 })
      return joinExit(field('amount0'), field('amount1'), { liquidityChange: { amount: field('liquidity'), ...range(log.topics) } })
    }
    case TOPICS.burn: {
      const field = wordsByName(log.data, 3, { liquidity: 0 })
      return [changed({ liquidityChange: { amount: -field('liquidity'), ...range(log.topics) } })]
    }
    case TOPICS.collect: {
      const field = wordsByName(log.data, 3, { amount0: 1, amount1: 2 })
      return joinExit(-field('amount0'), -field('amount1'))
    }
    case TOPICS.collectFees:
    case TOPICS.collectProtocol: {
      const field = wordsByName(log.data, 2, { amount0: 0, amount1: 1 })
      return joinExit(-field('amount0'), -field('amount1'))
    }
    case TOPICS.flash: {
      const field = wordsByName(log.data, 4, { paid0: 2, paid1: 3 })
      return joinExit(field('paid0'), field('paid1'))
    }
    default:
      return []
  }
}

/**
 * The state of a pool from the words of an event. The words are checked, since a launchpad may name any contract as a pool.
 *
 * @param liquidity left out: the event does not report it
 * @throws MalformedLogError when a word is wider than its type in Uniswap's contracts
 */
export function concentratedState(
  sqrtPriceX96: bigint,
  tick: bigint,
  liquidity: bigint | null = null,
): NonNullable<TokenEventOf<'poolChanged'>['concentrated']> {
  return {
    sqrtPriceX96: unsigned(sqrtPriceX96, 160),
    tick: Number(signed(tick, 24)),
    liquidity: liquidity === null ? null : unsigned(liquidity, 128),
  }
}

/** The change of a pool's state and price. Parameters as of `concentratedState`. */
export function concentratedChange(
  { pool, tokenDecimals }: PoolLog,
  ...words: Parameters<typeof concentratedState>
): Pick<PoolChange, 'concentrated' | 'price'> {
  const concentrated = concentratedState(...words)
  return { concentrated, price: priceFromSqrt(concentrated.sqrtPriceX96, pool, tokenDecimals) }
}

/** The price, in the unit of `poolChanged`, at a pool's square-root price (Uniswap v3 whitepaper, 6.1); `null`: it is not initialised. */
export function priceFromSqrt(sqrtPriceX96: bigint, pool: Pick<PoolFacts, 'tokenIsToken0'>, tokenDecimals: number): Decimal | null {
  if (sqrtPriceX96 === 0n) return null
  const squared = sqrtPriceX96 * sqrtPriceX96
  const [quote, token] = pool.tokenIsToken0 ? [squared, Q192] : [Q192, squared]
  return quotePrice(quote, token, tokenDecimals)
}

function range(topics: readonly Hex[]): { tickLower: number; tickUpper: number } {
  return { tickLower: Number(signed(wordTopic(topics, 2))), tickUpper: Number(signed(wordTopic(topics, 3))) }
}

export const POOL_CREATED_TOPIC = toEventSelector('PoolCreated(address,address,uint24,int24,address)')

/** Uniswap gives fees in hundredths of a basis point. */
const PIPS_PER_BPS = 100

export interface CreatedPool {
  readonly logIndex: number
  readonly feePips: bigint
  readonly facts: PoolFacts
}

/** The pools of the token that a v3 factory made in the transaction of `creation`, up to that log, in order. */
export function poolsCreated(token: Address, creation: ChainLog, logs: readonly ChainLog[], factory: Address): readonly CreatedPool[] {
  const earlier = logs.filter(({ txHash, logIndex }) => txHash === creation.txHash && logIndex < creation.logIndex)
  return poolsCreatedBy(factory, token, earlier)
}

/** The pools of the token that a v3 factory made in these logs, in order. */
export function poolsCreatedBy(factory: Address, token: Address, logs: readonly ChainLog[]): readonly CreatedPool[] {
  return logs.flatMap(log => {
    if (log.address !== factory || log.topics[0] !== POOL_CREATED_TOPIC) return []
    return unlessMalformed(() => poolOf(token, log)) ?? []
  })
}

function poolOf(token: Address, log: ChainLog): readonly CreatedPool[] {
  const [token0, token1] = [addressTopic(log.topics, 1), addressTopic(log.topics, 2)]
  if (token !== token0 && token !== token1) return []
  const feePips = wordTopic(log.topics, 3)
  const pair = { token, quoteToken: token0 === token ? token1 : token0, feeBps: Number(feePips) / PIPS_PER_BPS }
  return [{ logIndex: log.logIndex, feePips, facts: poolFacts(addressWord(wordsOf(log.data, 2)(1)), 'uniswap-v3', pair) }]
}
