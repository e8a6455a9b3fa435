import { Migration } from '@mikro-orm/migrations'

/** What is needed to undo the newest blocks. */
export class Migration0002Reorgs extends Migration {
  override up(): void {
    // The oldest block that can be undone; null: none can.
    this.addSql(`alter table chain_state add column undo_from bigint`)

    // Images of the rows before the newest blocks changed them; of a row that a block added, its key.
    this.addSql(`create table block_undo (
      block_number bigint not null,
      position integer not null,
      table_name text not null check (table_name in ('token', 'pool', 'balance', 'candle', 'creator_fee')),
      existed boolean not null,
      image jsonb not null,
      primary key (block_number, position)
    )`)

    // The last sequence of tokens whose launch a reorg removed: launched again, they get a higher one.
    this.addSql(`create table dropped_token (
      address bytea primary key,
      sequence bigint not null,
      dropped_at_ms bigint not null
    )`)
  }
}
