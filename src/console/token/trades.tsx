import { formatCompact, fromUnits } from '#client/decimalText.ts'
import type { Token, Trade } from '#client/generated/types.ts'
import { CompactTable, type TableColumn } from '#console/parts/compactTable.tsx'
import { HexIconLink } from '#console/parts/hexLink.tsx'
import { Stamp } from '#console/parts/stamp.tsx'
import { Money, Unknown } from '#console/parts/value.tsx'
import { WalletLink } from '#console/parts/walletLink.tsx'

const COLUMNS: readonly TableColumn[] = [
  { name: 'Time', text: true },
  { name: 'Side', text: true },
  { name: 'Price' },
  { name: 'Amount', wide: true },
  { name: 'Value' },
  { name: 'Maker', wide: true },
  { name: 'Transaction', wide: true, class: 'way', head: <abbr title="Transaction">Tx</abbr> },
]

interface TradesProps {
  /** Newest first; `null` while unknown. */
  readonly trades: readonly Trade[] | null
  readonly token: Token
}

export function Trades({ trades, token }: TradesProps) {
  // An empty list beside a count is older than a trade that has just come.
  if (trades === null || (trades.length === 0 && token.market.tradeCount > 0)) {
    return (
      <p class="card-body">
        <Unknown />
      </p>
    )
  }
  if (trades.length === 0) return <p class="card-body quiet">No trades yet.</p>
  return (
    <CompactTable columns={COLUMNS} label="Newest trades" name="trades" testId="trades">
      {trades.map(trade => (
        <tr key={trade.id} data-id={trade.id}>
          <td class="text quiet">
            <Stamp time={trade.timestamp} />
          </td>
          <td class={`text ${trade.side === 'buy' ? 'up' : 'down'}`}>{trade.side === 'buy' ? 'Buy' : 'Sell'}</td>
          <td>
            <Money as="price" usd={trade.priceUsd} weth={trade.priceWeth} />
          </td>
          <td class="wide-only">{formatCompact(fromUnits(trade.amountToken, token.decimals))}</td>
          <td>
            <Money usd={trade.valueUsd} weth={trade.amountWeth} />
          </td>
          <td class="wide-only">
            <WalletLink address={trade.maker} of="maker" />
          </td>
          <td class="wide-only way">
            <HexIconLink hex={trade.txHash} of="transaction" kind="tx" />
          </td>
        </tr>
      ))}
    </CompactTable>
  )
}
