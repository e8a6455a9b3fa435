import { type Address, isEther } from '#domain/address.ts'
import { MAX_POOLS_TO_WETH } from '#domain/route.ts'
import type { CurrentRows } from '#tables/changes.ts'
import type { TokenRow } from '#tables/token.ts'
import type { LatestRows } from './latestRows.ts'

interface Traded extends Pick<CurrentRows, 'tokens' | 'pools'> {
  /** Currencies that are wanted besides those that the pools are quoted in. */
  readonly currencies: readonly Address[]
  readonly weth: Address
}

/**
 * Loads what the quote currencies of pools are worth by: their own pools, and what those are quoted in. Where all pools are in ether, there
 * is nothing to read.
 *
 * @returns the markets of those that are indexed tokens, and all pools with the given ones
 */
export async function loadQuotes(
  latest: LatestRows,
  { tokens, pools: traded, currencies, weth }: Traded,
): Promise<Pick<CurrentRows, 'quotes' | 'pools'>> {
  const quotes = new Map<Address, TokenRow>()
  const pools = new Map(traded)
  const seen = new Set<Address>()
  let next: readonly Address[] = [...currencies, ...[...traded.values()].map(({ quoteToken }) => quoteToken)]
  for (let hop = 0; hop < MAX_POOLS_TO_WETH; hop++) {
    const wanted = [...new Set(next)].filter(currency => !isEther(currency, weth) && !seen.has(currency))
    if (wanted.length === 0) break
    for (const currency of wanted) seen.add(currency)
    const unknown = wanted.filter(currency => !tokens.has(currency))
    for (const row of (await latest.tokens(unknown)).values()) quotes.set(row.address, row)
    const found = await latest.poolsOf(wanted)
    for (const pool of found.values()) pools.set(pool.address, pool)
    next = [...found.values()].map(({ quoteToken }) => quoteToken)
  }
  return { quotes, pools }
}
