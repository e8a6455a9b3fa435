/** The sorts of a token's traders. A trader whose value is unknown comes last. */
const TRADER_SORTS = [
  ['realized', `coalesce(realized_wei, '-Infinity'::numeric)`],
  ['volume', `coalesce(bought_wei + sold_wei, '-Infinity'::numeric)`],
  ['bought', `coalesce(bought_wei, '-Infinity'::numeric)`],
  ['sold', `coalesce(sold_wei, '-Infinity'::numeric)`],
  ['balance', 'balance'],
]

/** Balances, traders and creators' fees. */
export const ACCOUNT_TABLES: readonly string[] = [
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
