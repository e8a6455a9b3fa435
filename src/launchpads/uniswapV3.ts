import { toEventSelector } from 'viem/utils'
import type { Address, Hex } from '#domain/address.ts'
import { type Decimal, powerOfTen, ratio } from '#domain/decimal.ts'
import type { TransactionLogs, Watched, WatchedLog } from './adapter.ts'
import { findMaker } from './maker.ts'
import { poolChanged } from './poolChanged.ts'
import type { EventPosition, PoolFacts, TokenEvent } from './tokenEvent.ts'
import { addressTopic, signed, unsigned, wordsOf, wordTopic } from './words.ts'

/** The logs of a Uniswap v3 pool that move its amounts or price (`v3-core/contracts/interfaces/pool/IUniswapV3PoolEvents.sol`). */
const TOPICS = {
  initialize: toEventSelector('Initialize(uint160,int24)'),
  swap: toEventSelector('Swap(address,address,int256,int256,uint160,uint128,int24)'),
  mint: toEventSelector('Mint(address,address,int24,int24,uint128,uint256,uint256)'),
  burn: toEventSelector('Burn(address,int24,int24,uint128,uint256,uint256)'),
  collect: toEventSelector('Collect(address,address,int24,int24,uint128,uint128)'),
  collectProtocol: toEventSelector('CollectProtocol(address,address,uint128,uint128)'),
  flash: toEventSelector('Flash(address,address,uint256,uint256,uint256,uint256)'),
} as const

/** First topics of the logs of a pool that tell anything. */
export const V3_TOPICS: readonly Hex[] = Object.values(TOPICS)

/** keccak256 of a v3 pool's `Swap` signature. */
export const SWAP_TOPIC = TOPICS.swap

const Q192 = 1n << 192n
const PIPS = 1_000_000n

type PoolWatched = Extract<Watched, { role: 'pool' }>

/**
 * What a v3 pool's log means for its token. Amounts follow the pool's own balances: a mint and a swap's input come in, a swap's output and
 * a collect go out; a burn alone moves nothing.
 *
 * @throws MalformedLogError when a known topic carries other data
 */
export function decodeUniswapV3(
  { log }: WatchedLog,
  watched: PoolWatched,
  at: EventPosition & { readonly token: Address },
  transaction: TransactionLogs,
  weth: Address,
): readonly TokenEvent[] {
  const { pool, tokenDecimals } = watched
  const changed = (told: Parameters<typeof poolChanged>[2]) => poolChanged(at, pool.address, told)
  const priceAt = (sqrtPriceX96: bigint) => (pool.quoteToken === weth ? priceFromSqrt(sqrtPriceX96, pool, tokenDecimals) : null)
  const move = (amount0: bigint, amount1: bigint) =>
    ({ mode: 'move', token: pool.tokenIsToken0 ? amount0 : amount1, quote: pool.tokenIsToken0 ? amount1 : amount0 }) as const

  switch (log.topics[0]) {
    case TOPICS.initialize: {
      const word = wordsOf(log.data, 2)
      const concentrated = concentratedState(word(0), word(1))
      return [changed({ priceWeth: priceAt(concentrated.sqrtPriceX96), concentrated })]
    }
    case TOPICS.swap: {
      const word = wordsOf(log.data, 5)
      const reserves = move(signed(word(0)), signed(word(1)))
      const concentrated = concentratedState(word(2), word(4), word(3))
      const state = changed({ reserves, priceWeth: priceAt(concentrated.sqrtPriceX96), concentrated })
      if (reserves.token === 0n && reserves.quote === 0n) return [state]
      const side = reserves.token < 0n || (reserves.token === 0n && reserves.quote > 0n) ? 'buy' : 'sell'
      const amountToken = magnitude(reserves.token)
      const swap = { token: watched.token, pool: log.address, side, amountToken, logIndex: log.logIndex } as const
      const maker = findMaker(transaction.logs, swap) ?? addressTopic(log.topics, side === 'buy' ? 2 : 1)
      const amountWei = pool.quoteToken === weth ? magnitude(reserves.quote) : null
      const feeWei = amountWei === null || pool.feeBps === null ? null : swapFee(side, amountWei, BigInt(Math.round(pool.feeBps * 100)))
      return [state, { ...at, kind: 'trade', pool: pool.address, phase: 'pool', side, maker, amountToken, amountWei, feeWei }]
    }
    case TOPICS.mint: {
      const word = wordsOf(log.data, 4)
      return [changed({ reserves: move(word(2), word(3)), liquidityChange: { amount: word(1), ...range(log.topics) } })]
    }
    case TOPICS.burn:
      return [changed({ liquidityChange: { amount: -wordsOf(log.data, 3)(0), ...range(log.topics) } })]
    case TOPICS.collect: {
      const word = wordsOf(log.data, 3)
      return [changed({ reserves: move(-word(1), -word(2)) })]
    }
    case TOPICS.collectProtocol: {
      const word = wordsOf(log.data, 2)
      return [changed({ reserves: move(-word(0), -word(1)) })]
    }
    case TOPICS.flash: {
      const word = wordsOf(log.data, 4)
      return [changed({ reserves: move(word(2), word(3)) })]
    }
    default:
      return []
  }
}

/**
 * The words of a pool's state. A pool may be any contract that a launchpad names: what Uniswap's own never says is no state.
 *
 * @param liquidity left out: the event does not tell it
 * @throws MalformedLogError when one is wider than its type
 */
export function concentratedState(sqrtPriceX96: bigint, tick: bigint, liquidity: bigint | null = null) {
  return {
    sqrtPriceX96: unsigned(sqrtPriceX96, 160),
    tick: Number(signed(tick, 24)),
    liquidity: liquidity === null ? null : unsigned(liquidity, 128),
  }
}

/** WETH per whole token at a pool's square-root price (Uniswap v3 whitepaper, 6.1); `null` when it is not initialised. */
export function priceFromSqrt(
  sqrtPriceX96: bigint,
  pool: Pick<PoolFacts, 'tokenIsToken0' | 'quoteDecimals'>,
  tokenDecimals: number,
): Decimal | null {
  if (sqrtPriceX96 === 0n) return null
  const squared = sqrtPriceX96 * sqrtPriceX96
  const [quote, token] = pool.tokenIsToken0 ? [squared, Q192] : [Q192, squared]
  return ratio(quote * powerOfTen(tokenDecimals), token * powerOfTen(pool.quoteDecimals))
}

/**
 * The pool's fee on a swap in wei: taken from the WETH of a buy; for a sell, whose fee is in tokens, its worth at the trade's price. `null` where the fee
 * is everything, as a launchpad may say that gives pips for basis points: then nothing tells a price.
 */
export function swapFee(side: 'buy' | 'sell', amountWei: bigint, feePips: bigint): bigint | null {
  if (feePips >= PIPS) return null
  return side === 'buy' ? (amountWei * feePips + PIPS - 1n) / PIPS : (amountWei * feePips) / (PIPS - feePips)
}

function range(topics: readonly `0x${string}`[]): { tickLower: number; tickUpper: number } {
  return { tickLower: Number(signed(wordTopic(topics, 2))), tickUpper: Number(signed(wordTopic(topics, 3))) }
}

export function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value
}
