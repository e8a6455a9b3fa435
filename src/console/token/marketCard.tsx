import { formatCompact } from '#client/decimalText.ts'
import type { Market, Token } from '#client/generated/types.ts'
import { formatCount } from '#console/format/numbers.ts'
import { rateOf, timesPrice } from '#console/format/usd.ts'
import { Pair, Pairs } from '#console/parts/pairs.tsx'
import { Age, Money } from '#console/parts/value.tsx'
import { ethUsd } from '#console/state/session.ts'

export function MarketCard({ token: { market } }: { readonly token: Token }) {
  const eth = rateOf(market, ethUsd.state.value.value?.price ?? null)
  const volume = (weth: string | null) => <Money usd={timesPrice(weth, eth)} weth={weth} />
  const { buys, sells } = market.trades.h24
  return (
    <section class="card" aria-labelledby="market-title">
      <h2 id="market-title">Market</h2>
      <Pairs>
        <Pair name="Market cap">
          <Money usd={market.marketCapUsd} weth={market.marketCapWeth} />
        </Pair>
        <Pair name="Liquidity">
          <Money usd={market.liquidityUsd} weth={market.liquidityWeth} />
        </Pair>
        <Pair name="Volume 1h">{volume(market.volumeWeth.h1)}</Pair>
        <Pair name="Volume 24h">{volume(market.volumeWeth.h24)}</Pair>
        <Pair name="Buys 24h">
          <span class="up">{formatCount(buys)}</span>
        </Pair>
        <Pair name="Sells 24h">
          <span class="down">{formatCount(sells)}</span>
        </Pair>
        <Pair name="Trades">{formatCompact(market.tradeCount)}</Pair>
        <Pair name="Holders">{formatCount(market.holderCount)}</Pair>
        <Pair wide name="Highest price">
          <Money as="price" usd={highestUsd(market, eth)} weth={market.athPriceWeth} />
        </Pair>
        <Pair wide name="Last trade">
          <Age time={market.lastTradeAt} />
        </Pair>
      </Pairs>
    </section>
  )
}

/** The present price is the highest one where the price of ether has risen since the last trade. */
function highestUsd({ athPriceUsd, athPriceWeth, priceUsd }: Market, eth: string | null): string | null {
  const highest = athPriceUsd ?? timesPrice(athPriceWeth, eth)
  return priceUsd !== null && Number(priceUsd) > Number(highest) ? priceUsd : highest
}
