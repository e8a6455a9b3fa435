import { Migration } from '@mikro-orm/migrations'

/** Images are written with every block and read only by a reorg: as json text, which is not parsed, and uncompressed. */
export class Migration0012UndoImages extends Migration {
  override up(): void {
    this.addSql(`alter table block_undo alter column image type json`)
    this.addSql(`alter table block_undo set (toast_tuple_target = 8160)`)
  }
}
