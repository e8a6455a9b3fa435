import { useEffect, useMemo } from 'preact/hooks'
import { displayText, shortHex } from '#console/format/text.ts'
import { BackIcon } from '#console/parts/icons.tsx'
import { Notice } from '#console/parts/notice.tsx'
import { hrefOf, lastMarket } from '#console/state/route.ts'
import { client, live, renderQueue, returns } from '#console/state/session.ts'
import { createTokenDetail } from '#console/state/tokenDetail.ts'
import { Activity } from './activity.tsx'
import { ChartCard } from './chartCard.tsx'
import { Creator } from './creator.tsx'
import { Facts } from './facts.tsx'
import { GraduationCard } from './graduationCard.tsx'
import { Holders } from './holders.tsx'
import { MarketCard } from './marketCard.tsx'
import { TokenHead } from './tokenHead.tsx'

export function TokenView({ address }: { readonly address: string }) {
  const detail = useMemo(() => createTokenDetail(client, live, renderQueue, address, returns), [address])
  useEffect(() => () => detail.stop(), [detail])
  const token = detail.token.value
  const title = token === null ? shortHex(address) : (displayText(token.symbol, 16) ?? shortHex(address))
  useEffect(() => {
    document.title = `${title} · Tokenwire`
  }, [title])
  const phase = detail.phase.value
  return (
    <>
      <p class="way-back">
        <a href={hrefOf({ view: 'market', query: lastMarket.value })}>
          <BackIcon /> Market
        </a>
      </p>
      {phase === 'missing' ? (
        <Notice heading title="This address is not an indexed token">
          <span class="mono">{address}</span>
          <br />
          If it is launched on one of the indexed launchpads, it appears here by itself.
        </Notice>
      ) : phase === 'failed' ? (
        <Notice heading urgent title="The token could not be loaded" action={{ text: 'Try again', run: () => detail.reload() }}>
          {detail.failure.value}
        </Notice>
      ) : token === null ? (
        <Loading address={address} />
      ) : (
        <>
          <TokenHead token={token} priceMove={detail.priceMove.value} />
          <div class="token-grid">
            <div class="token-main">
              <ChartCard token={token} detail={detail} />
              <div class="token-flow">
                <Activity token={token} detail={detail} />
                <Holders holders={detail.holders.value} token={token} />
              </div>
            </div>
            <div class="token-side">
              <MarketCard token={token} />
              <GraduationCard token={token} />
              <Creator token={token} claimable={detail.claimable.value} onWanted={() => detail.wantClaims()} />
              <Facts token={token} />
            </div>
          </div>
        </>
      )}
    </>
  )
}

/** Placeholder for a token that is not loaded yet, in the size of its view. */
function Loading({ address }: { readonly address: string }) {
  return (
    <div aria-busy="true">
      <div class="token-head">
        <span class="avatar large blank" />
        <div class="token-title">
          <h1>
            <span class="mono">{shortHex(address)}</span>
          </h1>
          <p class="quiet" role="status">
            Loading
          </p>
        </div>
      </div>
      <div class="token-grid" aria-hidden="true">
        <div class="token-main">
          <div class="card chart-card blank" />
          <div class="card blank" />
        </div>
        <div class="token-side">
          <div class="card blank" />
          <div class="card blank" />
        </div>
      </div>
    </div>
  )
}
