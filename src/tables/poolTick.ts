import { defineEntity } from '@mikro-orm/core'
import { column } from './columns.ts'
import { type RowOf, tableOf } from './tableOf.ts'

const properties = {
  pool: column.hex().primary(),
  tick: column.integer().primary(),
  /** What the positions that begin here add to the pool's liquidity as the price rises past, less that of those that end here. */
  liquidity: column.units(),
}

/** A tick of a Uniswap v4 pool at which positions begin or end. */
export const PoolTickEntity = defineEntity({
  name: 'PoolTick',
  tableName: 'pool_tick',
  properties,
  // Ticks without liquidity stay as rows, so that their number does not make a move of the price past them expensive.
  indexes: [
    {
      name: 'pool_tick_set',
      expression: 'create index pool_tick_set on pool_tick (pool, tick) include (liquidity) where liquidity <> 0',
    },
  ],
})

export interface PoolTickRow extends RowOf<typeof properties> {}
export const POOL_TICK = tableOf(PoolTickEntity, properties)
