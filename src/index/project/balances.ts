import { type Address, BURN_ADDRESSES, ZERO_ADDRESS } from '#domain/address.ts'
import { CLASS_BITS } from '#domain/earlyWallets.ts'
import type { HolderType } from '#domain/holder.ts'
import { type DatedDirectory, knownAt } from '#launchpads/decodeLogs.ts'
import type { LogSource } from '#launchpads/logSource.ts'
import type { TokenEventOf } from '#launchpads/tokenEvent.ts'
import type { TokenRow } from '#tables/token.ts'
import { noteTransfer } from './costs.ts'
import { type Draft, draftBalance, type TokenDraft } from './draft.ts'
import { followInside } from './earlyWallets.ts'

/** Whether a transfer changes no balance. Anyone can send such transfers in another account's name. */
export function movesNothing({ from, to, amount }: Pick<TokenEventOf<'transfer'>, 'from' | 'to' | 'amount'>): boolean {
  return amount === 0n || from === to
}

export function applyTransfer(draft: Draft, token: TokenDraft, event: TokenEventOf<'transfer'>, directory: DatedDirectory): void {
  if (movesNothing(event)) return
  const { from, to, amount, blockNumber } = event
  token.asOfBlock = blockNumber
  if (from === ZERO_ADDRESS) token.totalSupply += amount
  if (to === ZERO_ADDRESS) token.totalSupply -= amount
  const move = (holder: Address, delta: bigint) => {
    if (holder === ZERO_ADDRESS) return null
    const row = heldBy(draft, token, holder, { blockNumber, directory })
    const held = row.balance > 0n
    const account = noteTransfer(draft, event, row, delta)
    row.balance += delta
    row.lastChangedBlock = blockNumber
    const holds = row.balance > 0n
    if (held !== holds) token.holderCount += holds ? 1 : -1
    return account
  }
  const sender = move(from, -amount)
  const receiver = move(to, amount)
  if (sender !== null && receiver !== null) followInside(sender, receiver)
}

interface At {
  readonly blockNumber: number
  readonly directory: DatedDirectory
}

/** The holder's balance of the token, which may be 0. */
export function heldBy(draft: Draft, token: TokenDraft, holder: Address, { blockNumber, directory }: At) {
  const type = holderType(holder, token, knownAt(directory, holder, token.launchpad, blockNumber))
  const row = draftBalance(draft, token.address, holder, { type, blockNumber })
  if (holder === token.creator) row.classes |= CLASS_BITS.creator
  return row
}

function holderType(holder: Address, token: TokenRow, source: LogSource | undefined): HolderType {
  if (BURN_ADDRESSES.has(holder)) return 'burn'
  // A token with vesting holds the amount that has not vested yet.
  if (holder === token.address && token.vestingClaimed !== null) return 'locker'
  switch (source?.role) {
    case 'sharedCurve':
      return 'curve'
    case 'contract':
    case 'locker':
    case 'position':
      return 'locker'
    case 'poolManager':
      return 'pool'
    case 'tokenCurve':
    case 'quotePool':
    case 'pool':
      return source.pool.type === 'curve' ? 'curve' : 'pool'
    case 'module':
    case 'token':
      return 'contract'
    case undefined:
      return holder === token.creator ? 'creator' : 'wallet'
  }
}
