import type { Hex } from '#domain/address.ts'
import { sqrtPriceAtTick } from '#domain/sqrtPrice.ts'
import { pairAmounts } from '#launchpads/pools/poolTrade.ts'
import type { TokenEventOf } from '#launchpads/tokenEvent.ts'
import type { PoolRow } from '#tables/pool.ts'
import { type Draft, draftTick, type Mutable, ticksOf } from './draft.ts'

/*
 * The reserves of a Uniswap v4 pool. The PoolManager holds the tokens of all pools together, and a swap's amounts include fees, which leave
 * the pool without an event. But every position is in an event, and the amounts in positions follow from the price. A move of the price
 * takes one step per tick in between, for which its swap had to pay gas, too.
 */

type PoolChanged = TokenEventOf<'poolChanged'>

/** Amounts are in 2^-160 of the smallest units, where each is a whole number, and equal amounts that come and go cancel out. */
const FRACTION_BITS = 160n

/** Applies an event to a pool's positions and reserves. To be called with the pool as it was before the event. */
export function changePositions(draft: Draft, pool: Mutable<PoolRow>, { concentrated, liquidityChange }: PoolChanged): void {
  if (pool.type !== 'uniswap-v4') return
  if (liquidityChange !== null) addPosition(draft, pool, liquidityChange)
  if (concentrated !== null) moveTo(draft, pool, concentrated)
  pool.reserveToken = pool.positionsToken === null ? null : pool.positionsToken >> FRACTION_BITS
  pool.reserveQuote = pool.positionsQuote === null ? null : pool.positionsQuote >> FRACTION_BITS
}

function addPosition(
  draft: Draft,
  pool: Mutable<PoolRow>,
  { amount, tickLower, tickUpper }: NonNullable<PoolChanged['liquidityChange']>,
): void {
  if (pool.positionsQuote === null || pool.sqrtPriceX96 === null) return forget(pool)
  const [lower, upper] = [sqrtPriceAtTick(tickLower), sqrtPriceAtTick(tickUpper)]
  const at = pool.sqrtPriceX96 < lower ? lower : pool.sqrtPriceX96 > upper ? upper : pool.sqrtPriceX96
  add(pool, amountsBetween(at, upper, amount).amount0, amountsBetween(lower, at, amount).amount1)
  draftTick(draft, pool.address, tickLower).liquidity += amount
  draftTick(draft, pool.address, tickUpper).liquidity -= amount
}

function moveTo(draft: Draft, pool: Mutable<PoolRow>, to: NonNullable<PoolChanged['concentrated']>): void {
  const { sqrtPriceX96, tick } = pool
  if (sqrtPriceX96 === null || tick === null) {
    // Only the event that initialises a pool has no liquidity. A pool that was initialised before it was known may have other positions.
    if (to.liquidity !== null) return forget(pool)
    pool.positionsToken = 0n
    pool.positionsQuote = 0n
  }
  if (sqrtPriceX96 === null || tick === null || pool.positionsQuote === null) return
  let at = sqrtPriceX96
  let liquidity = pool.liquidity ?? 0n
  let [amount0, amount1] = [0n, 0n]
  const advance = (next: bigint) => {
    const moved = amountsBetween(at, next, liquidity)
    amount0 -= moved.amount0
    amount1 += moved.amount1
    at = next
  }
  for (const crossed of crossedTicks(draft, pool.address, tick, to.tick)) {
    advance(sqrtPriceAtTick(crossed.tick))
    liquidity += to.tick > tick ? crossed.liquidity : -crossed.liquidity
  }
  advance(to.sqrtPriceX96)
  // Another liquidity than the event's means that some positions are not known.
  if (to.liquidity !== null && to.liquidity !== liquidity) return forget(pool)
  add(pool, amount0, amount1)
}

/** The ticks between two ticks, in the order in which the price passes them. A price at a tick has passed it from below. */
function crossedTicks(draft: Draft, pool: Hex, from: number, to: number) {
  if (from === to) return []
  const [low, high] = from < to ? [from, to] : [to, from]
  const crossed = ticksOf(draft, pool).filter(({ tick, liquidity }) => tick > low && tick <= high && liquidity !== 0n)
  return crossed.toSorted((a, b) => (from < to ? a.tick - b.tick : b.tick - a.tick))
}

/** The amounts of liquidity between two prices, which are square roots (Uniswap v3 whitepaper, 6.29 and 6.30). */
function amountsBetween(a: bigint, b: bigint, liquidity: bigint): { readonly amount0: bigint; readonly amount1: bigint } {
  return { amount0: liquidity * (inverse(a) - inverse(b)), amount1: (liquidity * (b - a)) << (FRACTION_BITS - 96n) }
}

function inverse(sqrtPriceX96: bigint): bigint {
  return (1n << (FRACTION_BITS + 96n)) / sqrtPriceX96
}

function add(pool: Mutable<PoolRow>, amount0: bigint, amount1: bigint): void {
  const { token, quote } = pairAmounts(pool, amount0, amount1)
  pool.positionsToken = (pool.positionsToken ?? 0n) + token
  pool.positionsQuote = (pool.positionsQuote ?? 0n) + quote
}

/** Makes the pool's reserves unknown for good. */
function forget(pool: Mutable<PoolRow>): void {
  pool.positionsToken = null
  pool.positionsQuote = null
}
