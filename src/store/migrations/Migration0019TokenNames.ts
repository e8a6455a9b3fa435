import { Migration } from '@mikro-orm/migrations'

/** Moves the names by which search finds tokens to a table of their own, whose indexes no trade changes. */
export class Migration0019TokenNames extends Migration {
  override up(): void {
    this.addSql(`drop index token_by_name_suffix, token_by_name_words`)
    this.addSql(`create table token_name (token bytea primary key, name text not null)`)
    this.addSql(`insert into token_name select address, name from token where name is not null`)
    this.addSql(`create index token_name_by_suffix on token_name (reverse(lower(name)) text_pattern_ops)`)
    this.addSql(`create index token_name_by_words on token_name using gin (to_tsvector('simple', name)) with (fastupdate = off)`)
  }
}
