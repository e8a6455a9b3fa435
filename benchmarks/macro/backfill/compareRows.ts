import { type RawBuilder, sql } from 'kysely'
import { withDatabase } from './databaseServer.ts'

/** What two indexers of the same chain must agree on. */
export interface RowFigures {
  readonly tokens: number
  readonly trades: number
  readonly candles: number
  readonly holders: number
  /** Digest of every trade's position, amounts and side. */
  readonly tradesDigest: string
  /** Digest of every balance above zero. */
  readonly balancesDigest: string
  /** Digest of every candle's trades and volume. */
  readonly candlesDigest: string
}

const TOKENWIRE = sql`select (select count(*)::int from token) as tokens, (select count(*)::int from trade) as trades,
  (select count(*)::int from candle where trades > 0) as candles, (select count(*)::int from balance where balance > 0) as holders,
  (select md5(string_agg(concat_ws(' ', block_number, log_index, '0x' || encode(token, 'hex'), side, amount_token, amount_wei), ',' order by block_number, log_index)) from trade) as trades_digest,
  (select md5(string_agg(concat_ws(' ', '0x' || encode(token, 'hex'), '0x' || encode(holder, 'hex'), balance), ',' order by token, holder)) from balance where balance > 0) as balances_digest,
  (select md5(string_agg(concat_ws(' ', '0x' || encode(token, 'hex'), interval_seconds, time, trades, volume_wei), ',' order by token, interval_seconds, time)) from candle where trades > 0) as candles_digest`

const PONDER = sql`select (select count(*)::int from ponder.token) as tokens, (select count(*)::int from ponder.trade) as trades,
  (select count(*)::int from ponder.candle) as candles, (select count(*)::int from ponder.balance where balance > 0) as holders,
  (select md5(string_agg(concat_ws(' ', block_number, log_index, token, side, amount_token, amount_wei), ',' order by block_number, log_index)) from ponder.trade) as trades_digest,
  (select md5(string_agg(concat_ws(' ', token, holder, balance), ',' order by token collate "C", holder collate "C")) from ponder.balance where balance > 0) as balances_digest,
  (select md5(string_agg(concat_ws(' ', token, interval_seconds, time, trades, volume_wei), ',' order by token collate "C", interval_seconds, time)) from ponder.candle) as candles_digest`

export function tokenwireRows(databaseUrl: string): Promise<RowFigures> {
  return readFigures(databaseUrl, TOKENWIRE)
}

export function ponderRows(databaseUrl: string): Promise<RowFigures> {
  return readFigures(databaseUrl, PONDER)
}

async function readFigures(databaseUrl: string, statement: RawBuilder<unknown>): Promise<RowFigures> {
  const { rows } = await withDatabase(databaseUrl, db => statement.execute(db))
  const row = rows[0] as Record<string, unknown>
  return {
    tokens: Number(row['tokens']),
    trades: Number(row['trades']),
    candles: Number(row['candles']),
    holders: Number(row['holders']),
    tradesDigest: String(row['trades_digest']),
    balancesDigest: String(row['balances_digest']),
    candlesDigest: String(row['candles_digest']),
  }
}

/** @throws `Error` with the differences */
export function assertSameRows(one: { readonly name: string; readonly rows: RowFigures }, other: typeof one): void {
  for (const key of Object.keys(one.rows) as (keyof RowFigures)[]) {
    if (one.rows[key] === other.rows[key]) continue
    throw new Error(`${one.name} and ${other.name} disagree on ${key}: ${one.rows[key]} and ${other.rows[key]}`)
  }
}
