import { Migration } from '@mikro-orm/migrations'

/**
 * The whole schema. Addresses, hashes and pool ids are `bytea` (half the size of hex text in rows and indexes); raw amounts, prices and
 * USD values are `numeric`; times of the chain are Unix seconds of the block, times of a commit are milliseconds (`_ms`).
 */
export class Migration0001Initial extends Migration {
  override up(): void {
    this.addSql(`create extension if not exists pg_trgm`)

    // One row: the chain and the contracts that the database is of, the process that writes it, and the cursor.
    this.addSql(`create table chain_state (
      id smallint primary key default 1 check (id = 1),
      chain_id bigint not null,
      genesis_hash bytea not null,
      weth bytea not null,
      launchpads jsonb not null,
      writer text,
      cursor_number bigint,
      cursor_hash bytea,
      cursor_timestamp bigint,
      committed_at_ms bigint
    )`)

    // The newest indexed blocks, for parent-hash reconciliation.
    this.addSql(`create table block (
      number bigint primary key,
      hash bytea not null,
      parent_hash bytea not null,
      timestamp bigint not null
    )`)

    this.addSql(`create table token (
      address bytea primary key,
      launchpad text not null,
      symbol text,
      name text,
      decimals smallint not null,
      total_supply numeric not null,
      creator bytea not null,
      created_at bigint not null,
      created_block bigint not null,
      created_tx_hash bytea not null,
      metadata_uri text,
      image_url text,
      description text,
      main_pool bytea,
      price_weth numeric,
      first_price_weth numeric,
      ath_price_weth numeric,
      market_cap_weth numeric,
      liquidity_weth numeric,
      trade_count integer not null,
      holder_count integer not null,
      last_trade_at bigint,
      volume_m5 numeric not null, volume_h1 numeric not null, volume_h6 numeric not null, volume_h24 numeric not null,
      buys_m5 integer not null, buys_h1 integer not null, buys_h6 integer not null, buys_h24 integer not null,
      sells_m5 integer not null, sells_h1 integer not null, sells_h6 integer not null, sells_h24 integer not null,
      trades_h24 integer not null generated always as (buys_h24 + sells_h24) stored,
      reference_price_m5 numeric, reference_price_h1 numeric, reference_price_h6 numeric, reference_price_h24 numeric,
      price_change_m5 double precision, price_change_h1 double precision, price_change_h6 double precision, price_change_h24 double precision,
      windows_at bigint not null,
      windows_expire_at bigint,
      creator_fee_bps double precision,
      fees_accrued numeric,
      fees_claimed numeric,
      graduation_status text not null check (graduation_status in ('none', 'bonding', 'completed', 'migrated')),
      graduation_percent double precision,
      raised numeric,
      target numeric,
      completed_at bigint,
      migrated_at bigint,
      graduated_pool bytea,
      graduation_tx_hash bytea,
      sequence bigint not null,
      as_of_block bigint not null,
      updated_at_ms bigint not null
    )`)
    this.addSql(`create index token_by_created_at on token (created_at, address)`)
    this.addSql(`create index token_by_market_cap on token (market_cap_weth, address)`)
    this.addSql(`create index token_by_volume_h24 on token (volume_h24, address)`)
    this.addSql(`create index token_by_price_change_h24 on token (price_change_h24, address)`)
    this.addSql(`create index token_by_price_change_h1 on token (price_change_h1, address)`)
    this.addSql(`create index token_by_liquidity on token (liquidity_weth, address)`)
    this.addSql(`create index token_by_holder_count on token (holder_count, address)`)
    this.addSql(`create index token_by_trades_h24 on token (trades_h24, address)`)
    this.addSql(`create index token_by_last_trade_at on token (last_trade_at, address)`)
    this.addSql(`create index token_by_graduation on token (graduation_percent, address)`)
    this.addSql(`create index token_by_creator on token (creator, created_at, address)`)
    this.addSql(`create index token_by_launchpad on token (launchpad, created_at, address)`)
    this.addSql(`create index token_by_status on token (graduation_status, created_at, address)`)
    // The commit: tokens with a trade that leaves a window by now.
    this.addSql(`create index token_by_windows_expire_at on token (windows_expire_at) where windows_expire_at is not null`)
    this.addSql(`create index token_by_symbol_prefix on token (lower(symbol) text_pattern_ops)`)
    this.addSql(`create index token_by_name_prefix on token (lower(name) text_pattern_ops)`)
    this.addSql(`create index token_by_symbol_similarity on token using gin (lower(symbol) gin_trgm_ops)`)
    this.addSql(`create index token_by_name_similarity on token using gin (lower(name) gin_trgm_ops)`)

    this.addSql(`create table pool (
      address bytea primary key,
      token bytea not null,
      launchpad text not null,
      type text not null check (type in ('curve', 'uniswap-v2', 'uniswap-v3', 'uniswap-v4')),
      quote_token bytea not null,
      quote_decimals smallint not null,
      token_is_token0 boolean not null,
      fee_bps double precision,
      reserve_token numeric,
      reserve_quote numeric,
      sqrt_price_x96 numeric,
      tick integer,
      liquidity numeric,
      price_weth numeric,
      created_block bigint not null
    )`)
    this.addSql(`create index pool_by_token on pool (token)`)

    this.addSql(`create table trade (
      block_number bigint not null,
      log_index integer not null,
      token bytea not null,
      pool bytea not null,
      phase text not null check (phase in ('curve', 'pool')),
      side text not null check (side in ('buy', 'sell')),
      maker bytea not null,
      amount_token numeric not null,
      amount_wei numeric,
      fee_wei numeric,
      price_weth numeric,
      price_after_weth numeric,
      eth_usd numeric,
      block_hash bytea not null,
      tx_hash bytea not null,
      timestamp bigint not null,
      primary key (block_number, log_index)
    )`)
    this.addSql(`create index trade_by_token on trade (token, block_number, log_index)`)
    this.addSql(`create index trade_by_maker on trade (token, maker, block_number, log_index)`)
    // The commit: the trades that left a window, and the price at its start.
    this.addSql(`create index trade_by_token_time on trade (token, timestamp, block_number, log_index)`)
    this.addSql(`create index trade_by_time on trade (timestamp)`)

    this.addSql(`create table balance (
      token bytea not null,
      holder bytea not null,
      balance numeric not null,
      type text not null check (type in ('wallet', 'creator', 'pool', 'curve', 'locker', 'burn', 'contract')),
      last_changed_block bigint not null,
      primary key (token, holder)
    )`)
    // /holders and the largest 20 of an update; empty balances are not listed. Negated, so that descending balances and ascending addresses
    // are one range of the index.
    this.addSql(`create index balance_by_size on balance (token, (- balance), holder) where balance > 0`)

    this.addSql(`create table candle (
      token bytea not null,
      interval_seconds integer not null,
      time bigint not null,
      open numeric not null, high numeric not null, low numeric not null, close numeric not null,
      volume_wei numeric not null,
      trades integer not null,
      open_usd numeric, high_usd numeric, low_usd numeric, close_usd numeric, volume_usd numeric,
      primary key (token, interval_seconds, time)
    )`)

    this.addSql(`create table creator_fee (
      launchpad text not null,
      creator bytea not null,
      currency bytea not null,
      scope text not null check (scope in ('token', 'creator')),
      token bytea not null,
      accrued numeric not null,
      claimed numeric not null,
      last_changed_block bigint not null,
      primary key (launchpad, creator, currency, token)
    )`)
    // /claimable: a creator's rows of one token.
    this.addSql(`create index creator_fee_by_creator on creator_fee (creator, token)`)
  }
}
