import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { CURRENCY } from '#tables/currency.ts'
import { insertRows, runStatements } from './insertRows.ts'

/** Stores the currencies whose symbol and decimals are known: WETH, and ETH itself, for which pools use the zero address. */
export async function writeEther(db: Queryable, weth: Address): Promise<void> {
  const known = [
    { address: weth, symbol: 'WETH', decimals: 18, isRead: true, readAgainAtMs: null },
    { address: ZERO_ADDRESS, symbol: 'ETH', decimals: 18, isRead: true, readAgainAtMs: null },
  ]
  await runStatements(db, insertRows(CURRENCY, known, CURRENCY.merge))
}
