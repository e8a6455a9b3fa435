import type { Claimable, Token } from '#client/generated/types.ts'
import { timesPrice } from '#console/format/usd.ts'
import { Copy } from '#console/parts/copy.tsx'
import { Pair, Pairs } from '#console/parts/pairs.tsx'
import { Money, Unknown } from '#console/parts/value.tsx'
import { WalletLink } from '#console/parts/walletLink.tsx'
import { ethUsd } from '#console/state/session.ts'
import { Claim } from './claim.tsx'

interface CreatorProps {
  readonly token: Token
  /** `null` while unknown. */
  readonly claimable: Claimable | null
}

/** The fees of the creator, and the call that claims them. */
export function Creator({ token: { chainId, creator, fees }, claimable }: CreatorProps) {
  return (
    <section class="card late" aria-labelledby="creator-title">
      <header>
        <h2 id="creator-title">Creator</h2>
        <WalletLink address={creator} of="creator" />
        <Copy text={creator} of="creator address" />
      </header>
      <Pairs>
        <Pair name="Fee share">{fees.creatorFeeBps === null ? <Unknown /> : `${(fees.creatorFeeBps / 100).toFixed(2)}%`}</Pair>
        <Pair name="Earned">
          <Money usd={timesPrice(fees.accruedWeth, ethUsd.state.value.value?.price ?? null)} weth={fees.accruedWeth} />
        </Pair>
      </Pairs>
      {claimable === null ? (
        <p class="card-body quiet">
          Claimable: <Unknown />
        </p>
      ) : claimable.claimable.length === 0 ? (
        <p class="card-body quiet">Nothing has been earned yet.</p>
      ) : (
        <ul class="claims">
          {claimable.claimable.map(entry => (
            <li key={`${entry.currency}-${entry.scope}`} data-testid="claim">
              <Claim entry={entry} chainId={chainId} creator={creator} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
