import { setTimeout as pause } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { withDatabase } from '#benchmarks/service/databaseServer.ts'
import { WHOLE_CANDLES } from '#store/rows/foldMinutes.ts'
import type { Peer } from './installPeer.ts'

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

const WRITTEN_ATTEMPTS = 50
const WRITTEN_POLL_MS = 100

const WHOLE = sql.raw(`${WHOLE_CANDLES} as candle`)

const TOKENWIRE = sql`select (select count(*)::int from token) as tokens, (select count(*)::int from trade) as trades,
  (select count(*)::int from ${WHOLE} where trades > 0) as candles, (select count(*)::int from balance where balance > 0) as holders,
  (select md5(string_agg(concat_ws(' ', block_number, log_index, '0x' || encode(token, 'hex'), side, amount_token, amount_wei), ',' order by block_number, log_index)) from trade) as trades_digest,
  (select md5(string_agg(concat_ws(' ', '0x' || encode(token, 'hex'), '0x' || encode(holder, 'hex'), balance), ',' order by token, holder)) from balance where balance > 0) as balances_digest,
  (select md5(string_agg(concat_ws(' ', '0x' || encode(token, 'hex'), interval_seconds, time, trades, volume_wei), ',' order by token, interval_seconds, time)) from ${WHOLE} where trades > 0) as candles_digest`

const snakeCase = (field: string) => sql.ref(field.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`))

/** How the peers name the same tables and columns. */
const PEER_NAMES: Readonly<Record<Peer, { table(name: string): RawBuilder<unknown>; column(field: string): RawBuilder<unknown> }>> = {
  ponder: { table: name => sql.table(`ponder.${name}`), column: snakeCase },
  sqd: { table: name => sql.table(name), column: snakeCase },
}

function peerStatement({ table, column }: (typeof PEER_NAMES)[Peer]): RawBuilder<unknown> {
  const [token, trade, candle, balance] = [table('token'), table('trade'), table('candle'), table('balance')]
  const list = (...fields: readonly string[]) => sql.join(fields.map(column))
  const trades = sql`concat_ws(' ', ${list('blockNumber', 'logIndex', 'token', 'side', 'amountToken', 'amountWei')})`
  const candles = sql`concat_ws(' ', ${list('token', 'intervalSeconds', 'time', 'trades', 'volumeWei')})`
  const byCandle = sql`token collate "C", ${list('intervalSeconds', 'time')}`
  return sql`select (select count(*)::int from ${token}) as tokens, (select count(*)::int from ${trade}) as trades,
  (select count(*)::int from ${candle}) as candles, (select count(*)::int from ${balance} where balance > 0) as holders,
  (select md5(string_agg(${trades}, ',' order by ${list('blockNumber', 'logIndex')})) from ${trade}) as trades_digest,
  (select md5(string_agg(concat_ws(' ', token, holder, balance), ',' order by token collate "C", holder collate "C")) from ${balance} where balance > 0) as balances_digest,
  (select md5(string_agg(${candles}, ',' order by ${byCandle})) from ${candle}) as candles_digest`
}

/** Peers report a block shortly before they have written all of its rows: waits for them outside the measured time. */
export async function writtenRows(read: () => Promise<RowFigures>, trades: number): Promise<RowFigures> {
  for (let attempt = 0; attempt < WRITTEN_ATTEMPTS; attempt++) {
    const rows = await read()
    if (rows.trades === trades) return rows
    await pause(WRITTEN_POLL_MS)
  }
  throw new Error(`there are not ${trades} trades`)
}

export function tokenwireRows(databaseUrl: string): Promise<RowFigures> {
  return readFigures(databaseUrl, TOKENWIRE)
}

export function peerRows(peer: Peer): (databaseUrl: string) => Promise<RowFigures> {
  return databaseUrl => readFigures(databaseUrl, peerStatement(PEER_NAMES[peer]))
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
