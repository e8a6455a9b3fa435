import { defineEntity } from '@mikro-orm/core'
import { column, ofBlocks, type RowOf, tableOf } from './columns.ts'

const properties = {
  address: column.address().primary(),
  launchpad: column.text(),
  role: column.oneOf('role', ['contract', 'module']),
  createdBlock: column.blockNumber(),
}

/** A contract that launches name and that serves many tokens: a hook, an extension, a locker. The directory reads it after a restart. */
export const AnnouncedContractEntity = ofBlocks(
  { undone: 'created_block', leavesBy: 'launchpad' },
  defineEntity({ name: 'AnnouncedContract', tableName: 'announced_contract', properties }),
)

export interface AnnouncedContractRow extends RowOf<typeof properties> {}
export const ANNOUNCED_CONTRACT = tableOf(AnnouncedContractEntity, properties)
