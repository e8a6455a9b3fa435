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
export const TOKEN_TABLES: readonly string[] = [
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
