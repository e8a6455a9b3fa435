import { sql } from 'kysely'
import type { Hex } from '#domain/address.ts'
import type { IndexedBlock } from '#domain/block.ts'
import type { Changes } from '#domain/changes.ts'
import { type Decimal, percentChange } from '#domain/decimal.ts'
import type { BalanceState, CandleDelta, CreatorFeeState, PoolState, TokenState, TradeRow } from '#domain/tokenState.ts'
import { WINDOW_NAMES, type WindowName } from '#domain/windows.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { type BatchColumn, type BatchColumns, batchInsert, replaceAll, runStatements, type Statements } from './batchTable.ts'
import type { SplitRows } from './splitNewRows.ts'

/** How many of the newest blocks are kept for reconciliation. */
export const KEPT_BLOCKS = 4_096

/**
 * Writes all rows of a batch, inside the caller's transaction. Every token gets its next sequence: the given commit time, or one more than
 * before when that is larger.
 *
 * @param split the batch's balances and candles
 */
export async function writeChanges(db: Queryable, changes: Changes, split: SplitRows, committedAtMs: number): Promise<void> {
  await runStatements(db, statementsOf(changes, split, committedAtMs))
}

function* statementsOf(changes: Changes, { balances, candles }: SplitRows, committedAtMs: number): Statements {
  yield* insertTokens(changes.tokens.map(token => ({ ...token, committedAtMs })))
  yield* insertPools(changes.pools)
  yield* insertTrades(changes.trades)
  yield* insertBalances(balances.added)
  yield* mergeBalances(balances.merged)
  yield* insertCandles(candles.added)
  yield* mergeCandles(candles.merged)
  yield* insertCreatorFees(changes.creatorFees)
  yield* insertBlocks(changes.blocks)
  const newest = changes.blocks.at(-1)
  if (newest !== undefined) yield sql`delete from block where number <= ${newest.number - KEPT_BLOCKS}`
}

export interface WrittenToken extends TokenState {
  readonly committedAtMs: number
}

export const TOKEN_COLUMNS: BatchColumns<WrittenToken> = {
  address: bytea(token => token.address),
  launchpad: text(token => token.launchpad),
  symbol: text(token => token.symbol),
  name: text(token => token.name),
  decimals: number('smallint', token => token.decimals),
  total_supply: integer(token => token.totalSupply),
  creator: bytea(token => token.creator),
  created_at: bigint(token => token.createdAt),
  created_block: bigint(token => token.createdBlock),
  created_tx_hash: bytea(token => token.createdTxHash),
  metadata_uri: text(token => token.metadataUri),
  main_pool: bytea(token => token.mainPool),
  price_weth: decimal(token => token.priceWeth),
  first_price_weth: decimal(token => token.firstPriceWeth),
  ath_price_weth: decimal(token => token.athPriceWeth),
  market_cap_weth: decimal(token => token.marketCapWeth),
  liquidity_weth: decimal(token => token.liquidityWeth),
  trade_count: number('integer', token => token.tradeCount),
  holder_count: number('integer', token => token.holderCount),
  last_trade_at: bigint(token => token.lastTradeAt),
  ...windowColumns('volume', name => integer(token => token.windows[name].volumeWei)),
  ...windowColumns('buys', name => number('integer', token => token.windows[name].buys)),
  ...windowColumns('sells', name => number('integer', token => token.windows[name].sells)),
  ...windowColumns('reference_price', name => decimal(token => token.referencePrice[name])),
  ...windowColumns('price_change', name => double(token => priceChange(token, name))),
  windows_at: bigint(token => token.windowsAt),
  windows_expire_at: bigint(token => token.windowsExpireAt),
  creator_fee_bps: double(token => token.creatorFeeBps),
  fees_accrued: integer(token => token.feesAccruedWei),
  fees_claimed: integer(token => token.feesClaimedWei),
  graduation_status: text(token => token.graduationStatus),
  graduation_percent: double(token => token.graduationPercent),
  raised: integer(token => token.raisedWei),
  target: integer(token => token.targetWei),
  completed_at: bigint(token => token.completedAt),
  migrated_at: bigint(token => token.migratedAt),
  graduated_pool: bytea(token => token.graduatedPool),
  graduation_tx_hash: bytea(token => token.graduationTxHash),
  as_of_block: bigint(token => token.asOfBlock),
  sequence: bigint(token => token.committedAtMs),
  updated_at_ms: bigint(token => token.committedAtMs),
}

const insertTokens = batchInsert<WrittenToken>({
  table: 'token',
  columns: TOKEN_COLUMNS,
  onConflict: replaceAll(['address'], TOKEN_COLUMNS).replace(
    'sequence = excluded.sequence',
    'sequence = greatest(token.sequence + 1, excluded.sequence)',
  ),
})

export const POOL_COLUMNS: BatchColumns<PoolState> = {
  address: bytea(pool => pool.address),
  token: bytea(pool => pool.token),
  launchpad: text(pool => pool.launchpad),
  type: text(pool => pool.type),
  quote_token: bytea(pool => pool.quoteToken),
  quote_decimals: number('smallint', pool => pool.quoteDecimals),
  token_is_token0: boolean(pool => pool.tokenIsToken0),
  fee_bps: double(pool => pool.feeBps),
  reserve_token: integer(pool => pool.reserveToken),
  reserve_quote: integer(pool => pool.reserveQuote),
  sqrt_price_x96: integer(pool => pool.sqrtPriceX96),
  tick: number('integer', pool => pool.tick),
  liquidity: integer(pool => pool.liquidity),
  price_weth: decimal(pool => pool.priceWeth),
  position_id: integer(pool => pool.positionId),
  created_block: bigint(pool => pool.createdBlock),
  last_changed_block: bigint(pool => pool.lastChangedBlock),
}

const insertPools = batchInsert<PoolState>({ table: 'pool', columns: POOL_COLUMNS, onConflict: replaceAll(['address'], POOL_COLUMNS) })

export const TRADE_COLUMNS: BatchColumns<TradeRow> = {
  block_number: bigint(trade => trade.blockNumber),
  log_index: number('integer', trade => trade.logIndex),
  token: bytea(trade => trade.token),
  pool: bytea(trade => trade.pool),
  phase: text(trade => trade.phase),
  side: text(trade => trade.side),
  maker: bytea(trade => trade.maker),
  amount_token: integer(trade => trade.amountToken),
  amount_wei: integer(trade => trade.amountWei),
  fee_wei: integer(trade => trade.feeWei),
  price_weth: decimal(trade => trade.priceWeth),
  price_after_weth: decimal(trade => trade.priceAfterWeth),
  eth_usd: decimal(trade => trade.ethUsd),
  block_hash: bytea(trade => trade.blockHash),
  tx_hash: bytea(trade => trade.txHash),
  timestamp: bigint(trade => trade.timestamp),
}

// No conflict clause: a trade that is there already means that a batch is applied twice, and the transaction has to fail.
const insertTrades = batchInsert<TradeRow>({ table: 'trade', columns: TRADE_COLUMNS })

export const BALANCE_COLUMNS: BatchColumns<BalanceState> = {
  token: bytea(row => row.token),
  holder: bytea(row => row.holder),
  balance: integer(row => row.balance),
  type: text(row => row.type),
  last_changed_block: bigint(row => row.lastChangedBlock),
}

const insertBalances = batchInsert<BalanceState>({ table: 'balance', columns: BALANCE_COLUMNS })
const mergeBalances = batchInsert<BalanceState>({
  table: 'balance',
  columns: BALANCE_COLUMNS,
  // Events know no better than `wallet`; that it is a contract was asked of the chain (holderCodes.ts).
  onConflict: replaceAll(['token', 'holder'], BALANCE_COLUMNS).replace(
    'type = excluded.type',
    `type = case when excluded.type = 'wallet' and balance.type = 'contract' then 'contract' else excluded.type end`,
  ),
})

export const CANDLE_COLUMNS: BatchColumns<CandleDelta> = {
  token: bytea(candle => candle.token),
  interval_seconds: number('integer', candle => candle.intervalSeconds),
  time: bigint(candle => candle.time),
  open: decimal(candle => candle.open),
  high: decimal(candle => candle.high),
  low: decimal(candle => candle.low),
  close: decimal(candle => candle.close),
  volume_wei: integer(candle => candle.volumeWei),
  trades: number('integer', candle => candle.trades),
  open_usd: decimal(candle => candle.usd?.open ?? null),
  high_usd: decimal(candle => candle.usd?.high ?? null),
  low_usd: decimal(candle => candle.usd?.low ?? null),
  close_usd: decimal(candle => candle.usd?.close ?? null),
  volume_usd: decimal(candle => candle.usd?.volume ?? null),
  trades_usd: number('integer', candle => candle.usd?.trades ?? 0),
}

const insertCandles = batchInsert<CandleDelta>({ table: 'candle', columns: CANDLE_COLUMNS })
const mergeCandles = batchInsert<CandleDelta>({
  table: 'candle',
  columns: CANDLE_COLUMNS,
  // greatest, least and coalesce pass over nulls: a candle without USD takes what comes.
  onConflict: `on conflict (token, interval_seconds, time) do update set
    high = greatest(candle.high, excluded.high), low = least(candle.low, excluded.low), close = excluded.close,
    volume_wei = candle.volume_wei + excluded.volume_wei, trades = candle.trades + excluded.trades,
    open_usd = coalesce(candle.open_usd, excluded.open_usd), high_usd = greatest(candle.high_usd, excluded.high_usd),
    low_usd = least(candle.low_usd, excluded.low_usd), close_usd = coalesce(excluded.close_usd, candle.close_usd),
    volume_usd = case when candle.volume_usd is null then excluded.volume_usd else candle.volume_usd + coalesce(excluded.volume_usd, 0) end,
    trades_usd = candle.trades_usd + excluded.trades_usd`,
})

export const CREATOR_FEE_COLUMNS: BatchColumns<CreatorFeeState> = {
  launchpad: text(row => row.launchpad),
  creator: bytea(row => row.creator),
  currency: bytea(row => row.currency),
  scope: text(row => row.scope),
  token: bytea(row => row.token),
  accrued: integer(row => row.accrued),
  claimed: integer(row => row.claimed),
  claim_id: integer(row => row.claimId),
  last_changed_block: bigint(row => row.lastChangedBlock),
}

const insertCreatorFees = batchInsert<CreatorFeeState>({
  table: 'creator_fee',
  columns: CREATOR_FEE_COLUMNS,
  onConflict: replaceAll(['launchpad', 'creator', 'currency', 'token'], CREATOR_FEE_COLUMNS),
})

const insertBlocks = batchInsert<IndexedBlock>({
  table: 'block',
  columns: {
    number: bigint(block => block.number),
    hash: bytea(block => block.hash),
    parent_hash: bytea(block => block.parentHash),
    timestamp: bigint(block => block.timestamp),
    joined: boolean(block => block.joined === true),
  },
})

function priceChange(token: TokenState, name: WindowName): number | null {
  const before = token.referencePrice[name] ?? token.firstPriceWeth
  return before === null || token.priceWeth === null ? null : percentChange(before, token.priceWeth)
}

function bytea<Row>(value: (row: Row) => Hex | null): BatchColumn<Row> {
  return { type: 'bytea', value }
}

function text<Row>(value: (row: Row) => string | null): BatchColumn<Row> {
  return { type: 'text', value }
}

function number<Row>(type: 'smallint' | 'integer', value: (row: Row) => number | null): BatchColumn<Row> {
  return { type, value }
}

function boolean<Row>(value: (row: Row) => boolean): BatchColumn<Row> {
  return { type: 'boolean', value }
}

function bigint<Row>(value: (row: Row) => number | null): BatchColumn<Row> {
  return { type: 'bigint', value }
}

function double<Row>(value: (row: Row) => number | null): BatchColumn<Row> {
  return { type: 'double precision', value }
}

function integer<Row>(value: (row: Row) => bigint | null): BatchColumn<Row> {
  return { type: 'numeric', value }
}

function decimal<Row>(value: (row: Row) => Decimal | null): BatchColumn<Row> {
  return { type: 'decimal', value }
}

function windowColumns(prefix: string, column: (name: WindowName) => BatchColumn<TokenState>): BatchColumns<TokenState> {
  return Object.fromEntries(WINDOW_NAMES.map(name => [`${prefix}_${name}`, column(name)]))
}
