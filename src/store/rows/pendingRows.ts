import type { Address } from '#domain/address.ts'
import { creatorFeeKey } from '#domain/claimable.ts'
import { addLastTrades, ageWindow, type LastTrades, NO_LAST_TRADES, perWindow, WINDOW_SECONDS } from '#domain/windows.ts'
import { balancesOf as byTokenAndHolder, type Changes, type CurrentRows, type RowKeys } from '#tables/changes.ts'

/** A batch that is about to be written, or is being written. */
export interface PendingBatch {
  /** Its first block. */
  readonly from: number
  readonly changes: Pick<Changes, 'tokens' | 'pools' | 'balances' | 'creatorFees' | 'trades'>
}

/**
 * The rows of a batch that the database may or may not hold yet. They replace what was read.
 *
 * @param batch `null`: none is pending
 */
export function pendingRows(batch: PendingBatch | null) {
  const { tokens, pools, balances, creatorFees, trades } = batch?.changes ?? NOTHING
  const tokenRows = new Map(tokens.map(token => [token.address, token]))
  const poolRows = Map.groupBy(pools, ({ token }) => token)
  const balanceRows = byTokenAndHolder(balances)
  const tradeRows = Map.groupBy(trades, ({ token }) => token)
  const balance = (token: Address, holder: Address) => balanceRows.get(token)?.get(holder)
  return {
    /** Stored trades from this block on are the batch's own, and are not read. */
    from: batch?.from ?? null,
    tokens: tokenRows,
    creatorFees: new Map(creatorFees.map(fee => [creatorFeeKey(fee), fee])),
    tokensOf: (addresses: readonly Address[]) => addresses.flatMap(address => tokenRows.get(address) ?? []),
    poolsOf: (addresses: readonly Address[]) => addresses.flatMap(address => poolRows.get(address) ?? []),
    balance,
    balancesOf: (keys: RowKeys['balances']) => keys.flatMap(({ token, holder }) => balance(token, holder) ?? []),
    /** The aging by stored trades, with the batch's trades added. */
    aged: (aging: CurrentRows['aging'], rows: CurrentRows['tokens'], now: number): CurrentRows['aging'] =>
      new Map(
        [...aging].map(([address, stored]) => {
          const made = tradeRows.get(address)
          const was = rows.get(address)?.windowsAt
          if (made === undefined || was === undefined) return [address, stored]
          const moved = (length: number) => ({ after: was - length, start: now - length })
          return [address, perWindow(name => ageWindow(stored[name], made, moved(WINDOW_SECONDS[name])))]
        }),
      ),
    /** Of stored trades and the batch's. */
    lastTrades: (stored: CurrentRows['lastTrades'], asked: Iterable<Address>): CurrentRows['lastTrades'] =>
      new Map(
        [...asked].map((address): [Address, LastTrades] => [
          address,
          addLastTrades(stored.get(address) ?? NO_LAST_TRADES, tradeRows.get(address) ?? []),
        ]),
      ),
  }
}

const NOTHING: PendingBatch['changes'] = { tokens: [], pools: [], balances: [], creatorFees: [], trades: [] }
