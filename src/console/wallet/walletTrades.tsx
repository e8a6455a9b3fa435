import { formatCompact, fromUnits } from '#client/decimalText.ts'
import type { Trade } from '#client/generated/types.ts'
import { CompactTable, type TableColumn } from '#console/parts/compactTable.tsx'
import { HexIconLink } from '#console/parts/hexLink.tsx'
import { MoreButton } from '#console/parts/moreButton.tsx'
import { Stamp } from '#console/parts/stamp.tsx'
import { SymbolLink } from '#console/parts/symbolLink.tsx'
import { Known, Money, Unknown } from '#console/parts/value.tsx'
import type { PagedList } from '#console/state/pagedList.ts'
import { tokenNames } from '#console/state/session.ts'

const COLUMNS: readonly TableColumn[] = [
  { name: 'Time', text: true },
  { name: 'Token', text: true },
  { name: 'Side', text: true },
  { name: 'Price', wide: true },
  { name: 'Amount', wide: true },
  { name: 'Value' },
  { name: 'Transaction', wide: true, class: 'way', head: <abbr title="Transaction">Tx</abbr> },
]

export function WalletTrades({ trades }: { readonly trades: PagedList<Trade> }) {
  const items = trades.items.value
  return (
    <section class="card" aria-labelledby="wallet-trades-title">
      <h2 id="wallet-trades-title">Trades</h2>
      {items === null ? (
        <p class="card-body">{trades.failure.value ?? <Unknown />}</p>
      ) : items.length === 0 ? (
        <p class="card-body quiet">It has not traded yet.</p>
      ) : (
        <>
          <CompactTable columns={COLUMNS} label="Trades of the wallet" name="trades" testId="wallet-trades">
            {items.map(trade => (
              <TradeRow key={trade.id} trade={trade} />
            ))}
          </CompactTable>
          <MoreButton list={trades} />
        </>
      )}
    </section>
  )
}

function TradeRow({ trade }: { readonly trade: Trade }) {
  const token = tokenNames.known.value.get(trade.token)
  return (
    <tr data-id={trade.id}>
      <td class="text quiet">
        <Stamp time={trade.timestamp} />
      </td>
      <td class="text">
        <SymbolLink address={trade.token} symbol={token?.symbol ?? null} />
      </td>
      <td class={`text ${trade.side === 'buy' ? 'up' : 'down'}`}>{trade.side === 'buy' ? 'Buy' : 'Sell'}</td>
      <td class="wide-only">
        <Money as="price" usd={trade.priceUsd} weth={trade.priceWeth} />
      </td>
      <td class="wide-only">
        <Known text={formatCompact(token === undefined ? null : fromUnits(trade.amountToken, token.decimals))} />
      </td>
      <td>
        <Money usd={trade.valueUsd} weth={trade.amountWeth} />
      </td>
      <td class="wide-only way">
        <HexIconLink hex={trade.txHash} of="transaction" kind="tx" />
      </td>
    </tr>
  )
}
