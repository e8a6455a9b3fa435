import { Migration } from '@mikro-orm/migrations'

/**
 * The whole schema. Addresses, hashes and pool ids are `bytea` (half the size of hex text in rows and indexes); raw amounts, prices and
 * USD values are `numeric`; times of the chain are Unix seconds of the block, times of a commit are milliseconds (`_ms`).
 */
export class Migration0001Initial extends Migration {
  override up(): void {
    this.addSql('create extension if not exists pg_trgm')
    for (const statement of [...CHAIN_TABLES, ...TOKEN_TABLES, ...MARKET_TABLES, ...ACCOUNT_TABLES]) this.addSql(statement)
  }
}

/** The tables of the chain, its newest blocks, their before-images, and the totals over all tokens. */
const CHAIN_TABLES: readonly string[] = [
  // One row: the chain, the process that may write, and the cursor. `undo_from`: the oldest block that can be undone; `null`: none can.
  // `commits` numbers the commits, so that a gateway knows which ones its database shows, and whether it has missed one.
  `create table chain_state (
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
    commits bigint not null default 0
  )`,

  // The newest indexed blocks, for parent-hash reconciliation. `joined`: committed together with the next block, while the index was far
  // behind, so that the rows between the two can't be restored.
  `create table block (
    number bigint primary key,
    hash bytea not null,
    parent_hash bytea not null,
    timestamp bigint not null,
    joined boolean not null default false,
    revalued_to bytea
  )`,

  // Images of the rows before the newest blocks changed them; of a row that a block added, its key. They are written with every block and
  // read only by a reorg: as JSON text, which is not parsed, and uncompressed.
  `create table block_undo (
    block_number bigint not null,
    position integer not null,
    table_name text not null check (table_name in
      ('token', 'pool', 'pool_tick', 'balance', 'candle', 'creator_fee', 'trader', 'index_totals', 'launchpad_totals')),
    existed boolean not null,
    image json not null,
    primary key (block_number, position)
  ) with (toast_tuple_target = 8160)`,

  // The channels over all tokens read trades by this index.
  `create table reorg (number bigint primary key, from_block bigint not null)`,

  // The last sequence of tokens whose launch a reorg removed: launched again, they get a higher one.
  `create table dropped_token (
    address bytea primary key,
    sequence bigint not null,
    dropped_at_ms bigint not null
  )`,

  // Hooks, extensions and lockers that launches name.
  `create table announced_contract (
    address bytea primary key,
    launchpad text not null,
    role text not null check (role in ('contract', 'module')),
    created_block bigint not null
  )`,

  // /api/chain-stats: every commit updates them.
  `create table index_totals (
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
  )`,
  `create table launchpad_totals (
    launchpad text primary key,
    tokens integer not null,
    bonding integer not null,
    completed integer not null,
    migrated integer not null,
    trades_h24 bigint not null,
    volume_h24 numeric not null
  )`,
]

const WINDOWS = ['m5', 'h1', 'h6', 'h24']

/** Columns over the trades within each window of time. */
const WINDOW_COLUMNS = WINDOWS.map(
  name => `volume_${name} numeric not null, buy_volume_${name} numeric not null,
    buys_${name} integer not null, sells_${name} integer not null, buyers_${name} integer not null, sellers_${name} integer not null,
    reference_price_${name} numeric, price_change_${name} double precision`,
)

/** The sorts of token lists: the name and the column of each index. */
const SORTS = [
  ['created_at', 'created_at'],
  ['market_cap', 'market_cap_weth'],
  ['volume_m5', 'volume_m5'],
  ['volume_h1', 'volume_h1'],
  ['volume_h24', 'volume_h24'],
  ['price_change_m5', 'price_change_m5'],
  ['price_change_h1', 'price_change_h1'],
  ['price_change_h24', 'price_change_h24'],
  ['liquidity', 'liquidity_weth'],
  ['holder_count', 'holder_count'],
  ['trades_m5', 'trades_m5'],
  ['trades_h1', 'trades_h1'],
  ['trades_h24', 'trades_h24'],
  ['last_trade_at', 'last_trade_at'],
  ['graduation', 'graduation_percent'],
  ['migrated_at', 'migrated_at'],
  ['trending', 'trending'],
]

/** Tokens, and the documents behind their metadata URIs. */
const TOKEN_TABLES: readonly string[] = [
  `create table token (
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
    ${WINDOW_COLUMNS.join(',\n    ')},
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
    updated_at_ms bigint not null
  )`,
  // /api/tokens: per sort one index for lists with or without launchpad and status.
  ...SORTS.map(([name, column]) => `create index token_by_${name} on token (launchpad, graduation_status, ${column}, address)`),
  // A creator's lists read one index that includes every column they can be sorted by.
  `create index token_by_creator on token (creator, launchpad, graduation_status, address) include
    (created_at, market_cap_weth, volume_m5, volume_h1, volume_h24, price_change_m5, price_change_h1, price_change_h24, liquidity_weth,
    holder_count, trades_m5, trades_h1, trades_h24, last_trade_at, graduation_percent, migrated_at, trending)`,
  // The commit: tokens with a trade that leaves a window by now.
  `create index token_by_windows_expire_at on token (windows_expire_at) where windows_expire_at is not null`,
  // The tokens of the newest commit, read when its answer was lost.
  `create index token_by_updated_at on token (updated_at_ms)`,
  // Tokens that were valued by an outdated rate of their currency.
  `create index token_by_quote on token (quote_token, (coalesce(quote_rate, quote_usd)), address) where quote_token is not null`,

  // /api/search: by prefix, and the largest of the tokens that share a symbol, which may be tens of thousands.
  `create index token_by_symbol on token (lower(symbol) text_pattern_ops, market_cap_weth desc nulls last, address)`,
  `create index token_by_name_prefix on token (lower(name) text_pattern_ops)`,
  // For a prefix that thousands of tokens have, the largest tokens of all are searched first.
  `create index token_by_size on token (market_cap_weth desc nulls last, address)`,
  // Similar tokens are searched among the neighbours in alphabetical order, of the text and of its reverse, and among names with the typed
  // words. Without a list of pending entries, which every search would scan.
  `create index token_by_name_suffix on token (reverse(lower(name)) text_pattern_ops)`,
  `create index token_by_name_words on token using gin (to_tsvector('simple', name)) with (fastupdate = off)`,

  // The places of launches and graduations, from which channels are read.
  `create table milestone (
    kind text not null check (kind in ('launch', 'graduation')),
    block_number bigint not null,
    log_index bigint not null,
    token bytea not null,
    status text check (status in ('completed', 'migrated')),
    primary key (kind, block_number, log_index)
  )`,

  // The documents behind metadata URIs, and the work of reading them. Not chain state: a reorg leaves it alone. One row per URI, by its
  // SHA-256. pending: to be read at next_attempt_at_ms, null: not until a setting changes; read: tokens still wait for their copy;
  // announced: all have it; refused: given up.
  `create table metadata (
    key bytea primary key,
    uri text not null,
    lane text not null generated always as (
      case when uri ~* '^\\s*https?:' then 'web' when uri ~* '^\\s*(data:|[{])' then 'local' else 'gateway' end
    ) stored,
    state text not null check (state in ('pending', 'read', 'announced', 'refused')),
    attempts integer not null,
    next_attempt_at_ms bigint,
    attempted_at_ms bigint,
    outcome text,
    image_url text,
    description text,
    links jsonb
  )`,
  // Due URIs; the newest first among those with equally many attempts.
  `create index metadata_due on metadata (lane, attempts, next_attempt_at_ms) where next_attempt_at_ms is not null`,
  `create index metadata_unannounced on metadata (key) where state = 'read'`,
  // Tokens without a copy of their URI's document.
  `create table metadata_waiting (
    key bytea not null,
    token bytea not null,
    primary key (key, token)
  )`,
]

/** The sizes in wei by which large trades are found: 0.1, 0.2, 0.5, 1 ... 500 WETH. */
const SIZES = ['1', '2', '5', '10', '20', '50', '100', '200', '500', '1000', '2000', '5000'].map(tenths => `${tenths}${'0'.repeat(17)}`)
/** SQL of the largest of these sizes that a trade reaches. */
const SIZE = `width_bucket(amount_wei, '{${SIZES.join(',')}}'::numeric[])`

/** Pools, trades, candles and quote currencies. */
const MARKET_TABLES: readonly string[] = [
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

/** The sorts of a token's traders. A trader whose value is unknown comes last. */
const TRADER_SORTS = [
  ['realized', `coalesce(realized_wei, '-Infinity'::numeric)`],
  ['volume', `coalesce(bought_wei + sold_wei, '-Infinity'::numeric)`],
  ['bought', `coalesce(bought_wei, '-Infinity'::numeric)`],
  ['sold', `coalesce(sold_wei, '-Infinity'::numeric)`],
  ['balance', 'balance'],
]

/** Balances, traders and creators' fees. */
const ACCOUNT_TABLES: readonly string[] = [
  // What an account holds of a token, and how it has traded it.
  `create table balance (
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
    primary key (token, holder)
  )`,
  // /holders and the largest 20 of an update; empty balances are not listed. Negated, so that descending balances and ascending addresses
  // are one range of the index.
  `create index balance_by_size on balance (token, (- balance), holder) include (balance) where balance > 0`,
  `create index balance_by_holder on balance (holder, last_changed_block, token) include (balance) where balance > 0`,
  `create index balance_out_of_circulation on balance (token) where type in ('burn', 'locker')`,
  ...TRADER_SORTS.map(
    ([name, value]) => `create index trader_by_${name} on balance (token, (${value}), holder) where first_trade_at is not null`,
  ),

  `create table trader (
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
  )`,
  `create index trader_by_last_trade_at on trader (last_trade_at)`,

  // `accrued` is null for fees that accrue in a Uniswap position: no event has their amount. `claim_id`: the position's number, an argument
  // of the call that collects them.
  `create table creator_fee (
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
  )`,
  // A creator's claimable fees are read in this order.
  `create index creator_fee_by_creator on creator_fee (creator, token, launchpad, currency)`,

  // Answers to calls, which a fresh index asks for again: the uncollected fees of locked positions (null amounts: the providers refused the
  // call), and which holders are contracts.
  `create table uncollected_fee (
    token bytea primary key,
    token_amount numeric,
    quote_amount numeric,
    block_number bigint not null
  )`,
  `create table holder_code (
    holder bytea primary key,
    contract boolean not null
  )`,
]
