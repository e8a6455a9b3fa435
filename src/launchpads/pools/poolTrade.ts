import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { type Decimal, powerOfTen, ratio } from '#domain/decimal.ts'
import { WETH_UNIT } from '#domain/prices.ts'
import type { TradeSide } from '#domain/trade.ts'
import type { TransactionLogs } from '#launchpads/adapter.ts'
import type { PoolFacts, TokenEvent, TokenEventOf, TokenEventPosition, TradeSettlement } from '#launchpads/tokenEvent.ts'

export interface PoolLog {
  readonly log: ChainLog
  readonly pool: PoolFacts
  readonly tokenDecimals: number
  readonly at: TokenEventPosition
  readonly transaction: TransactionLogs
}

/** @throws MalformedLogError */
export type DecodePool = (poolLog: PoolLog) => readonly TokenEvent[]

export interface PairAmounts {
  readonly token: bigint
  readonly quote: bigint
}

/** The price, in the unit of `poolChanged`, at which raw amounts of both sides are worth the same; `null` when `token` is zero. */
export function quotePrice(quote: bigint, token: bigint, tokenDecimals: number): Decimal | null {
  return ratio(quote * powerOfTen(tokenDecimals), token * WETH_UNIT)
}

/** The maker of a trade whose events name none: the transaction's sender, unless transfers show another account. */
export const BY_SENDER = { maker: ZERO_ADDRESS, bySender: true } as const

/** Uniswap's unit of fees: a hundredth of a basis point. */
export const WHOLE_PIPS = 1_000_000n

/** The amounts of token0 and token1 as those of the token and of the quote currency. */
export function pairAmounts({ tokenIsToken0 }: Pick<PoolFacts, 'tokenIsToken0'>, amount0: bigint, amount1: bigint): PairAmounts {
  return tokenIsToken0 ? { token: amount0, quote: amount1 } : { token: amount1, quote: amount0 }
}

/**
 * The trade of a swap.
 *
 * @param intoPool what the swap adds to the pool, negative where it takes out; not zero on both sides
 * @param feePips `null`: unknown
 * @param settledBy the maker is the account that the token's transfers show
 * @param named gives the maker where they show none. A PoolManager only knows its caller, so the transaction's sender takes its place
 */
export function poolTrade(
  { log, pool, at }: PoolLog,
  intoPool: PairAmounts,
  feePips: bigint | null,
  settledBy: TradeSettlement['by'],
  named: (side: TradeSide) => Address,
): TokenEventOf<'trade'> {
  const side = intoPool.token < 0n || (intoPool.token === 0n && intoPool.quote > 0n) ? 'buy' : 'sell'
  const amountToken = magnitude(intoPool.token)
  const amountQuote = magnitude(intoPool.quote)
  const feeQuote = feePips === null ? null : swapFee(side, amountQuote, feePips)
  const maker = { maker: named(side), ...(settledBy === 'poolManager' && { bySender: true as const }) }
  const settlement = { place: log.address, by: settledBy }
  return { ...at, kind: 'trade', pool: pool.address, phase: 'pool', side, ...maker, settlement, amountToken, amountQuote, feeQuote }
}

/** The liquidity that entered a pool according to an event, negative if it left. Empty if nothing moved. */
export function poolJoinExit({ pool, at }: PoolLog, { token, quote }: PairAmounts, maker: Address): readonly TokenEventOf<'joinExit'>[] {
  if (token === 0n && quote === 0n) return []
  return [{ ...at, kind: 'joinExit', pool: pool.address, maker, amountToken: token, amountQuote: quote }]
}

export function fixedFeePips({ feeBps }: Pick<PoolFacts, 'feeBps'>): bigint | null {
  return feeBps === null ? null : BigInt(Math.round(feeBps * 100))
}

/**
 * The pool's fee on a swap, in the quote currency. A buy pays it in the quote currency, rounded up. A sell pays it in tokens, which are
 * valued at the trade's price here. `null` for a fee of 100 % or more, which leaves no price: a launchpad's event may give pips where basis
 * points are expected.
 */
export function swapFee(side: TradeSide, amountQuote: bigint, feePips: bigint): bigint | null {
  if (feePips >= WHOLE_PIPS) return null
  return side === 'buy' ? (amountQuote * feePips + WHOLE_PIPS - 1n) / WHOLE_PIPS : (amountQuote * feePips) / (WHOLE_PIPS - feePips)
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value
}
