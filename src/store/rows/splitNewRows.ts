import type { BalanceRow } from '#tables/balance.ts'
import type { CandleRow } from '#tables/candle.ts'
import type { Changes, CurrentRows } from '#tables/changes.ts'

export interface Split<Row> {
  /** New to the table: inserted. */
  readonly added: readonly Row[]
  /** Perhaps stored: merged. */
  readonly merged: readonly Row[]
}

/**
 * A batch's balances and candles, its largest parts besides the trades. Most of these rows are new, and a plain insert is cheaper: with `on
 * conflict` PostgreSQL first looks for the row, then marks the new one as tentative, then confirms it.
 */
export interface SplitRows {
  readonly balances: Split<BalanceRow>
  readonly candles: Split<CandleRow>
}

/** Separates rows that can't be stored yet from those that may be: the former are inserted without `on conflict`. */
export function splitNewRows({ balances, candles }: Changes, before: Pick<CurrentRows, 'tokens' | 'balances'>): SplitRows {
  return {
    balances: split(balances, ({ token, holder }) => before.balances.get(token)?.has(holder) === true),
    // No stored candle begins after the last one of its token took a price.
    candles: split(candles, ({ token, time }) => time <= (before.tokens.get(token)?.lastPriceAt ?? Number.NEGATIVE_INFINITY)),
  }
}

function split<Row>(rows: readonly Row[], mayExist: (row: Row) => boolean): Split<Row> {
  const added: Row[] = []
  const merged: Row[] = []
  for (const row of rows) (mayExist(row) ? merged : added).push(row)
  return { added, merged }
}
