import { Migration } from '@mikro-orm/migrations'

/** The image that a token's contract names beside its metadata, and who may change both. Unknown of earlier tokens until they change. */
export class Migration0050CreatorUpdates extends Migration {
  override up(): void {
    this.addSql(`alter table token add column image_uri text, add column admin bytea`)
    // The images of earlier blocks lack these columns, so only later blocks can be undone.
    this.addSql(`update chain_state set undo_from = null`)
    this.addSql(`delete from block_undo`)
  }
}
