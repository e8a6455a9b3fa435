import type { Token } from '#client/generated/types.ts'
import { formatCount } from '#console/format/numbers.ts'
import { CompactTable, type TableColumn } from '#console/parts/compactTable.tsx'
import { MoreButton } from '#console/parts/moreButton.tsx'
import { SymbolLink } from '#console/parts/symbolLink.tsx'
import { Age, Money } from '#console/parts/value.tsx'
import type { PagedList } from '#console/state/pagedList.ts'
import { STATUSES } from '#console/state/route.ts'

const COLUMNS: readonly TableColumn[] = [
  { name: 'Token', text: true },
  { name: 'Status', text: true },
  { name: 'Market cap' },
  { name: 'Age' },
]

interface CreatedProps {
  readonly tokens: PagedList<Token>
  /** How many tokens the account has launched; `null`: not known. */
  readonly count: number | null
}

/** The tokens that the account has launched, the newest first. Not shown when there are none. */
export function Created({ tokens, count }: CreatedProps) {
  const items = tokens.items.value ?? []
  if (items.length === 0) return null
  return (
    <section class="card" aria-labelledby="created-title">
      <header>
        <h2 id="created-title">Created tokens</h2>
        {count === null ? null : <span class="quiet">{formatCount(count)}</span>}
      </header>
      <CompactTable columns={COLUMNS} label="Table of created tokens" name="holders" testId="created">
        {items.map(({ address, symbol, graduation, market, createdAt }) => (
          <tr key={address}>
            <td class="text">
              <SymbolLink address={address} symbol={symbol} />
            </td>
            <td class="text quiet">{STATUSES[graduation.status]}</td>
            <td>
              <Money usd={market.marketCapUsd} weth={market.marketCapWeth} />
            </td>
            <td class="quiet">
              <Age time={createdAt} />
            </td>
          </tr>
        ))}
      </CompactTable>
      <MoreButton list={tokens} />
    </section>
  )
}
