import { defineEntity } from '@mikro-orm/core'
import { column } from './columns.ts'

/**
 * A pair with events in blocks that market-data sites could read before the pair was in the index. `joinedBlock` identifies the join that
 * brought it: the first block that was not final at that time.
 */
export const LatePairEntity = defineEntity({
  name: 'LatePair',
  tableName: 'late_pair',
  properties: { pool: column.hex().primary(), joinedBlock: column.blockNumber() },
  indexes: [{ name: 'late_pair_by_join', properties: ['joinedBlock'] }],
})
