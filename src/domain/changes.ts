import type { Address, Hex } from './address.ts'
import type { IndexedBlock } from './block.ts'
import type { Decimal } from './decimal.ts'
import type { PerWindow } from './token.ts'
import type { BalanceState, CandleDelta, CreatorFeeState, PoolState, TokenState, TradeRow, WindowTotals } from './tokenState.ts'

/** What has happened to one window of a token between the time for which it was last right and now, as the stored trades tell. */
export interface WindowAging {
  /** The stored trades that were in the window and are no longer. */
  readonly leaving: WindowTotals
  /** The oldest stored trade that is still in the window; `null`: none. */
  readonly oldestAt: number | null
  /** The price after the last stored trade before the window; `null`: there is none. */
  readonly referencePrice: Decimal | null
}

/** The current rows of everything that a batch touches. A key that is absent has no row yet. */
export interface CurrentRows {
  readonly tokens: ReadonlyMap<Address, TokenState>
  readonly pools: ReadonlyMap<Hex, PoolState>
  readonly balances: Balances
  /** By `creatorFeeKey`. */
  readonly creatorFees: ReadonlyMap<string, CreatorFeeState>
  readonly aging: ReadonlyMap<Address, PerWindow<WindowAging>>
}

/** The rows that a batch needs, besides the tokens whose windows have expired. */
export interface RowKeys {
  readonly tokens: readonly Address[]
  readonly balances: readonly { readonly token: Address; readonly holder: Address }[]
  readonly creatorFees: readonly Pick<CreatorFeeState, 'launchpad' | 'creator' | 'currency' | 'token'>[]
}

/** Every row that a batch changes or adds, in its final state; candles and trades are additions. */
export interface Changes {
  readonly tokens: readonly TokenState[]
  readonly pools: readonly PoolState[]
  readonly balances: readonly BalanceState[]
  readonly creatorFees: readonly CreatorFeeState[]
  readonly trades: readonly TradeRow[]
  readonly candles: readonly CandleDelta[]
  /** The headers to remember for reconciliation, ascending; the last is the new cursor. */
  readonly blocks: readonly IndexedBlock[]
}

/** Balances by token, then holder: a key of both would be put together and hashed anew for every transfer. */
export type Balances = ReadonlyMap<Address, ReadonlyMap<Address, BalanceState>>

export function balancesOf(rows: Iterable<BalanceState>): Balances {
  const balances = new Map<Address, Map<Address, BalanceState>>()
  for (const row of rows) {
    const ofToken = balances.get(row.token)
    if (ofToken === undefined) balances.set(row.token, new Map([[row.holder, row]]))
    else ofToken.set(row.holder, row)
  }
  return balances
}

export function creatorFeeKey(key: Pick<CreatorFeeState, 'launchpad' | 'creator' | 'currency' | 'token'>): string {
  return `${key.launchpad} ${key.creator} ${key.currency} ${key.token}`
}
