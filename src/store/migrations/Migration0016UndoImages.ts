import { Migration } from '@mikro-orm/migrations'

const TABLES = [
  'token',
  'pool',
  'pool_tick',
  'balance',
  'early_class',
  'candle',
  'creator_fee',
  'trader',
  'index_totals',
  'launchpad_totals',
]

/** Makes the before-images of rows values of the tables' row types, in place of JSON. */
export class Migration0016UndoImages extends Migration {
  override up(): void {
    this.addSql(`delete from block_undo`)
    this.addSql(`update chain_state set undo_from = null`)
    this.addSql(`alter table block_undo drop constraint block_undo_table_name_check, drop column existed, drop column image,
      add column added_key json, ${TABLES.map(name => `add column ${name} ${name}`).join(', ')}`)
  }
}
