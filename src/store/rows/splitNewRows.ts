import type { BalanceRow } from '#tables/balance.ts'
import type { CandleRow } from '#tables/candle.ts'
import type { Changes, CurrentRows } from '#tables/changes.ts'

export interface Split<Row> {
  /** Rows that are new to the table, and are inserted. */
  readonly added: readonly Row[]
  /** Rows that may be stored already, and are merged. */
  readonly merged: readonly Row[]
}

/**
 * A batch's balances and candles, its largest parts besides the trades. Most of them are new, and a plain insert is cheaper: with `on
 * conflict`, PostgreSQL looks for the row, inserts the new one as tentative, and confirms it.
 */
export interface SplitRows {
  readonly balances: Split<BalanceRow>
  readonly candles: Split<CandleRow>
}

/** Separates the rows that can't be stored yet from those that may be. */
export function splitNewRows({ balances, candles }: Changes, before: Pick<CurrentRows, 'tokens' | 'balances'>): SplitRows {
  return {
    balances: split(balances, ({ token, holder }) => before.balances.get(token)?.has(holder) === true),
    // No stored candle of a token begins after the token's last price.
    candles: split(candles, ({ token, time }) => time <= (before.tokens.get(token)?.lastPriceAt ?? Number.NEGATIVE_INFINITY)),
  }
}

function split<Row>(rows: readonly Row[], mayExist: (row: Row) => boolean): Split<Row> {
  const added: Row[] = []
  const merged: Row[] = []
  for (const row of rows) (mayExist(row) ? merged : added).push(row)
  return { added, merged }
}
