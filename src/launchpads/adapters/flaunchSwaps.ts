import { toEventSelector } from 'viem/utils'
import type { ChainLog } from '#domain/block.ts'
import type { TransactionLogs } from '#launchpads/adapter.ts'
import type { LogSourceOf } from '#launchpads/logSource.ts'
import { type PairAmounts, pairAmounts, poolTrade } from '#launchpads/pools/poolTrade.ts'
import { eventPosition, type TokenEventOf } from '#launchpads/tokenEvent.ts'
import { addressTopic, signed, wordsOf } from '#launchpads/words.ts'

/**
 * What Flaunch's hook reports after every swap: two amounts and two fees each, for the fair launch, for the hook's stock of fee tokens,
 * which it sells before the pool does, and for the pool. Signs are from the swapper's side, so paid amounts are negative.
 */
export const POOL_SWAP_TOPIC = toEventSelector(`PoolSwap(bytes32,${Array.from({ length: 12 }, () => 'int256').join()})`)

const FILLS = [0, 4, 8] as const
const WORDS = 12

/**
 * The trade that a swap was as a whole: what the swapper paid and received, the hook's fees included.
 *
 * @param swap the event of the PoolManager, which only has what went through the pool
 * @returns `null` when nothing was swapped
 * @throws MalformedLogError
 */
export function wholeTrade(
  log: ChainLog,
  swap: ChainLog,
  { token, pool, tokenDecimals }: LogSourceOf<'pool'>,
  transaction: TransactionLogs,
): TokenEventOf<'trade'> | null {
  const word = wordsOf(log.data, WORDS)
  const sumOf = (offset: number) => FILLS.reduce((sum, fill) => sum + signed(word(fill + offset)), 0n)
  const filled = pairAmounts(pool, sumOf(0), sumOf(1))
  const fees = pairAmounts(pool, -sumOf(2), -sumOf(3))
  const paid = { token: fees.token - filled.token, quote: fees.quote - filled.quote }
  if (paid.token === 0n && paid.quote === 0n) return null
  const at = { ...eventPosition(log, transaction), token }
  const trade = poolTrade({ log: swap, pool, tokenDecimals, at, transaction }, paid, null, 'poolManager', () =>
    addressTopic(swap.topics, 2),
  )
  return { ...trade, feeQuote: inQuote(fees, filled) }
}

/** Fees in the quote currency. Fees taken in tokens are valued at the average price of the swap. */
function inQuote(fees: PairAmounts, filled: PairAmounts): bigint | null {
  if (fees.token === 0n) return fees.quote
  if (filled.token === 0n) return null
  const price = (fees.token * filled.quote) / filled.token
  return fees.quote + (price < 0n ? -price : price)
}
