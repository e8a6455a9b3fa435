/** The tables of the chain, its newest blocks, their before-images, and the totals over all tokens. */
export const CHAIN_TABLES: readonly string[] = [
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
