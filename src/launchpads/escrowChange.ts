import { ZERO_ADDRESS } from '#domain/address.ts'
import type { EventPosition, TokenEvent, TokenEventOf } from './tokenEvent.ts'

type CreatorFee = TokenEventOf<'creatorFee'>

/** A change of a creator's account in an escrow that keeps one sum per creator and currency for all tokens. */
export function escrowChange(
  position: EventPosition,
  change: Pick<CreatorFee, 'launchpad' | 'creator' | 'currency'> &
    Partial<Pick<CreatorFee, 'accrued' | 'claimed' | 'balance' | 'onlyKnown'>>,
): TokenEvent {
  return { ...position, token: ZERO_ADDRESS, kind: 'creatorFee', scope: 'creator', accrued: 0n, claimed: 0n, ...change }
}
