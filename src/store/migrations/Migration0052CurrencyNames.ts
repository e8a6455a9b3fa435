import { Migration } from '@mikro-orm/migrations'

/** When the names of currencies that are no indexed tokens are read again: for the first time after the start. */
export class Migration0052CurrencyNames extends Migration {
  override up(): void {
    this.addSql(`alter table currency add column read_again_at_ms bigint`)
    this.addSql(`update currency set read_again_at_ms = 0
      where is_read and not exists (select from token where token.address = currency.address)`)
    this.addSql(`create index currency_by_read_again on currency (read_again_at_ms) where read_again_at_ms is not null`)
  }
}
