import { defineEntity } from '@mikro-orm/core'
import { column, ofBlocks, type RowOf, tableOf } from './columns.ts'

const properties = {
  number: column.blockNumber().primary().autoincrement(false),
  hash: column.hex(),
  parentHash: column.hex(),
  timestamp: column.seconds(),
  /** The last quote currency whose tokens were revalued in turn by this block; `null`: the turns begin at the first currency again. */
  revaluedTo: column.address().strictNullable(),
  /** Whether it was committed together with the next block, so that the rows between the two can't be restored. */
  mergedWithNext: column.boolean().fieldName('joined').default(false),
}

/** One of the newest indexed blocks. */
export const BlockEntity = ofBlocks({ undone: 'number' }, defineEntity({ name: 'Block', tableName: 'block', properties }))

export interface BlockRow extends RowOf<typeof properties> {}
export const BLOCK = tableOf(BlockEntity, properties)
