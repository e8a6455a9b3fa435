import { defineEntity } from '@mikro-orm/core'
import { column } from './columns.ts'
import { type RowOf, tableOf } from './tableOf.ts'

const properties = {
  address: column.hex().primary(),
  token: column.address(),
  launchpad: column.text(),
  type: column.oneOf('type', ['curve', 'uniswap-v2', 'uniswap-v3', 'uniswap-v4']),
  quoteToken: column.address(),
  tokenIsToken0: column.boolean(),
  feeBps: column.double().strictNullable(),
  reserveToken: column.units().strictNullable(),
  reserveQuote: column.units().strictNullable(),
  // What the positions of a Uniswap v4 pool amount to, in 2^-160 of the smallest units; `null`: other pools, or not all of them are known.
  positionsToken: column.units().strictNullable(),
  positionsQuote: column.units().strictNullable(),
  sqrtPriceX96: column.units().strictNullable(),
  tick: column.integer().strictNullable(),
  liquidity: column.units().strictNullable(),
  /** The quote currency per whole token, in 10^18 of its smallest units, by the pool's state; `null` when it is not initialised. */
  price: column.decimal().strictNullable(),
  /** The locked position whose fees the launchpad shares out; `null` where it is not in this pool, or unknown. */
  positionId: column.units().strictNullable(),
  createdBlock: column.blockNumber(),
  /** The last block with an event that moved the pool; `null`: none since the column exists. */
  lastChangedBlock: column.blockNumber().strictNullable(),
}

export const PoolEntity = defineEntity({
  name: 'Pool',
  tableName: 'pool',
  properties,
  indexes: [
    { name: 'pool_by_token', properties: ['token'] },
    { name: 'pool_by_quote', properties: ['quoteToken'] },
  ],
})

export interface PoolRow extends RowOf<typeof properties> {}
export const POOL = tableOf(PoolEntity, properties)
