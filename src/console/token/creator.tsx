import { formatCompact, fromUnits, UNKNOWN } from '#console/format/decimal.ts'
import { displayText, shortHex } from '#console/format/text.ts'
import { timesPrice } from '#console/format/usd.ts'
import { HexLink } from '#console/parts/hexLink.tsx'
import { Pair, Pairs } from '#console/parts/pairs.tsx'
import { Known, Money, Unknown } from '#console/parts/value.tsx'
import { ethUsd } from '#console/state/session.ts'
import type { Claimable, ClaimableAmount } from '#domain/claimable.ts'
import type { Token } from '#domain/token.ts'
import { ClaimButton } from './claimButton.tsx'

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
        <HexLink hex={creator} of="creator address" kind="address" copy />
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
            <Claim key={`${entry.currency}-${entry.scope}`} entry={entry} chainId={chainId} creator={creator} />
          ))}
        </ul>
      )}
    </section>
  )
}

interface ClaimProps extends Pick<Token, 'chainId' | 'creator'> {
  readonly entry: ClaimableAmount
}

function Claim({ entry, chainId, creator }: ClaimProps) {
  const { symbol, currency, decimals, amount, claimed, amountUsd, scope, claim } = entry
  const name = displayText(symbol, 12) ?? shortHex(currency)
  const shown = (raw: string | null) => (raw === null || decimals === null ? UNKNOWN : formatCompact(fromUnits(raw, decimals)))
  return (
    <li data-testid="claim">
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
      ) : (
        <ClaimButton order={{ chainId, creator, call: claim }} isDue={amount !== '0'} />
      )}
    </li>
  )
}
