import type { WalletClaim } from '#client/generated/types.ts'
import { displayText } from '#console/format/text.ts'
import { MoreButton } from '#console/parts/moreButton.tsx'
import { SymbolLink } from '#console/parts/symbolLink.tsx'
import { Unknown } from '#console/parts/value.tsx'
import type { PagedList } from '#console/state/pagedList.ts'
import { chainStats, tokenNames } from '#console/state/session.ts'
import { Claim } from '#console/token/claim.tsx'
import type { Address } from '#domain/address.ts'

interface WalletClaimsProps {
  readonly claims: PagedList<WalletClaim>
  readonly address: string
}

/** What the account can claim as a creator, over all tokens. */
export function WalletClaims({ claims, address }: WalletClaimsProps) {
  const items = claims.items.value
  const chainId = chainStats.state.value.value?.chainId ?? null
  return (
    <section class="card" aria-labelledby="claims-title">
      <h2 id="claims-title">Claimable</h2>
      {items === null ? (
        <p class="card-body">{claims.failure.value ?? <Unknown />}</p>
      ) : items.length === 0 ? (
        <p class="card-body quiet">It has earned no fees as a creator.</p>
      ) : (
        <>
          <ul class="claims">
            {items.map(claim => (
              <li key={[claim.launchpad, claim.token, claim.currency].join()} data-testid="wallet-claim">
                <p class="claim-of">
                  {claim.token === null ? null : (
                    <SymbolLink address={claim.token} symbol={tokenNames.known.value.get(claim.token)?.symbol ?? null} />
                  )}
                  <span class="tag">{displayText(claim.launchpad, 24)}</span>
                </p>
                <Claim entry={claim} chainId={chainId} creator={address as Address} />
              </li>
            ))}
          </ul>
          <MoreButton list={claims} />
        </>
      )}
    </section>
  )
}
