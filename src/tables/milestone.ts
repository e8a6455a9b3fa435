import { defineEntity } from '@mikro-orm/core'
import { column, ofBlocks, type RowOf, tableOf } from './columns.ts'

const properties = {
  kind: column.oneOf('kind', ['launch', 'graduation']).primary(),
  blockNumber: column.blockNumber().primary(),
  logIndex: column.logIndex().primary(),
  token: column.address(),
  /** The status that the graduation reached; `null` for a launch. */
  status: column.oneOf('status', ['completed', 'migrated']).strictNullable(),
}

/** A launch or graduation of a token, with its place on the chain. Blocks add such rows and never change them. */
export const MilestoneEntity = ofBlocks(
  { undone: 'block_number', leavesBy: 'token', joins: 'all' },
  defineEntity({ name: 'Milestone', tableName: 'milestone', properties }),
)

export interface MilestoneRow extends RowOf<typeof properties> {}
export const MILESTONE = tableOf(MilestoneEntity, properties)
