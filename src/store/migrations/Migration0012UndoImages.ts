import { Migration } from '@mikro-orm/migrations'

/** What is kept of a changed row is written with every block and read with next to none: as text, whose keys nobody sorts, and not compressed. */
export class Migration0012UndoImages extends Migration {
  override up(): void {
    this.addSql(`alter table block_undo alter column image type json`)
    this.addSql(`alter table block_undo set (toast_tuple_target = 8160)`)
  }
}
