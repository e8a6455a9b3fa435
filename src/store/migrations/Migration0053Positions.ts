import { Migration } from '@mikro-orm/migrations'

/**
 * The positions of Uniswap v4 pools. Of earlier pools they are not known: their liquidity was an estimate that one narrow position could
 * raise, and is unknown until the index is built anew.
 */
export class Migration0053Positions extends Migration {
  override up(): void {
    this.addSql(`create table pool_tick (
      pool bytea not null,
      tick integer not null,
      liquidity numeric not null,
      primary key (pool, tick)
    )`)
    this.addSql(`create index pool_tick_set on pool_tick (pool, tick) include (liquidity) where liquidity <> 0`)
    this.addSql(`alter table pool add column positions_token numeric, add column positions_quote numeric`)
    this.addSql(`update index_totals set liquidity_weth = index_totals.liquidity_weth - (
      select coalesce(sum(token.liquidity_weth), 0) from token join pool on pool.address = token.main_pool where pool.type = 'uniswap-v4')`)
    this.addSql(`update token set liquidity_weth = null from pool
      where pool.address = token.main_pool and pool.type = 'uniswap-v4' and token.liquidity_weth is not null`)
    this.addSql(`alter table block_undo drop constraint block_undo_table_name_check, add constraint block_undo_table_name_check
      check (table_name in ('token', 'pool', 'pool_tick', 'balance', 'candle', 'creator_fee', 'trader', 'index_totals', 'launchpad_totals'))`)
    // The images of earlier blocks lack the columns of pools, so only later blocks can be undone.
    this.addSql(`update chain_state set undo_from = null`)
    this.addSql(`delete from block_undo`)
  }
}
