import { Migration } from '@mikro-orm/migrations'

const SORTS = { realized: 'realized_wei', volume: '(bought_wei + sold_wei)', bought: 'bought_wei', sold: 'sold_wei' }

/** Adds the leaders over all tokens by window, and the profit of each sale, of which the leaders' profits are the sums. */
export class Migration0011Leaders extends Migration {
  override up(): void {
    this.addSql(`alter table trade add column realized_wei numeric, add column realized_usd numeric`)
    this.addSql(`create table leader (
      period text not null check (period in ('24h', '7d', '30d', 'all')),
      launchpad text not null,
      maker bytea not null,
      buys integer not null, sells integer not null,
      bought_wei numeric not null, bought_usd numeric not null,
      sold_wei numeric not null, sold_usd numeric not null,
      realized_wei numeric not null, realized_usd numeric not null,
      trades_without_wei integer not null, trades_without_usd integer not null,
      sales_without_wei integer not null, sales_without_usd integer not null,
      last_trade_at bigint not null,
      primary key (period, launchpad, maker)
    )`)
    for (const [sort, value] of Object.entries(SORTS))
      this.addSql(`create index leader_by_${sort} on leader (period, launchpad, ${value}, maker)`)
    this.addSql(`create table leader_window (
      period text primary key check (period in ('24h', '7d', '30d', 'all')),
      after_block bigint not null,
      to_block bigint not null
    )`)
  }
}
