import { formatCompact, fromUnits, UNKNOWN } from '#client/decimalText.ts'
import type { ClaimableAmount } from '#client/generated/types.ts'
import { displayText, shortHex } from '#console/format/text.ts'
import { Known } from '#console/parts/value.tsx'
import type { Address } from '#domain/address.ts'
import { ClaimButton } from './claimButton.tsx'

interface ClaimProps {
  readonly entry: ClaimableAmount
  /** `null`: not known yet, so nothing can be sent. */
  readonly chainId: number | null
  readonly creator: Address
}

/** What a creator can claim in one currency. */
export function Claim({ entry, chainId, creator }: ClaimProps) {
  const { symbol, currency, decimals, amount, claimed, amountUsd, scope, claim } = entry
  const name = displayText(symbol, 12) ?? shortHex(currency)
  const shown = (raw: string | null) => (raw === null || decimals === null ? UNKNOWN : formatCompact(fromUnits(raw, decimals)))
  return (
    <>
      <div class="claim-amount">
        <span>Claimable</span>
        <strong>
          <Known text={shown(amount)} /> <bdi>{name}</bdi>
        </strong>
      </div>
      <p class="quiet">
        {amountUsd === null ? null : `≈ $${formatCompact(amountUsd)} · `}
        {shown(claimed)} claimed
        {scope === 'creator' ? ' · for all of the creator’s tokens' : ''}
      </p>
      {claim === null ? (
        <p class="quiet">The launchpad has no call that pays it out.</p>
      ) : chainId === null ? null : (
        <ClaimButton order={{ chainId, creator, call: claim }} isDue={amount !== '0'} />
      )}
    </>
  )
}
