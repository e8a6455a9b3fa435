import { Migration } from '@mikro-orm/migrations'

/** The sorts of a token's traders, as in the initial migration. */
const SORTS = {
  realized: `coalesce(realized_wei, '-Infinity'::numeric)`,
  volume: `coalesce(bought_wei + sold_wei, '-Infinity'::numeric)`,
  bought: `coalesce(bought_wei, '-Infinity'::numeric)`,
  sold: `coalesce(sold_wei, '-Infinity'::numeric)`,
  balance: 'balance',
}

/** Adds the classes of early wallets and the front end of a launch. They stay unknown for tokens that are indexed already. */
export class Migration0006EarlyWallets extends Migration {
  override up(): void {
    this.addSql(`alter table token add column surface text, add column opened_at bigint, add column creator_held numeric,
      add column sniper_held numeric, add column bundler_held numeric, add column insider_held numeric`)
    this.addSql(`create index token_by_surface on token (surface, launchpad, graduation_status, address) where surface is not null`)
    this.addSql(`alter table balance add column classes smallint not null default 0`)
    for (const [sort, value] of Object.entries(SORTS)) {
      this.addSql(`create index early_trader_by_${sort} on balance (token, (${value}), holder)
        where first_trade_at is not null and classes > 0`)
    }
    this.addSql(`create table early_class (
      token bytea not null,
      class text not null check (class in ('creator', 'sniper', 'bundler', 'insider')),
      wallets integer not null,
      bought_token numeric not null,
      sold_token numeric not null,
      primary key (token, class)
    )`)
    this.addSql(`alter table block_undo drop constraint block_undo_table_name_check, add constraint block_undo_table_name_check
      check (table_name in ('token', 'pool', 'pool_tick', 'balance', 'early_class', 'candle', 'creator_fee', 'trader', 'index_totals',
        'launchpad_totals'))`)
    // Images lack the new columns.
    this.addSql(`delete from block_undo`)
    this.addSql(`update chain_state set undo_from = null`)
  }
}
