import { Migration } from '@mikro-orm/migrations'

/** Adds the values of tokens before and after each commit, from the next commit on. */
export class Migration0007ValueChanges extends Migration {
  override up(): void {
    this.addSql(
      `create table value_change (
        block_number bigint not null,
        log_index bigint not null,
        token bytea not null,
        timestamp bigint not null,
        price_weth_before numeric,
        price_weth numeric,
        price_usd_before numeric,
        price_usd numeric,
        market_cap_weth_before numeric,
        market_cap_weth numeric,
        market_cap_usd_before numeric,
        market_cap_usd numeric,
        graduation_percent_before numeric,
        graduation_percent numeric,
        holders_before integer,
        holders integer not null,
        primary key (block_number, log_index)
      )`,
    )
    this.addSql(`alter table chain_state add column value_changes_from bigint`)
    this.addSql(`update chain_state set value_changes_from = cursor_number + 1`)
  }
}
