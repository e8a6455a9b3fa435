import { BALANCE } from '#tables/balance.ts'
import { CANDLE } from '#tables/candle.ts'
import type { Column } from '#tables/columns.ts'
import { CREATOR_FEE } from '#tables/creatorFee.ts'
import { EARLY_CLASS } from '#tables/earlyClass.ts'
import { POOL } from '#tables/pool.ts'
import { FULL_TOKEN, type FullTokenRow, type TokenRow } from '#tables/token.ts'
import { TRADE } from '#tables/trade.ts'
import { copyLine } from './copyText.ts'
import { blockAt, END, type GrowthScale, startOf, timeOf } from './scale.ts'
import type { TokenRows } from './tokenRows.ts'

/** A line of a table, and the Unix second of the indexer's last write to it: tables are stored in that order. */
export interface Line {
  readonly table: TableName
  readonly writtenAt: number
  readonly text: string
}

const GENERATED = ['tradesM5', 'tradesH1', 'tradesH24', 'trending'] as const satisfies readonly (keyof FullTokenRow)[]
const GENERATED_FIELDS: ReadonlySet<string> = new Set(GENERATED)

const COLUMNS = {
  token: FULL_TOKEN.columns.filter(({ field }) => !GENERATED_FIELDS.has(field)),
  pool: POOL.columns,
  trade: TRADE.columns,
  balance: BALANCE.columns,
  candle: CANDLE.columns,
  creator_fee: CREATOR_FEE.columns,
  early_class: EARLY_CLASS.columns,
} satisfies Record<string, readonly Column[]>

export type TableName = keyof typeof COLUMNS
export const TABLE_NAMES = Object.keys(COLUMNS) as readonly TableName[]

export function columnNames(table: TableName): readonly string[] {
  return COLUMNS[table].map(({ name }) => name)
}

const LINE = {
  token: copyLine(COLUMNS.token),
  pool: copyLine(COLUMNS.pool),
  trade: copyLine(COLUMNS.trade),
  balance: copyLine(COLUMNS.balance),
  candle: copyLine(COLUMNS.candle),
  creator_fee: copyLine(COLUMNS.creator_fee),
  early_class: copyLine(COLUMNS.early_class),
}

/** All lines of a token. */
export function* linesOf(scale: GrowthScale, rows: TokenRows): Generator<Line> {
  const changedAt = (block: number) => timeOf(scale, block)
  for (const token of rows.tokens) {
    const writtenAt = token.lastTradeAt ?? token.createdAt
    yield { table: 'token', writtenAt, text: LINE.token(storedToken(token, writtenAt * 1_000)) }
    for (const row of rows.earlyClasses) yield { table: 'early_class', writtenAt, text: LINE.early_class(row) }
  }
  for (const pool of rows.pools) yield { table: 'pool', writtenAt: changedAt(pool.createdBlock), text: LINE.pool(pool) }
  for (const trade of rows.trades) yield { table: 'trade', writtenAt: trade.timestamp, text: LINE.trade(trade) }
  for (const balance of rows.balances)
    yield { table: 'balance', writtenAt: changedAt(balance.lastChangedBlock), text: LINE.balance(balance) }
  for (const candle of rows.candles) yield { table: 'candle', writtenAt: Math.max(startOf(scale), candle.time), text: LINE.candle(candle) }
  for (const fee of rows.creatorFees)
    yield { table: 'creator_fee', writtenAt: changedAt(fee.lastChangedBlock), text: LINE.creator_fee(fee) }
}

/** The number of day files of a table, and the day file of a line. */
export function dayOf(scale: GrowthScale, writtenAt: number): number {
  const day = Math.floor((writtenAt - startOf(scale)) / 86_400)
  if (day < 0 || blockAt(scale, writtenAt) > blockAt(scale, END) + 64) throw new RangeError(`a row of ${writtenAt}, outside of the history`)
  return Math.min(scale.days - 1, day)
}

/** With what commits and the metadata reader add. */
function storedToken(token: TokenRow, committedAtMs: number): Omit<FullTokenRow, (typeof GENERATED)[number]> {
  const description = `The one and only ${token.name ?? 'token'}. `.repeat(1 + (token.createdBlock % 5))
  return {
    ...token,
    sequence: committedAtMs,
    updatedAtMs: committedAtMs,
    imageUrl: `https://images.example/${token.address}.png`,
    description,
    links: `[{"kind":"website","url":"https://${token.address}.example/"}]`,
  }
}
