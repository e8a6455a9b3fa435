import { Migration } from '@mikro-orm/migrations'

/** Keeps every query on a range of an index, and a commit's cost independent of the tables' size. */
export class Migration0005Growth extends Migration {
  override up(): void {
    // /api/tokens: per sort one index for lists with or without launchpad and status, and one for lists of a creator.
    const sorts = [
      ['created_at', 'created_at'],
      ['market_cap', 'market_cap_weth'],
      ['volume_h24', 'volume_h24'],
      ['price_change_h24', 'price_change_h24'],
      ['price_change_h1', 'price_change_h1'],
      ['liquidity', 'liquidity_weth'],
      ['holder_count', 'holder_count'],
      ['trades_h24', 'trades_h24'],
      ['last_trade_at', 'last_trade_at'],
      ['graduation', 'graduation_percent'],
    ] as const
    for (const name of ['creator', 'launchpad', 'status']) this.addSql(`drop index token_by_${name}`)
    for (const [name, column] of sorts) {
      this.addSql(`drop index token_by_${name}`)
      this.addSql(`create index token_by_${name} on token (launchpad, graduation_status, ${column}, address)`)
      this.addSql(`create index token_by_creator_and_${name} on token (creator, launchpad, graduation_status, ${column}, address)`)
    }
    // The tokens of the newest commit, read when its answer was lost.
    this.addSql(`create index token_by_updated_at on token (updated_at_ms)`)

    // /trades: one side is one range of an index, however rare it is; both sides are two.
    for (const name of ['trade_by_token', 'trade_by_maker', 'trade_by_time']) this.addSql(`drop index ${name}`)
    this.addSql(`create index trade_by_token on trade (token, side, block_number, log_index)`)
    this.addSql(`create index trade_by_maker on trade (token, maker, side, block_number, log_index)`)

    // /api/search: by prefix, and the largest of the tokens that share a symbol, which may be tens of thousands.
    this.addSql(`drop index token_by_symbol_prefix`)
    this.addSql(`create index token_by_symbol on token (lower(symbol) text_pattern_ops, market_cap_weth desc nulls last, address)`)
    // For a prefix that thousands of tokens have, the largest tokens of all are searched first.
    this.addSql(`create index token_by_size on token (market_cap_weth desc nulls last, address)`)

    // How many trades a candle's USD values are computed from: those whose USD price was known. The flag does not change while a candle
    // grows. One rewrite of the table fills both columns. Then candles with unpriced trades are corrected: those since the first priced
    // trade.
    this.addSql(`alter table candle
      add column trades_usd integer not null generated always as (case when close_usd is null then 0 else trades end) stored,
      add column in_usd boolean not null generated always as (close_usd is not null) stored`)
    this.addSql(`alter table candle alter column trades_usd drop expression`)
    this.addSql(`update candle set trades_usd = candle.trades - unpriced.trades
      from (
        select token, seconds, timestamp - timestamp % seconds as time, count(*) as trades
        from trade cross join unnest(array[60, 300, 900, 3600, 14400, 86400]) as seconds
        where eth_usd is null and price_after_weth is not null
          and timestamp >= (select min(timestamp) / 86400 * 86400 from trade where eth_usd is not null)
        group by 1, 2, 3
      ) as unpriced
      where candle.token = unpriced.token and candle.interval_seconds = unpriced.seconds and candle.time = unpriced.time and candle.in_usd`)
    this.addSql(`create index candle_in_usd on candle (token, interval_seconds, time) where in_usd`)

    // /api/chain-stats: updated by every commit, see totals.ts.
    this.addSql(`create table trader (
      maker bytea primary key,
      last_trade_at bigint not null
    )`)
    this.addSql(`insert into trader select maker, max(timestamp) from trade group by maker`)
    this.addSql(`create index trader_by_last_trade_at on trader (last_trade_at)`)
    this.addSql(`create table index_totals (
      id smallint primary key default 1 check (id = 1),
      counted_at bigint not null,
      tokens integer not null,
      bonding integer not null,
      completed integer not null,
      migrated integer not null,
      liquidity_weth numeric not null,
      trades_h24 bigint not null,
      volume_h24 numeric not null,
      traders_h24 bigint not null
    )`)
    this.addSql(`insert into index_totals (counted_at, tokens, bonding, completed, migrated, liquidity_weth, trades_h24, volume_h24, traders_h24)
      select cursor_timestamp, of_tokens.*, (select count(*) from trader where last_trade_at > cursor_timestamp - 86400)
      from chain_state cross join (
        select count(*), count(*) filter (where graduation_status = 'bonding'), count(*) filter (where graduation_status = 'completed'),
          count(*) filter (where graduation_status = 'migrated'), coalesce(sum(liquidity_weth), 0), coalesce(sum(trades_h24), 0),
          coalesce(sum(volume_h24), 0)
        from token
      ) as of_tokens where cursor_timestamp is not null`)
    // The images of earlier blocks lack these tables, so only later blocks can be undone.
    this.addSql(`update chain_state set undo_from = null`)
    this.addSql(`delete from block_undo`)
    this.addSql(`alter table block_undo drop constraint block_undo_table_name_check`)
    this.addSql(`alter table block_undo add constraint block_undo_table_name_check
      check (table_name in ('token', 'pool', 'balance', 'candle', 'creator_fee', 'trader', 'index_totals'))`)

    this.addSql(`analyze token, trade, candle, trader`)
  }
}
