import { Migration } from '@mikro-orm/migrations'

/** The whole schema of 1.0. What later versions change of it is in later migrations. */
export class Migration0001Schema extends Migration {
  override up(): void {
    for (const statement of SCHEMA.split(/;$/m)) if (statement.trim() !== '') this.addSql(statement.trim())
  }
}

/*
 * Addresses, hashes and pool ids are `bytea` (half the size of hex text in rows and indexes); raw amounts, prices and USD values are
 * `numeric`; times of the chain are Unix seconds of the block, times of a commit are milliseconds (`_ms`).
 */
const SCHEMA = String.raw`
create extension if not exists pg_trgm;

-- One row: the chain, the process that may write, and the cursor. undo_from: the oldest block that can be undone; null: none can.
-- commits numbers the commits, so that a gateway knows which ones its database shows, and whether it has missed one. minutes_from: the
-- time from which on candles of a minute are kept; unfolded_from: from which on they are not yet part of longer ones. peg_usd: the pegs
-- that the index was built from; rebuild: the launchpads that an operator wants rebuilt.
create table chain_state (
  id smallint primary key default 1 check (id = 1),
  chain_id bigint not null,
  genesis_hash bytea not null,
  weth bytea not null,
  launchpads jsonb not null,
  writer text,
  cursor_number bigint,
  cursor_hash bytea,
  cursor_timestamp bigint,
  committed_at_ms bigint,
  undo_from bigint,
  commits bigint not null default 0,
  minutes_from bigint,
  peg_usd jsonb,
  rebuild jsonb not null default '[]',
  value_changes_from bigint,
  unfolded_from bigint
);

-- The newest indexed blocks, for parent-hash reconciliation. joined: committed together with the next block, while the index was far
-- behind, so that the rows between the two can't be restored.
create table block (
  number bigint primary key,
  hash bytea not null,
  parent_hash bytea not null,
  timestamp bigint not null,
  joined boolean not null default false,
  revalued_to bytea
);

create table reorg (number bigint primary key, from_block bigint not null);

-- The last sequence of tokens whose launch a reorg removed: launched again, they get a higher one.
create table dropped_token (
  address bytea primary key,
  sequence bigint not null,
  dropped_at_ms bigint not null
);

-- Hooks, extensions and lockers that launches name.
create table announced_contract (
  address bytea primary key,
  launchpad text not null,
  role text not null check (role in ('contract', 'module')),
  created_block bigint not null
);

-- /api/chain-stats: every commit updates them.
create table index_totals (
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
);
create table launchpad_totals (
  launchpad text primary key,
  tokens integer not null,
  bonding integer not null,
  completed integer not null,
  migrated integer not null,
  trades_h24 bigint not null,
  volume_h24 numeric not null
);

-- A token with all values that lists and updates show of it.
create table token (
  address bytea primary key,
  launchpad text not null,
  symbol text,
  name text,
  decimals smallint not null,
  total_supply numeric not null,
  creator bytea not null,
  admin bytea,
  created_at bigint not null,
  created_block bigint not null,
  created_tx_hash bytea not null,
  metadata_uri text,
  image_uri text,
  image_url text,
  description text,
  main_pool bytea,
  quote_token bytea,
  quote_rate numeric,
  quote_usd numeric,
  price_weth numeric,
  price_quote numeric,
  event_price_weth numeric,
  first_price_weth numeric,
  ath_price_weth numeric,
  close_usd numeric,
  last_price_at bigint,
  market_cap_weth numeric,
  liquidity_weth numeric,
  trade_count integer not null,
  holder_count integer not null,
  last_trade_at bigint,
  volume_m5 numeric not null, buy_volume_m5 numeric not null,
  buys_m5 integer not null, sells_m5 integer not null, buyers_m5 integer not null, sellers_m5 integer not null,
  reference_price_m5 numeric, price_change_m5 double precision,
  volume_h1 numeric not null, buy_volume_h1 numeric not null,
  buys_h1 integer not null, sells_h1 integer not null, buyers_h1 integer not null, sellers_h1 integer not null,
  reference_price_h1 numeric, price_change_h1 double precision,
  volume_h6 numeric not null, buy_volume_h6 numeric not null,
  buys_h6 integer not null, sells_h6 integer not null, buyers_h6 integer not null, sellers_h6 integer not null,
  reference_price_h6 numeric, price_change_h6 double precision,
  volume_h24 numeric not null, buy_volume_h24 numeric not null,
  buys_h24 integer not null, sells_h24 integer not null, buyers_h24 integer not null, sellers_h24 integer not null,
  reference_price_h24 numeric, price_change_h24 double precision,
  windows_at bigint not null,
  windows_expire_at bigint,
  trades_m5 integer not null generated always as (buys_m5 + sells_m5) stored,
  trades_h1 integer not null generated always as (buys_h1 + sells_h1) stored,
  trades_h24 integer not null generated always as (buys_h24 + sells_h24) stored,
  trending integer not null generated always as (24 * buyers_h1 + 4 * buyers_h6 + buyers_h24) stored,
  creator_fee_bps double precision,
  fees_accrued numeric,
  fees_claimed numeric,
  vesting_claimed numeric,
  vesting_ends_at bigint,
  graduation_status text not null check (graduation_status in ('none', 'bonding', 'completed', 'migrated')),
  graduation_percent double precision,
  raised numeric,
  target numeric,
  completed_at bigint,
  migrated_at bigint,
  graduated_pool bytea,
  graduated_price_weth numeric,
  graduation_tx_hash bytea,
  sequence bigint not null,
  as_of_block bigint not null,
  updated_at_ms bigint not null,
  surface text,
  opened_at bigint,
  creator_held numeric, sniper_held numeric, bundler_held numeric, insider_held numeric,
  links text,
  ath_price_usd numeric
);
-- /api/tokens: per sort one index for lists with or without launchpad and status.
create index token_by_created_at on token (launchpad, graduation_status, created_at, address);
create index token_by_market_cap on token (launchpad, graduation_status, market_cap_weth, address);
create index token_by_volume_m5 on token (launchpad, graduation_status, volume_m5, address);
create index token_by_volume_h1 on token (launchpad, graduation_status, volume_h1, address);
create index token_by_volume_h24 on token (launchpad, graduation_status, volume_h24, address);
create index token_by_price_change_m5 on token (launchpad, graduation_status, price_change_m5, address);
create index token_by_price_change_h1 on token (launchpad, graduation_status, price_change_h1, address);
create index token_by_price_change_h24 on token (launchpad, graduation_status, price_change_h24, address);
create index token_by_liquidity on token (launchpad, graduation_status, liquidity_weth, address);
create index token_by_holder_count on token (launchpad, graduation_status, holder_count, address);
create index token_by_trades_m5 on token (launchpad, graduation_status, trades_m5, address);
create index token_by_trades_h1 on token (launchpad, graduation_status, trades_h1, address);
create index token_by_trades_h24 on token (launchpad, graduation_status, trades_h24, address);
create index token_by_last_trade_at on token (launchpad, graduation_status, last_trade_at, address);
create index token_by_graduation on token (launchpad, graduation_status, graduation_percent, address);
create index token_by_migrated_at on token (launchpad, graduation_status, migrated_at, address);
create index token_by_trending on token (launchpad, graduation_status, trending, address);
-- A creator's lists read one index that includes every column they can be sorted by.
create index token_by_creator on token (creator, launchpad, graduation_status, address) include
  (created_at, market_cap_weth, volume_m5, volume_h1, volume_h24, price_change_m5, price_change_h1, price_change_h24, liquidity_weth,
  holder_count, trades_m5, trades_h1, trades_h24, last_trade_at, graduation_percent, migrated_at, trending);
create index token_by_surface on token (surface, launchpad, graduation_status, address) where surface is not null;
-- The commit: tokens with a trade that leaves a window by now.
create index token_by_windows_expire_at on token (windows_expire_at) where windows_expire_at is not null;
-- The tokens of the newest commit, read when its answer was lost.
create index token_by_updated_at on token (updated_at_ms);
-- Tokens that were valued by an outdated rate of their currency.
create index token_by_quote on token (quote_token, (coalesce(quote_rate, quote_usd)), address) where quote_token is not null;

-- /api/search: by prefix, and the largest of the tokens that share a symbol, which may be tens of thousands.
create index token_by_symbol on token (lower(symbol) text_pattern_ops, market_cap_weth desc nulls last, address);
create index token_by_name_prefix on token (lower(name) text_pattern_ops);
-- For a prefix that thousands of tokens have, the largest tokens of all are searched first.
create index token_by_size on token (market_cap_weth desc nulls last, address);
-- The names of tokens, apart from their rows, so that no trade changes these indexes. Similar tokens are searched among the neighbours in
-- alphabetical order, of the text and of its reverse, and among names with the typed words. Without a list of pending entries, which every
-- search would scan.
create table token_name (token bytea primary key, name text not null);
create index token_name_by_suffix on token_name (reverse(lower(name)) text_pattern_ops);
create index token_name_by_words on token_name using gin (to_tsvector('simple', name)) with (fastupdate = off);

-- The places of launches and graduations, from which channels are read.
create table milestone (
  kind text not null check (kind in ('launch', 'graduation')),
  block_number bigint not null,
  log_index bigint not null,
  token bytea not null,
  status text check (status in ('completed', 'migrated')),
  primary key (kind, block_number, log_index)
);

-- The documents behind metadata URIs, and the work of reading them. Not chain state: a reorg leaves it alone. One row per URI, by its
-- SHA-256. pending: to be read at next_attempt_at_ms, null: not until a setting changes; read: tokens still wait for their copy;
-- announced: all have it; refused: given up.
create table metadata (
  key bytea primary key,
  uri text not null,
  lane text not null generated always as (
    case when uri ~* '^\s*https?:' then 'web' when uri ~* '^\s*(data:|[{])' then 'local' else 'gateway' end
  ) stored,
  state text not null check (state in ('pending', 'read', 'announced', 'refused')),
  attempts integer not null,
  next_attempt_at_ms bigint,
  attempted_at_ms bigint,
  outcome text,
  image_url text,
  description text,
  links jsonb
);
-- Due URIs; the newest first among those with equally many attempts.
create index metadata_due on metadata (lane, attempts, next_attempt_at_ms) where next_attempt_at_ms is not null;
create index metadata_unannounced on metadata (key) where state = 'read';
-- Tokens without a copy of their URI's document.
create table metadata_waiting (
  key bytea not null,
  token bytea not null,
  primary key (key, token)
);

-- position_id: of the locked position whose uncollected fees are read. last_changed_block: the last block that moved the pool,
-- and with it the fees of its positions.
create table pool (
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
);
create index pool_by_token on pool (token);
-- Finds the tokens of a currency that has just been read.
create index pool_by_quote on pool (quote_token);

-- The net liquidity of the positions of Uniswap v4 pools that begin or end at each tick.
create table pool_tick (
  pool bytea not null,
  tick integer not null,
  liquidity numeric not null,
  primary key (pool, tick)
);
create index pool_tick_set on pool_tick (pool, tick) include (liquidity) where liquidity <> 0;

create table trade (
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
  -- Of a sale: its profit.
  realized_wei numeric,
  realized_usd numeric,
  primary key (block_number, log_index)
);
-- /trades: one side is one range of an index, however rare it is; both sides are two.
create index trade_by_token on trade (token, side, block_number, log_index);
create index trade_by_maker on trade (token, maker, side, block_number, log_index);
create index trade_by_wallet on trade (maker, side, block_number, log_index);
-- The commit: the trades that left a window, and the price at its start.
create index trade_by_token_time on trade (token, timestamp, block_number, log_index);
-- Only large trades, by the largest of these sizes that they reach: 0.1, 0.2, 0.5, 1 ... 500 WETH in wei.
create index trade_by_size on trade ((width_bucket(amount_wei, '{
  100000000000000000,200000000000000000,500000000000000000,1000000000000000000,2000000000000000000,
  5000000000000000000,10000000000000000000,20000000000000000000,50000000000000000000,
  100000000000000000000,200000000000000000000,500000000000000000000}'::numeric[])), block_number, log_index) where amount_wei >= 100000000000000000;
create index trade_by_token_size on trade (token, ((width_bucket(amount_wei, '{
  100000000000000000,200000000000000000,500000000000000000,1000000000000000000,2000000000000000000,
  5000000000000000000,10000000000000000000,20000000000000000000,50000000000000000000,
  100000000000000000000,200000000000000000000,500000000000000000000}'::numeric[]))::smallint), block_number, log_index)
  where amount_wei >= 100000000000000000;

-- By value, of each side.
create index trade_by_token_amount on trade (token, (side = 'buy'), amount_wei, block_number, log_index) where amount_wei is not null;

-- What market-data sites ask for besides trades.
create table join_exit (
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
);
create table pool_creation (
  pool bytea primary key,
  block_number bigint not null,
  log_index bigint not null,
  tx_hash bytea not null,
  tx_index bigint not null,
  timestamp bigint not null
);
create index pool_creation_by_block on pool_creation (block_number);

-- New candles are appended at the end of this key. If it began with the token, the planner would use it for pages of candles, too.
-- Index-only scans need vacuumed pages. With the default, a fifth of the table, months of candles would wait for a vacuum.
create table candle (
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
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
-- In the table a token's candles are as far apart as the trades that made them, one per page. In an index that includes all columns they
-- are together. Candles with USD values are a range of their own.
create index candle_by_time on candle (token, interval_seconds, in_usd, time) include
  (open, high, low, close, volume_wei, trades, volume_token, open_quote, high_quote, low_quote, close_quote, volume_quote,
  open_usd, high_usd, low_usd, close_usd, volume_usd, trades_usd);

-- The symbol and decimals of quote currencies, which no event contains.
create table currency (
  address bytea primary key,
  symbol text,
  decimals smallint,
  is_read boolean not null,
  read_again_at_ms bigint
);
create index currency_unread on currency (address) where not is_read;
create index currency_by_read_again on currency (read_again_at_ms) where read_again_at_ms is not null;

-- What an account holds of a token, and how it has traded it.
create table balance (
  token bytea not null,
  holder bytea not null,
  balance numeric not null,
  type text not null check (type in ('wallet', 'creator', 'pool', 'curve', 'locker', 'burn', 'contract')),
  last_changed_block bigint not null,
  buys integer not null default 0, sells integer not null default 0,
  bought_token numeric not null default 0, sold_token numeric not null default 0,
  bought_wei numeric, bought_usd numeric,
  sold_wei numeric, sold_usd numeric,
  cost_wei numeric, cost_usd numeric,
  realized_wei numeric, realized_usd numeric,
  first_trade_at bigint, last_buy_at bigint, last_sell_at bigint,
  classes smallint not null default 0,
  primary key (token, holder)
);
-- /holders and the largest 20 of an update; empty balances are not listed. Negated, so that descending balances and ascending addresses
-- are one range of the index.
create index balance_by_size on balance (token, (- balance), holder) include (balance, type) where balance > 0;
create index balance_by_holder on balance (holder, last_changed_block, token) include (balance) where balance > 0;
create index balance_out_of_circulation on balance (token) include (balance, type) where type in ('burn', 'locker');
create index trader_by_realized on balance (token, (coalesce(realized_wei, '-Infinity'::numeric)), holder)
  where first_trade_at is not null;
create index trader_by_volume on balance (token, (coalesce(bought_wei + sold_wei, '-Infinity'::numeric)), holder)
  where first_trade_at is not null;
create index trader_by_bought on balance (token, (coalesce(bought_wei, '-Infinity'::numeric)), holder)
  where first_trade_at is not null;
create index trader_by_sold on balance (token, (coalesce(sold_wei, '-Infinity'::numeric)), holder)
  where first_trade_at is not null;
create index trader_by_balance on balance (token, (balance), holder)
  where first_trade_at is not null;
create index early_trader_by_realized on balance (token, (coalesce(realized_wei, '-Infinity'::numeric)), holder)
  where first_trade_at is not null and classes > 0;
create index early_trader_by_volume on balance (token, (coalesce(bought_wei + sold_wei, '-Infinity'::numeric)), holder)
  where first_trade_at is not null and classes > 0;
create index early_trader_by_bought on balance (token, (coalesce(bought_wei, '-Infinity'::numeric)), holder)
  where first_trade_at is not null and classes > 0;
create index early_trader_by_sold on balance (token, (coalesce(sold_wei, '-Infinity'::numeric)), holder)
  where first_trade_at is not null and classes > 0;
create index early_trader_by_balance on balance (token, (balance), holder)
  where first_trade_at is not null and classes > 0;

-- The wallets of each early class of a token.
create table early_class (
  token bytea not null,
  class text not null check (class in ('creator', 'sniper', 'bundler', 'insider')),
  wallets integer not null,
  bought_token numeric not null,
  sold_token numeric not null,
  primary key (token, class)
);

create table trader (
  maker bytea primary key,
  first_trade_at bigint not null,
  last_trade_at bigint not null,
  trades integer not null,
  volume_wei numeric not null,
  tokens integer not null,
  realized_wei numeric not null,
  realized_usd numeric not null,
  tokens_without_wei integer not null,
  tokens_without_usd integer not null
);
create index trader_by_last_trade_at on trader (last_trade_at);

-- accrued is null for fees that accrue in a Uniswap position: no event has their amount. claim_id: the position's number, an argument
-- of the call that collects them.
create table creator_fee (
  launchpad text not null,
  creator bytea not null,
  currency bytea not null,
  scope text not null check (scope in ('token', 'creator')),
  token bytea not null,
  accrued numeric,
  claimed numeric not null,
  last_changed_block bigint not null,
  claim_id numeric,
  primary key (launchpad, creator, currency, token)
);
-- A creator's claimable fees are read in this order.
create index creator_fee_by_creator on creator_fee (creator, token, launchpad, currency);

-- Answers to calls, which a fresh index asks for again: the uncollected fees of locked positions (null amounts: the providers refused the
-- call), and which holders are contracts.
create table uncollected_fee (
  token bytea primary key,
  token_amount numeric,
  quote_amount numeric,
  block_number bigint not null
);
create table holder_code (
  holder bytea primary key,
  contract boolean not null
);

-- The leaders over all tokens by window. The profits of trades are theirs.
create table leader (
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
);
create index leader_by_realized on leader (period, launchpad, realized_wei, maker);
create index leader_by_volume on leader (period, launchpad, (bought_wei + sold_wei), maker);
create index leader_by_bought on leader (period, launchpad, bought_wei, maker);
create index leader_by_sold on leader (period, launchpad, sold_wei, maker);
create table leader_window (
  period text primary key check (period in ('24h', '7d', '30d', 'all')),
  after_block bigint not null,
  to_block bigint not null
);

-- The values of tokens before and after each commit.
create table value_change (
  block_number bigint not null,
  log_index bigint not null,
  token bytea not null,
  timestamp bigint not null,
  price_weth_before numeric, price_weth numeric,
  price_usd_before numeric, price_usd numeric,
  market_cap_weth_before numeric, market_cap_weth numeric,
  market_cap_usd_before numeric, market_cap_usd numeric,
  graduation_percent_before numeric, graduation_percent numeric,
  holders_before integer, holders integer not null,
  primary key (block_number, log_index)
);

-- The position up to which each webhook has been sent.
create table webhook_position (
  name text primary key,
  block_number bigint not null,
  log_index bigint not null,
  reorgs bigint not null,
  version bigint not null,
  is_paused boolean not null,
  failures integer not null,
  failing_since_ms bigint,
  next_attempt_at_ms bigint,
  last_error text
);

-- Images of the rows before the newest blocks changed them; of a row that a block added, its key. They are written with every block and
-- read only by a reorg: as values of the tables' row types, which are not parsed, and uncompressed.
create table block_undo (
  block_number bigint not null,
  position integer not null,
  table_name text not null,
  added_key json,
  token token, pool pool, pool_tick pool_tick, balance balance, early_class early_class, candle candle,
  creator_fee creator_fee, trader trader, index_totals index_totals, launchpad_totals launchpad_totals,
  primary key (block_number, position)
) with (toast_tuple_target = 8160);
`
