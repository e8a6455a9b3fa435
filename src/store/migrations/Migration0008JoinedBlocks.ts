import { Migration } from '@mikro-orm/migrations'

/** Blocks that were committed together, while the index was far behind. */
export class Migration0008JoinedBlocks extends Migration {
  override up(): void {
    // Committed together with the next block: the rows between the two can't be restored.
    this.addSql(`alter table block add column joined boolean not null default false`)
  }
}
