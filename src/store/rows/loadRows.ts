import { type Address, isEther } from '#domain/address.ts'
import { MAX_POOLS_TO_WETH } from '#domain/route.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import type { CurrentRows, RowKeys } from '#tables/changes.ts'
import type { TokenRow } from '#tables/token.ts'
import { LatestRows, type PendingBatch } from './latestRows.ts'

export interface LoadOptions {
  /** Unix seconds of the batch's last block. */
  readonly now: number
  /** Whether to also load the tokens of which a trade has left a window by `now`. Not possible with a pending batch. */
  readonly expired: boolean
  /** A batch that counts as committed, though its commit may still be running; `null`: none. */
  readonly pending: PendingBatch | null
  readonly weth: Address
}

/** The current rows that a batch is projected from. */
export async function loadRows(db: Queryable, keys: RowKeys, { now, expired, pending, weth }: LoadOptions): Promise<CurrentRows> {
  if (expired && pending !== null) throw new TypeError('the tokens that expire are not known while a batch is pending')
  const latest = new LatestRows(db, pending)
  const [tokens, creatorFees, balances] = await Promise.all([
    latest.tokens(keys.tokens, expired ? now : null),
    latest.creatorFees(keys.creatorFees),
    latest.balances(keys.balances),
  ])
  const [traded, aging, lastTrades] = await Promise.all([
    // The token of a pool that only values a quote currency has no row.
    latest.poolsOf([...new Set([...tokens.keys(), ...keys.tokens])]),
    latest.aging(tokens, now),
    latest.lastTrades(tokens, balances, now),
  ])
  const { quotes, pools } = await loadQuotes(latest, { tokens, pools: traded, currencies: keys.currencies, weth })
  const ticks = await latest.ticks(keys.ticks, pools)
  return { tokens, pools, quotes, ticks, balances, creatorFees, aging, lastTrades }
}

/** Loads the rows that determine the rates of currencies. */
export async function loadRates(db: Queryable, currencies: readonly Address[], weth: Address): Promise<CurrentRows> {
  const nothing = {
    tokens: new Map(),
    ticks: new Map(),
    balances: new Map(),
    creatorFees: new Map(),
    aging: new Map(),
    lastTrades: new Map(),
  }
  const { quotes, pools } = await loadQuotes(new LatestRows(db, null), { ...nothing, pools: new Map(), currencies, weth })
  return { ...nothing, pools, quotes }
}

interface Traded extends Pick<CurrentRows, 'tokens' | 'pools'> {
  /** Currencies that are wanted besides those that the pools are quoted in. */
  readonly currencies: readonly Address[]
  readonly weth: Address
}

/**
 * Loads the rows that determine the rates of the pools' quote currencies: the currencies' own pools, then the pools of the currencies that
 * those are quoted in, and so on up to ether. Where all pools are quoted in ether, there is nothing to read.
 *
 * @returns the markets of quote currencies that are indexed tokens, and all pools, including the given ones
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
    const [rows, found] = await Promise.all([latest.tokens(unknown), latest.poolsOf(wanted)])
    for (const row of rows.values()) quotes.set(row.address, row)
    for (const pool of found.values()) pools.set(pool.address, pool)
    next = [...found.values()].map(({ quoteToken }) => quoteToken)
  }
  return { quotes, pools }
}
