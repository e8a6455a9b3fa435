import { defineEntity } from '@mikro-orm/core'
import { column } from './columns.ts'
import { type RowOf, tableOf } from './tableOf.ts'

const properties = {
  pool: column.hex().primary(),
  blockNumber: column.blockNumber(),
  logIndex: column.logIndex(),
  txHash: column.hex(),
  txIndex: column.bigint(),
  timestamp: column.seconds(),
}

/** A pool's first log in the block that announces the pool. It has its own table, since the row of `pool` is rewritten by every trade. */
export const PoolCreationEntity = defineEntity({
  name: 'PoolCreation',
  tableName: 'pool_creation',
  properties,
  indexes: [{ name: 'pool_creation_by_block', properties: ['blockNumber'] }],
})

export interface PoolCreationRow extends RowOf<typeof properties> {}
export const POOL_CREATION = tableOf(PoolCreationEntity, properties)
