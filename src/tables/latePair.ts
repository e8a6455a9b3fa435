import { defineEntity } from '@mikro-orm/core'
import { column } from './columns.ts'

/**
 * A pair with events in blocks that market-data sites were answered before the pair was in the index. `joinedBlock` names the join that
 * brought it: the first block that was not final then.
 */
export const LatePairEntity = defineEntity({
  name: 'LatePair',
  tableName: 'late_pair',
  properties: { pool: column.hex().primary(), joinedBlock: column.blockNumber() },
  indexes: [{ name: 'late_pair_by_join', properties: ['joinedBlock'] }],
})
