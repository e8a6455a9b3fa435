/** The sizes in wei by which large trades are found: 0.1, 0.2, 0.5, 1 ... 500 WETH. */
const SIZES = ['1', '2', '5', '10', '20', '50', '100', '200', '500', '1000', '2000', '5000'].map(tenths => `${tenths}${'0'.repeat(17)}`)
/** SQL of the largest of these sizes that a trade reaches. */
const SIZE = `width_bucket(amount_wei, '{${SIZES.join(',')}}'::numeric[])`

/** Pools, trades, candles and quote currencies. */
export const MARKET_TABLES: readonly string[] = [
  // `position_id`: of the locked position whose uncollected fees are read. `last_changed_block`: the last block that moved the pool,
  // and with it the fees of its positions.
  `create table pool (
    address bytea primary key,
    token bytea not null,
    launchpad text not null,
    type text not null check (type in ('curve', 'uniswap-v2', 'uniswap-v3', 'uniswap-v4')),
    quote_token bytea not null,
    token_is_token0 boolean not null,
    fee_bps double precision,
    reserve_token numeric,
    reserve_quote numeric,
    sqrt_price_x96 numeric,
    tick integer,
    liquidity numeric,
    price numeric,
    created_block bigint not null,
    position_id numeric,
    last_changed_block bigint,
    positions_token numeric,
    positions_quote numeric
  )`,
  `create index pool_by_token on pool (token)`,
  // Finds the tokens of a currency that has just been read.
  `create index pool_by_quote on pool (quote_token)`,

  // The net liquidity of the positions of Uniswap v4 pools that begin or end at each tick.
  `create table pool_tick (
    pool bytea not null,
    tick integer not null,
    liquidity numeric not null,
    primary key (pool, tick)
  )`,
  `create index pool_tick_set on pool_tick (pool, tick) include (liquidity) where liquidity <> 0`,

  `create table trade (
    block_number bigint not null,
    log_index bigint not null,
    token bytea not null,
    pool bytea not null,
    phase text not null check (phase in ('curve', 'pool')),
    side text not null check (side in ('buy', 'sell')),
    maker bytea not null,
    amount_token numeric not null,
    amount_quote numeric,
    fee_quote numeric,
    amount_wei numeric,
    fee_wei numeric,
    price_weth numeric,
    price_after_weth numeric,
    price_usd numeric,
    value_usd numeric,
    eth_usd numeric,
    pool_price numeric,
    reserve_token numeric,
    reserve_quote numeric,
    block_hash bytea not null,
    tx_hash bytea not null,
    tx_index bigint not null,
    timestamp bigint not null,
    primary key (block_number, log_index)
  )`,
  // /trades: one side is one range of an index, however rare it is; both sides are two.
  `create index trade_by_token on trade (token, side, block_number, log_index)`,
  `create index trade_by_maker on trade (token, maker, side, block_number, log_index)`,
  `create index trade_by_wallet on trade (maker, side, block_number, log_index)`,
  // The commit: the trades that left a window, and the price at its start.
  `create index trade_by_token_time on trade (token, timestamp, block_number, log_index)`,
  // This index has only large trades.
  `create index trade_by_size on trade ((${SIZE}), block_number, log_index) where amount_wei >= ${SIZES[0]}`,
  `create index trade_by_token_size on trade (token, ((${SIZE})::smallint), block_number, log_index) where amount_wei >= ${SIZES[0]}`,

  // What market-data sites ask for besides trades.
  `create table join_exit (
    block_number bigint not null,
    log_index bigint not null,
    pool bytea not null,
    maker bytea not null,
    amount_token numeric not null,
    amount_quote numeric not null,
    reserve_token numeric,
    reserve_quote numeric,
    tx_hash bytea not null,
    tx_index bigint not null,
    timestamp bigint not null,
    primary key (block_number, log_index, pool)
  )`,
  `create table pool_creation (
    pool bytea primary key,
    block_number bigint not null,
    log_index bigint not null,
    tx_hash bytea not null,
    tx_index bigint not null,
    timestamp bigint not null
  )`,
  `create index pool_creation_by_block on pool_creation (block_number)`,

  // New candles are appended at the end of this key. If it began with the token, the planner would use it for pages of candles, too.
  // Index-only scans need vacuumed pages. With the default, a fifth of the table, months of candles would wait for a vacuum.
  `create table candle (
    token bytea not null,
    interval_seconds integer not null,
    time bigint not null,
    open numeric, high numeric, low numeric, close numeric, volume_wei numeric,
    trades integer not null,
    volume_token numeric,
    open_quote numeric, high_quote numeric, low_quote numeric, close_quote numeric, volume_quote numeric,
    open_usd numeric, high_usd numeric, low_usd numeric, close_usd numeric, volume_usd numeric,
    trades_usd integer not null,
    in_usd boolean generated always as ((close_usd is not null) or nullif((close is null), true)) stored,
    primary key (time, token, interval_seconds)
  ) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05)`,
  // In the table a token's candles are as far apart as the trades that made them, one per page. In an index that includes all columns they
  // are together. Candles with USD values are a range of their own.
  `create index candle_by_time on candle (token, interval_seconds, in_usd, time) include (open, high, low, close, volume_wei, trades,
    volume_token, open_quote, high_quote, low_quote, close_quote, volume_quote, open_usd, high_usd, low_usd, close_usd, volume_usd, trades_usd)`,

  // The symbol and decimals of quote currencies, which no event contains.
  `create table currency (
    address bytea primary key,
    symbol text,
    decimals smallint,
    is_read boolean not null,
    read_again_at_ms bigint
  )`,
  `create index currency_unread on currency (address) where not is_read`,
  `create index currency_by_read_again on currency (read_again_at_ms) where read_again_at_ms is not null`,
]
