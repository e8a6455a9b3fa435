import { type Address, isEther, ZERO_ADDRESS } from '#domain/address.ts'
import type { TokenEventOf } from '#launchpads/tokenEvent.ts'
import { type Draft, draftCreatorFee, type TokenDraft } from './draft.ts'

/**
 * Applies an event of the fees that a creator has earned, claimed or handed over.
 *
 * @param token `null`: the fees are of all of the creator's tokens
 */
export function applyCreatorFee(draft: Draft, token: TokenDraft | null, event: TokenEventOf<'creatorFee'>, weth: Address): void {
  const ofToken = event.scope === 'token' ? event.token : ZERO_ADDRESS
  if (event.onlyVesting === true && (token === null || token.vestingClaimed === null)) return
  const row = draftCreatorFee(draft, event, ofToken)
  if (row === undefined) return
  const before = { ...row }
  row.claimed += event.claimed
  if (event.handover !== undefined) row.accrued = event.handover === 'to' ? null : row.claimed
  else if (row.accrued !== null) {
    row.accrued = event.balance === undefined ? row.accrued + (event.accrued ?? 0n) : row.claimed + event.balance
    // An escrow pays no more than it has received, so a larger claim includes payments from before the creator was known.
    if (row.claimed > row.accrued) row.accrued = row.claimed
  }
  // A new row has no block yet, and is shown even with nothing to claim.
  if (row.lastChangedBlock === 0 || row.accrued !== before.accrued || row.claimed !== before.claimed) {
    row.lastChangedBlock = event.blockNumber
    if (token !== null) token.asOfBlock = event.blockNumber
  }
  if (token !== null && isEther(event.currency, weth)) {
    if (token.feesAccrued !== null) token.feesAccrued += event.accrued ?? 0n
    if (token.feesClaimed !== null) token.feesClaimed += event.claimed
  }
}
