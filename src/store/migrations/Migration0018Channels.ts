import { Migration } from '@mikro-orm/migrations'

/** What channels over all tokens are read from: reorgs by number, and the places of launches and graduations from now on. */
export class Migration0018Channels extends Migration {
  override up(): void {
    this.addSql(`create table reorg (number bigint primary key, from_block bigint not null)`)
    this.addSql(`create table milestone (
      kind text not null check (kind in ('launch', 'graduation')),
      block_number bigint not null,
      log_index integer not null,
      token bytea not null,
      status text check (status in ('completed', 'migrated')),
      primary key (kind, block_number, log_index)
    )`)
  }
}
