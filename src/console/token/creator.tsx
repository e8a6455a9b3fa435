import { useEffect, useRef } from 'preact/hooks'
import type { Claimable, Token } from '#client/generated/types.ts'
import { rateOf, timesPrice } from '#console/format/usd.ts'
import { Copy } from '#console/parts/copy.tsx'
import { Pair, Pairs } from '#console/parts/pairs.tsx'
import { Money, Unknown } from '#console/parts/value.tsx'
import { WalletLink } from '#console/parts/walletLink.tsx'
import { ethUsd } from '#console/state/session.ts'
import { browserWallet, hasAccount } from '#console/state/wallet.ts'
import { Claim } from './claim.tsx'

interface CreatorProps {
  readonly token: Token
  /** `null` while unknown. */
  readonly claimable: Claimable | null
  readonly onWanted: () => void
}

/** The fees of the creator. The calls that claim them are shown on demand, and at once where the wallet is the creator's. */
export function Creator({ token: { chainId, creator, fees, market }, claimable, onWanted }: CreatorProps) {
  const claims = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const wallet = browserWallet()
    if (wallet === null) return
    void hasAccount(wallet, creator).then(isCreators => {
      if (isCreators && claims.current !== null) claims.current.open = true
    })
  }, [creator])
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
          <Money usd={timesPrice(fees.accruedWeth, rateOf(market, ethUsd.state.value.value?.price ?? null))} weth={fees.accruedWeth} />
        </Pair>
      </Pairs>
      <details class="claims-fold" ref={claims} onToggle={event => event.currentTarget.open && onWanted()}>
        <summary class="card-body">Claims</summary>
        <Claims claimable={claimable} chainId={chainId} creator={creator} />
      </details>
    </section>
  )
}

function Claims({ claimable, chainId, creator }: Pick<Token, 'chainId' | 'creator'> & Pick<CreatorProps, 'claimable'>) {
  if (claimable === null) {
    return (
      <p class="card-body quiet">
        <Unknown />
      </p>
    )
  }
  if (claimable.claimable.length === 0) return <p class="card-body quiet">Nothing has been earned yet.</p>
  return (
    <ul class="claims">
      {claimable.claimable.map(entry => (
        <li key={`${entry.currency}-${entry.scope}`} data-testid="claim">
          <Claim entry={entry} chainId={chainId} creator={creator} />
        </li>
      ))}
    </ul>
  )
}
