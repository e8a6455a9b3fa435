import { defineEntity } from '@mikro-orm/core'
import { column, ofBlocks, type RowOf, tableOf } from './columns.ts'

const properties = {
  pool: column.hex().primary(),
  tick: column.integer().primary(),
  /** The liquidity of the positions that begin at the tick, less that of those that end at it: what a price that rises past it adds. */
  liquidity: column.units(),
}

/** A tick of a Uniswap v4 pool at which positions begin or end. */
export const PoolTickEntity = ofBlocks(
  { undone: 'image', leavesBy: 'pool', joins: 'named' },
  defineEntity({
    name: 'PoolTick',
    tableName: 'pool_tick',
    properties,
    // Ticks without liquidity stay in the table. This index leaves them out, so that a price can move past many of them at no cost.
    indexes: [
      {
        name: 'pool_tick_set',
        expression: 'create index pool_tick_set on pool_tick (pool, tick) include (liquidity) where liquidity <> 0',
      },
    ],
  }),
)

export interface PoolTickRow extends RowOf<typeof properties> {}
export const POOL_TICK = tableOf(PoolTickEntity, properties)
