import { Migration } from '@mikro-orm/migrations'

/** Adds the highest price of each token in USD. */
export class Migration0018AthPriceUsd extends Migration {
  override up(): void {
    this.addSql(`alter table token add column ath_price_usd numeric`)
    this.addSql(`update token set ath_price_usd = highest.price
      from (select token, max(high_usd) as price from candle where high_usd is not null group by token) as highest
      where token.address = highest.token`)
    // Images lack the new column.
    this.addSql(`delete from block_undo`)
    this.addSql(`update chain_state set undo_from = null`)
  }
}
