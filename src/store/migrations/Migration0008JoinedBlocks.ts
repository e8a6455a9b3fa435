import { Migration } from '@mikro-orm/migrations'

/** Blocks that were committed several at a time, while there was far to go. */
export class Migration0008JoinedBlocks extends Migration {
  override up(): void {
    // Committed together with the block after it: what was between the two can't be restored.
    this.addSql(`alter table block add column joined boolean not null default false`)
  }
}
