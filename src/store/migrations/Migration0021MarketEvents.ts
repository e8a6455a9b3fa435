import { Migration } from '@mikro-orm/migrations'

/**
 * What market-data sites ask of trades: the transaction's place in the block, and the pool's reserves. Earlier blocks lack both until they
 * are indexed anew.
 */
export class Migration0021MarketEvents extends Migration {
  override up(): void {
    this.addSql(`alter table trade add column pool_price numeric, add column reserve_token numeric, add column reserve_quote numeric,
      add column tx_index integer`)
    this.addSql(`create table join_exit (
      block_number bigint not null,
      log_index integer not null,
      pool bytea not null,
      maker bytea not null,
      amount_token numeric not null,
      amount_quote numeric not null,
      reserve_token numeric,
      reserve_quote numeric,
      tx_hash bytea not null,
      tx_index integer not null,
      timestamp bigint not null,
      primary key (block_number, log_index, pool)
    )`)
    this.addSql(`create table pool_creation (
      pool bytea primary key,
      block_number bigint not null,
      log_index integer not null,
      tx_hash bytea not null,
      tx_index integer not null,
      timestamp bigint not null
    )`)
    this.addSql(`create index pool_creation_by_block on pool_creation (block_number)`)
    this.addSql(`alter table chain_state add column reserves_from bigint`)
    this.addSql(`update chain_state set reserves_from = cursor_number + 1`)
  }
}
