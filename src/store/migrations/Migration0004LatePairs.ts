import { Migration } from '@mikro-orm/migrations'

/** Adds the pairs that joined the index with a history, which market-data sites are shown apart. */
export class Migration0004LatePairs extends Migration {
  override up(): void {
    this.addSql(`create table late_pair (pool bytea primary key, joined_block bigint not null)`)
    this.addSql(`create index late_pair_by_join on late_pair (joined_block)`)
  }
}
