import type { BatchColumns } from '#store/rows/batchTable.ts'
import {
  BALANCE_COLUMNS,
  CANDLE_COLUMNS,
  CREATOR_FEE_COLUMNS,
  POOL_COLUMNS,
  TOKEN_COLUMNS,
  TRADE_COLUMNS,
  type WrittenToken,
} from '#store/rows/writeChanges.ts'
import { copyLine } from './copyText.ts'
import { blockAt, END, type GrowthScale, startOf, timeOf } from './scale.ts'
import type { TokenRows } from './tokenRows.ts'

/** A line of a table, and the Unix second of the indexer's last write to it: tables are stored in that order. */
export interface Line {
  readonly table: TableName
  readonly writtenAt: number
  readonly text: string
}

/** The columns that a commit writes, and those that are filled later. */
const TOKENS: BatchColumns<WrittenToken> = {
  ...TOKEN_COLUMNS,
  image_url: { type: 'text', value: ({ address }) => `https://images.example/${address}.png` },
  description: { type: 'text', value: ({ name, createdBlock }) => `The one and only ${name ?? 'token'}. `.repeat(1 + (createdBlock % 5)) },
}

const COLUMNS = {
  token: TOKENS,
  pool: POOL_COLUMNS,
  trade: TRADE_COLUMNS,
  balance: BALANCE_COLUMNS,
  candle: CANDLE_COLUMNS,
  creator_fee: CREATOR_FEE_COLUMNS,
}

export type TableName = keyof typeof COLUMNS
export const TABLE_NAMES = Object.keys(COLUMNS) as readonly TableName[]

export function columnNames(table: TableName): readonly string[] {
  return Object.keys(COLUMNS[table])
}

const LINE = {
  token: copyLine(COLUMNS.token),
  pool: copyLine(COLUMNS.pool),
  trade: copyLine(COLUMNS.trade),
  balance: copyLine(COLUMNS.balance),
  candle: copyLine(COLUMNS.candle),
  creator_fee: copyLine(COLUMNS.creator_fee),
}

/** All lines of a token. */
export function* linesOf(scale: GrowthScale, rows: TokenRows): Generator<Line> {
  const changedAt = (block: number) => timeOf(scale, block)
  for (const token of rows.tokens) {
    const writtenAt = token.lastTradeAt ?? token.createdAt
    yield { table: 'token', writtenAt, text: LINE.token({ ...token, committedAtMs: writtenAt * 1_000 }) }
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
