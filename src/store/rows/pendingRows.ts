import type { Address, Hex } from '#domain/address.ts'
import {
  balancesOf as byTokenAndHolder,
  type Changes,
  type CurrentRows,
  creatorFeeKey,
  type RowKeys,
  type WindowAging,
} from '#domain/changes.ts'
import type { PerWindow } from '#domain/token.ts'
import type { BalanceState, CreatorFeeState, PoolState, TokenState, TradeRow } from '#domain/tokenState.ts'
import { perWindow, WINDOW_SECONDS } from '#domain/windows.ts'

/** A batch that is about to be written, or is being written. */
export interface PendingBatch {
  /** Its first block. */
  readonly from: number
  readonly changes: Pick<Changes, 'tokens' | 'pools' | 'balances' | 'creatorFees' | 'trades'>
}

/**
 * What a batch that the database may hold or not makes of the rows that are read. What it touches is as it leaves it, whatever was read; the rest is the
 * same before and after it.
 */
export interface PendingRows {
  /** The batch's first block: stored trades from there on are its own and not to be read. `null`: there is no batch. */
  readonly from: number | null
  readonly tokens: ReadonlyMap<Address, TokenState>
  readonly creatorFees: ReadonlyMap<string, CreatorFeeState>
  tokensOf(addresses: readonly Address[]): readonly (readonly [Address, TokenState])[]
  poolsOf(tokens: readonly Address[]): readonly (readonly [Hex, PoolState])[]
  balance(token: Address, holder: Address): BalanceState | undefined
  balancesOf(keys: RowKeys['balances']): readonly BalanceState[]
  /** The aging that the stored trades tell, together with the batch's. */
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
          return [address, made === undefined || was === undefined ? stored : agedBy(stored, made, { was, now })]
        }),
      ),
  }
}

const NOTHING: PendingBatch['changes'] = { tokens: [], pools: [], balances: [], creatorFees: [], trades: [] }

/** @param trades of one token, in order, later than the stored ones and none later than `was` */
function agedBy(
  stored: PerWindow<WindowAging>,
  trades: readonly TradeRow[],
  { was, now }: { readonly was: number; readonly now: number },
): PerWindow<WindowAging> {
  return perWindow(name => {
    const length = WINDOW_SECONDS[name]
    let { volumeWei, buys, sells } = stored[name].leaving
    let { oldestAt, referencePrice } = stored[name]
    for (const { timestamp, amountWei, side, priceAfterWeth } of trades) {
      if (timestamp > now - length) {
        oldestAt ??= timestamp
        break
      }
      referencePrice = priceAfterWeth ?? referencePrice
      if (timestamp <= was - length) continue
      volumeWei += amountWei ?? 0n
      if (side === 'buy') buys += 1
      else sells += 1
    }
    return { leaving: { volumeWei, buys, sells }, oldestAt, referencePrice }
  })
}
