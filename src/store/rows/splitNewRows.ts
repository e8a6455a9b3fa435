import type { Changes, CurrentRows } from '#domain/changes.ts'
import type { BalanceState, CandleDelta } from '#domain/tokenState.ts'

/** Rows of a batch by whether their table may hold one of the same key. */
interface Parted<Row> {
  /** It holds none. */
  readonly fresh: readonly Row[]
  readonly known: readonly Row[]
}

/**
 * A batch's largest parts besides its trades. Most of their rows are new; inserting one `on conflict` has the server look for it first, mark it as
 * tentative and confirm it.
 */
export interface PartedRows {
  readonly balances: Parted<BalanceState>
  readonly candles: Parted<CandleDelta>
}

/** @param before the rows that the changes were worked out from */
export function partRows({ balances, candles }: Changes, before: Pick<CurrentRows, 'tokens' | 'balances'>): PartedRows {
  return {
    balances: part(balances, ({ token, holder }) => before.balances.get(token)?.has(holder) === true),
    // Only trades make candles, and no stored one begins later than its token's last trade.
    candles: part(candles, ({ token, time }) => time <= (before.tokens.get(token)?.lastTradeAt ?? Number.NEGATIVE_INFINITY)),
  }
}

function part<Row>(rows: readonly Row[], isKnown: (row: Row) => boolean): Parted<Row> {
  const fresh: Row[] = []
  const known: Row[] = []
  for (const row of rows) (isKnown(row) ? known : fresh).push(row)
  return { fresh, known }
}
