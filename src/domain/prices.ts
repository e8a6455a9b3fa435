import type { Address } from './address.ts'
import { type Decimal, powerOfTen, ratio } from './decimal.ts'
import type { TradeSide } from './trade.ts'

/** Below this many units of either side, rounding in the contract moves the ratio by more than a tenth of a percent. */
const DUST_UNITS = 1_000n

/**
 * The average price of a trade without its fee: with the fee, prices would zigzag between buys and sells. The unit is 10^18 smallest units
 * of the quote currency per whole token, which is WETH per token where the quote currency is WETH.
 *
 * @returns `null` when the trade is so small that its amounts say nothing about a price
 */
export function tradePrice(
  trade: { readonly side: TradeSide; readonly amountToken: bigint; readonly amountQuote: bigint; readonly feeQuote: bigint | null },
  tokenDecimals: number,
): Decimal | null {
  const fee = trade.feeQuote ?? 0n
  const net = trade.side === 'buy' ? trade.amountQuote - fee : trade.amountQuote + fee
  if (trade.amountToken < DUST_UNITS || net < DUST_UNITS) return null
  return ratio(net * powerOfTen(tokenDecimals), trade.amountToken * WETH_UNIT)
}

const Q96 = 1n << 96n

interface PoolState {
  readonly liquidity: bigint | null
  readonly sqrtPriceX96: bigint | null
  readonly tokenIsToken0: boolean
}

/**
 * What the liquidity around the price would amount to of the quote currency if it lay at every price (Uniswap v3 whitepaper, 6.2). An
 * estimate of the depth of a pool that the operator has chosen: in any pool, one narrow position raises it at almost no cost.
 */
export function quoteInRange({ liquidity, sqrtPriceX96, tokenIsToken0 }: PoolState): bigint | null {
  if (liquidity === null || sqrtPriceX96 === null || sqrtPriceX96 === 0n) return null
  return tokenIsToken0 ? (liquidity * sqrtPriceX96) / Q96 : (liquidity * Q96) / sqrtPriceX96
}

/*
 * Square roots of prices as Uniswap v3 and v4 keep them, in 2^-96: at a tick the root is that of 1.0001^tick, with the roundings of the
 * contracts (TickMath.sol), so that it equals theirs to the last bit.
 */

export const MAX_TICK = 887_272

const ONE = 1n << 128n
const LARGEST = (1n << 256n) - 1n
/** More digits than are kept, since squaring doubles errors. */
const PRECISION = 512n

/** 1.0001^(-2^n / 2) in 2^-128, rounded to the nearest: a factor for each binary digit of a tick. */
const FACTORS = factors()

function factors(): readonly bigint[] {
  let power = squareRoot((10_000n << (2n * PRECISION)) / 10_001n)
  return Array.from({ length: MAX_TICK.toString(2).length }, () => {
    const factor = (power + (1n << (PRECISION - 129n))) >> (PRECISION - 128n)
    power = (power * power) >> PRECISION
    return factor
  })
}

function squareRoot(square: bigint): bigint {
  let root = 1n << BigInt((square.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (root + square / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

/** @param tick a whole number from -`MAX_TICK` to `MAX_TICK` */
export function sqrtPriceAtTick(tick: number): bigint {
  const digits = Math.abs(tick)
  let root = ONE
  for (const [digit, factor] of FACTORS.entries()) if ((digits & (1 << digit)) !== 0) root = (root * factor) >> 128n
  if (tick > 0) root = LARGEST / root
  return (root + 0xff_ff_ff_ffn) >> 32n
}

/** The decimals of WETH, the same as those of ETH. */
export const WETH_DECIMALS = 18
/** One WETH in wei. */
export const WETH_UNIT = 10n ** 18n

/** The WETH of Base. Contracts that adapters know beforehand are of that chain. */
export const BASE_WETH = '0x4200000000000000000000000000000000000006' as Address

/** The maximum length of a route of pools from a quote currency to WETH. */
export const MAX_POOLS_TO_WETH = 3

/** Bounds the exponent of a price: no real currency has more decimals, but a contract may return any number. */
export const MAX_QUOTE_DECIMALS = 36
