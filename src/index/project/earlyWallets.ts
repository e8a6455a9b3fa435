import { BUNDLE_MAKERS, CLASS_BITS, EARLY_CLASSES, type EarlyClass, HELD_FIELDS, isAtLaunch, isSnipe } from '#domain/earlyWallets.ts'
import { getOrInsert } from '#domain/getOrInsert.ts'
import type { BalanceRow } from '#tables/balance.ts'
import type { EarlyClassRow } from '#tables/earlyClass.ts'
import type { TradeRow } from '#tables/trade.ts'
import type { Draft, MovedAccount, Mutable, TokenDraft } from './draft.ts'

/*
 * The classes of accounts that got a token early (decision 0072). Each class follows from an event and the rows that the event changes in
 * any case, so that the cost of a batch depends on its events alone, however many accounts a creator has sent tokens to.
 */

/** @param row the maker's balance */
export function noteEarlyTrade(draft: Draft, token: TokenDraft, trade: TradeRow, row: Mutable<BalanceRow>): void {
  const { maker, side, timestamp, blockNumber } = trade
  if (maker === token.creator || !hasEarlyClasses(token)) return
  token.openedAt ??= timestamp
  if (side === 'sell') return
  if (isSnipe(timestamp, token.openedAt)) row.classes |= CLASS_BITS.sniper
  if (!isAtLaunch(timestamp, token.createdAt)) return
  let block = draft.launchBlocks.get(token.address)
  if (block?.blockNumber !== blockNumber) draft.launchBlocks.set(token.address, (block = { blockNumber, buyers: new Map() }))
  block.buyers.set(maker, row)
  if (block.buyers.size < BUNDLE_MAKERS) return
  const bundlers = block.buyers.size === BUNDLE_MAKERS ? block.buyers.values() : [row]
  for (const bundler of bundlers) bundler.classes |= CLASS_BITS.bundler
}

/** Follows tokens of the creator and of insiders through the accounts of a transaction that pass them on. */
export function followInside({ row, isFromInside }: MovedAccount, to: MovedAccount): void {
  const isInside = isFromInside || row.type === 'creator' || (row.type === 'wallet' && (row.classes & CLASS_BITS.insider) !== 0)
  if (isInside && to.row.type === 'wallet') to.isFromInside = true
}

/**
 * Marks an account that has received tokens from inside. To be called before its trades of the transaction are booked.
 *
 * @param received the amount that the account has received in the transaction besides its trades, less the amount that it has sent
 */
export function markInsider({ row, isFromInside }: MovedAccount, received: bigint): void {
  if (isFromInside && received > 0n && row.buys === 0) row.classes |= CLASS_BITS.insider
}

/**
 * Adds the batch's changes of each class's holdings to the tokens' rows. All costs must be booked.
 *
 * @returns the changes of the other sums
 */
export function sumEarlyClasses(draft: Draft): readonly EarlyClassRow[] {
  return [...draft.balances].flatMap(([address, ofToken]) => {
    const token = draft.tokens.get(address)
    if (token === undefined || !hasEarlyClasses(token)) return []
    const stored = draft.rows.balances.get(address)
    const sums = new Map<EarlyClass, Sums>()
    for (const row of ofToken.values()) {
      if (row.classes === 0) continue
      addTo(sums, row, 1)
      addTo(sums, stored?.get(row.holder), -1)
    }
    return [...sums].flatMap(([name, { wallets, heldToken, boughtToken, soldToken }]): readonly EarlyClassRow[] => {
      const field = HELD_FIELDS[name]
      token[field] = (token[field] ?? 0n) + heldToken
      if (wallets === 0 && boughtToken === 0n && soldToken === 0n) return []
      return [{ token: address, class: name, wallets, boughtToken, soldToken }]
    })
  })
}

interface Sums {
  wallets: number
  heldToken: bigint
  boughtToken: bigint
  soldToken: bigint
}

function addTo(sums: Map<EarlyClass, Sums>, row: BalanceRow | undefined, sign: 1 | -1): void {
  if (row === undefined) return
  for (const name of EARLY_CLASSES) {
    if ((row.classes & CLASS_BITS[name]) === 0) continue
    const sum = getOrInsert(sums, name, () => ({ wallets: 0, heldToken: 0n, boughtToken: 0n, soldToken: 0n }))
    const times = BigInt(sign)
    sum.wallets += sign
    if (row.balance > 0n) sum.heldToken += times * row.balance
    sum.boughtToken += times * row.boughtToken
    sum.soldToken += times * row.soldToken
  }
}

/** `false` for a token that an earlier version of this software has indexed, since its first transfers are not stored. */
function hasEarlyClasses({ creatorHeld }: TokenDraft): boolean {
  return creatorHeld !== null
}
