import { formatUnits, multiplyTexts } from '#domain/decimal.ts'
import type { Prefixed } from '#store/rows/selectList.ts'
import type { PoolRow } from '#tables/pool.ts'
import type { StoredRow } from '#tables/tableOf.ts'
import type { TokenRow } from '#tables/token.ts'
import { trimScale } from './trimScale.ts'

/** A stored token with its main pool. */
type StoredToken = StoredRow<Pick<TokenRow, 'quoteUsd' | 'priceQuote' | 'totalSupply' | 'decimals'>> &
  (Prefixed<'pool', StoredRow<Pick<PoolRow, 'address' | 'reserveQuote'>>> | { readonly 'pool.address': null })

interface PeggedValues {
  readonly price: string | null
  readonly marketCap: string | null
  readonly liquidity: string | null
}

const NOT_PEGGED: PeggedValues = { price: null, marketCap: null, liquidity: null }
const WORTH_DECIMALS = 18

/** A token's values in USD by a peg of its quote currency. As in WETH, liquidity is twice the pool's quote side. */
export function peggedValues(row: StoredToken): PeggedValues {
  const usd = trimScale(row.quoteUsd)
  if (usd === null || row['pool.address'] === null) return NOT_PEGGED
  const price = row.priceQuote === null ? null : multiplyTexts(trimScale(row.priceQuote), usd)
  const quote = row['pool.reserveQuote']
  return {
    price,
    marketCap: price === null ? null : multiplyTexts(price, formatUnits(BigInt(row.totalSupply), row.decimals)),
    liquidity: quote === null ? null : multiplyTexts(formatUnits(2n * BigInt(quote), WORTH_DECIMALS), usd),
  }
}
