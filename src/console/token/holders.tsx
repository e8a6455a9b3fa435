import { formatCompact, fromUnits } from '#client/decimalText.ts'
import type { Holder, Token } from '#client/generated/types.ts'
import { formatCount, formatShare } from '#console/format/numbers.ts'
import { CompactTable, type TableColumn } from '#console/parts/compactTable.tsx'
import { Unknown } from '#console/parts/value.tsx'
import { WalletLink } from '#console/parts/walletLink.tsx'
import { Distribution } from './distribution.tsx'
import { EarlyTags, HolderTag } from './holderTag.tsx'

const COLUMNS: readonly TableColumn[] = [
  { name: '#', class: 'rank' },
  { name: 'Address', text: true },
  { name: 'Type', text: true },
  { name: 'Balance' },
  { name: 'Share' },
]

interface HoldersProps {
  readonly holders: readonly Holder[] | null
  readonly token: Token
}

export function Holders({ holders, token }: HoldersProps) {
  return (
    <section class="card" aria-labelledby="holders-title">
      <header>
        <h2 id="holders-title">Largest holders</h2>
        <span class="quiet">of {formatCount(token.market.holderCount)}</span>
      </header>
      <Distribution token={token} />
      {holders === null ? (
        <p class="card-body">
          <Unknown />
        </p>
      ) : holders.length === 0 ? (
        <p class="card-body quiet">No holders.</p>
      ) : (
        <CompactTable columns={COLUMNS} label="Table of holders" name="holders" testId="holders">
          {holders.map(holder => (
            <tr key={holder.address}>
              <td class="rank quiet">{holder.rank}</td>
              <td class="text">
                <WalletLink address={holder.address} of="holder" />
              </td>
              <td class="text">
                <HolderTag type={holder.type} /> <EarlyTags classes={holder.classes} />
              </td>
              <td>{formatCompact(fromUnits(holder.balance, token.decimals))}</td>
              <td>{formatShare(holder.percent)}</td>
            </tr>
          ))}
        </CompactTable>
      )}
    </section>
  )
}
