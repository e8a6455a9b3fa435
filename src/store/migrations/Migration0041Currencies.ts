import { Migration } from '@mikro-orm/migrations'

/** The symbol and decimals of quote currencies, which no event contains. Those of existing pools are read after the start. */
export class Migration0041Currencies extends Migration {
  override up(): void {
    this.addSql(`create table currency (
      address bytea primary key,
      symbol text,
      decimals smallint,
      is_read boolean not null
    )`)
    this.addSql(`create index currency_unread on currency (address) where not is_read`)
    this.addSql(`insert into currency (address, is_read) select distinct quote_token, false from pool`)
    // Finds the tokens of a currency that has just been read.
    this.addSql(`create index pool_by_quote on pool (quote_token)`)
  }
}
