import type { Address, Hex } from '#domain/address.ts'
import { creatorFeeKey } from '#domain/claimable.ts'
import { ageWindow, perWindow, WINDOW_SECONDS } from '#domain/windows.ts'
import type { BalanceRow } from '#tables/balance.ts'
import { balancesOf as byTokenAndHolder, type Changes, type CurrentRows, type RowKeys } from '#tables/changes.ts'
import type { CreatorFeeRow } from '#tables/creatorFee.ts'
import type { PoolRow } from '#tables/pool.ts'
import type { TokenRow } from '#tables/token.ts'

/** A batch that is about to be written, or is being written. */
export interface PendingBatch {
  /** Its first block. */
  readonly from: number
  readonly changes: Pick<Changes, 'tokens' | 'pools' | 'balances' | 'creatorFees' | 'trades'>
}

/** The rows of a batch that the database may or may not hold yet. They count, whatever was read; rows that it does not touch are read. */
export interface PendingRows {
  /** The batch's first block: stored trades from there on are its own, and are not read. `null`: there is no batch. */
  readonly from: number | null
  readonly tokens: ReadonlyMap<Address, TokenRow>
  readonly creatorFees: ReadonlyMap<string, CreatorFeeRow>
  tokensOf(addresses: readonly Address[]): readonly (readonly [Address, TokenRow])[]
  poolsOf(tokens: readonly Address[]): readonly (readonly [Hex, PoolRow])[]
  balance(token: Address, holder: Address): BalanceRow | undefined
  balancesOf(keys: RowKeys['balances']): readonly BalanceRow[]
  /** The aging by stored trades, with the batch's trades added. */
  aged(aging: CurrentRows['aging'], tokens: CurrentRows['tokens'], now: number): CurrentRows['aging']
}

/** @param batch `null`: none is pending */
export function pendingRows(batch: PendingBatch | null): PendingRows {
  const { tokens, pools, balances, creatorFees, trades } = batch?.changes ?? NOTHING
  const tokenRows = new Map(tokens.map(token => [token.address, token]))
  const poolRows = Map.groupBy(pools, ({ token }) => token)
  const balanceRows = byTokenAndHolder(balances)
  const tradeRows = Map.groupBy(trades, ({ token }) => token)
  const balance = (token: Address, holder: Address) => balanceRows.get(token)?.get(holder)
  return {
    from: batch?.from ?? null,
    tokens: tokenRows,
    creatorFees: new Map(creatorFees.map(fee => [creatorFeeKey(fee), fee])),
    tokensOf: addresses =>
      addresses.flatMap(address => {
        const token = tokenRows.get(address)
        return token === undefined ? [] : [[address, token] as const]
      }),
    poolsOf: addresses => addresses.flatMap(address => (poolRows.get(address) ?? []).map(pool => [pool.address, pool] as const)),
    balance,
    balancesOf: keys => keys.flatMap(({ token, holder }) => balance(token, holder) ?? []),
    aged: (aging, rows, now) =>
      new Map(
        [...aging].map(([address, stored]) => {
          const made = tradeRows.get(address)
          const was = rows.get(address)?.windowsAt
          if (made === undefined || was === undefined) return [address, stored]
          const moved = (length: number) => ({ after: was - length, start: now - length })
          return [address, perWindow(name => ageWindow(stored[name], made, moved(WINDOW_SECONDS[name])))]
        }),
      ),
  }
}

const NOTHING: PendingBatch['changes'] = { tokens: [], pools: [], balances: [], creatorFees: [], trades: [] }
