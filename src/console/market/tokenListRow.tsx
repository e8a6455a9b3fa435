import { useEffect, useRef } from 'preact/hooks'
import { formatCompact } from '#client/decimalText.ts'
import type { Graduation } from '#client/generated/types.ts'
import { formatCount } from '#console/format/numbers.ts'
import { displayText } from '#console/format/text.ts'
import { rateOf, timesPrice } from '#console/format/usd.ts'
import { Avatar } from '#console/parts/avatar.tsx'
import { Meter } from '#console/parts/meter.tsx'
import { Symbol } from '#console/parts/tokenName.tsx'
import { Age, Change, Money, moveClass, Unknown } from '#console/parts/value.tsx'
import { hrefOf, STATUSES } from '#console/state/route.ts'
import type { Row } from '#console/state/rows.ts'
import { ethUsd } from '#console/state/session.ts'
import type { Sparklines } from '#console/state/sparklines.ts'
import type { OnScreen } from './onScreen.ts'
import { Sparkline } from './sparkline.tsx'

interface TokenListRowProps {
  readonly row: Row
  readonly onScreen: OnScreen
  readonly lines: Sparklines
}

export function TokenListRow({ row, onScreen, lines }: TokenListRowProps) {
  const element = useRef<HTMLTableRowElement>(null)
  useEffect(() => (element.current === null ? undefined : onScreen.follow(element.current, row)), [row, onScreen])
  return (
    <tr ref={element} data-address={row.address}>
      <NameCell row={row} />
      <NumberCells row={row} lines={lines} />
    </tr>
  )
}

function NameCell({ row }: { readonly row: Row }) {
  const { address, symbol, name, launchpad } = row.token.value
  return (
    <th scope="row" class="c-token text">
      <a class="token-link" href={hrefOf({ view: 'token', address })}>
        <Avatar address={address} symbol={symbol} />
        <span class="token-words">
          <strong>
            <Symbol address={address} symbol={symbol} />
          </strong>
          <span class="token-name">
            <bdi>{displayText(name, 40) ?? '–'}</bdi>
            <span class="launchpad"> · {displayText(launchpad, 20)}</span>
          </span>
        </span>
      </a>
    </th>
  )
}

function NumberCells({ row, lines }: Pick<TokenListRowProps, 'row' | 'lines'>) {
  const { market, createdAt, graduation, sequence } = row.token.value
  const price = { usd: market.priceUsd, weth: market.priceWeth }
  const { buys, sells } = market.trades.h24
  const eth = rateOf(market, ethUsd.state.value.value?.price ?? null)
  return (
    <>
      <td class="c-age quiet">
        <Age time={createdAt} />
      </td>
      <td class={`c-price ${moveClass(row.priceMove.value, price)}`} data-sequence={sequence}>
        <Money as="price" {...price} />
        <span class="below">
          <Change percent={market.priceChange.h24} />
        </span>
      </td>
      <td class="c-change-1h">
        <Change percent={market.priceChange.h1} />
      </td>
      <td class="c-change-24h">
        <Change percent={market.priceChange.h24} />
      </td>
      <td class="c-spark">
        <Sparkline line={lines.of(row.address).value} token={row.token.value} />
      </td>
      <td class="c-cap">
        <Money usd={market.marketCapUsd} weth={market.marketCapWeth} />
      </td>
      <td class="c-volume">
        <Money usd={timesPrice(market.volumeWeth.h24, eth)} weth={market.volumeWeth.h24} />
      </td>
      <td class="c-liquidity">
        <Money
          usd={market.liquidityWeth === null ? market.liquidityUsd : timesPrice(market.liquidityWeth, eth)}
          weth={market.liquidityWeth}
        />
      </td>
      <td class="c-trades" title={`${formatCount(buys)} buys, ${formatCount(sells)} sells`}>
        {formatCompact(buys + sells)}
      </td>
      <td class="c-holders">{formatCompact(market.holderCount)}</td>
      <td class="c-graduation">
        <GraduationCell graduation={graduation} />
      </td>
      <td class="c-last quiet">
        <Age time={market.lastTradeAt} />
      </td>
    </>
  )
}

function GraduationCell({ graduation: { status, percent } }: { readonly graduation: Graduation }) {
  if (status !== 'bonding') {
    return <span class={`tag ${status === 'migrated' ? 'good' : status === 'completed' ? 'accent' : ''}`}>{STATUSES[status]}</span>
  }
  if (percent === null) return <Unknown />
  return (
    <span class="progress">
      <Meter percent={percent} />
      <span>{percent.toFixed(1)}%</span>
    </span>
  )
}
