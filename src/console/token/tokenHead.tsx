import type { Token } from '#client/generated/types.ts'
import { displayText } from '#console/format/text.ts'
import { Avatar } from '#console/parts/avatar.tsx'
import { HexLink } from '#console/parts/hexLink.tsx'
import { Symbol } from '#console/parts/tokenName.tsx'
import { Age, Change, InCurrency, Money, moveClass } from '#console/parts/value.tsx'
import { STATUSES } from '#console/state/route.ts'
import type { PriceMove } from '#console/state/rows.ts'

const WINDOWS = { m5: '5m', h1: '1h', h6: '6h', h24: '24h' } as const

export function TokenHead({ token, priceMove }: { readonly token: Token; readonly priceMove: PriceMove }) {
  const { address, symbol, name, launchpad, graduation, market } = token
  const price = { usd: market.priceUsd, weth: market.priceWeth }
  const quote = displayText(token.pool?.quoteSymbol ?? null, 12)
  return (
    <div class="token-head">
      <Avatar large address={address} symbol={symbol} />
      <div class="token-title">
        <h1>
          <Symbol address={address} symbol={symbol} />
          {quote === null ? null : (
            <span class="token-quote">
              {' / '}
              <bdi>{quote}</bdi>
            </span>
          )}{' '}
          <span class="token-full-name">
            <bdi>{displayText(name, 64) ?? ''}</bdi>
          </span>
        </h1>
        <p>
          <HexLink hex={address} of="token address" kind="token" copy />
          <span class="tag">{displayText(launchpad, 24)}</span>
          <span class={`tag ${graduation.status === 'migrated' ? 'good' : graduation.status === 'none' ? '' : 'accent'}`}>
            {STATUSES[graduation.status]}
          </span>
          <span class="quiet">
            launched <Age time={token.createdAt} /> ago
          </span>
        </p>
      </div>
      <div class="token-price">
        <span class={`price ${moveClass(priceMove, price)}`} data-testid="price" data-sequence={token.sequence}>
          {market.priceWeth === null ? (
            <InCurrency amount={market.priceQuote} symbol={token.pool?.quoteSymbol ?? null} />
          ) : (
            <Money as="price" {...price} />
          )}
        </span>
        <dl class="changes">
          {(Object.keys(WINDOWS) as (keyof typeof WINDOWS)[]).map(window => (
            <div key={window}>
              <dt>{WINDOWS[window]}</dt>
              <dd>
                <Change percent={market.priceChange[window]} />
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </div>
  )
}
