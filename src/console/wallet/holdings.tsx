import type { Signal } from '@preact/signals'
import { formatCompact, fromUnits } from '#client/decimalText.ts'
import type { Holding, HoldingSort } from '#client/generated/types.ts'
import { formatShare } from '#console/format/numbers.ts'
import { CompactTable, type TableColumn } from '#console/parts/compactTable.tsx'
import { MoreButton } from '#console/parts/moreButton.tsx'
import { Segments } from '#console/parts/segments.tsx'
import { SymbolLink } from '#console/parts/symbolLink.tsx'
import { Gain, Known, Money, Unknown } from '#console/parts/value.tsx'
import type { PagedList } from '#console/state/pagedList.ts'

const SORTS: Readonly<Record<HoldingSort, string>> = { value: 'Value', balance: 'Balance', lastChanged: 'Changed' }

const columnsOf = (sort: HoldingSort): readonly TableColumn[] => [
  { name: 'Token', text: true },
  { name: 'Balance', isSorted: sort === 'balance' },
  { name: 'Share', wide: true },
  { name: 'Price', wide: true },
  { name: 'Average cost', wide: true },
  { name: 'Value', isSorted: sort === 'value' },
  { name: 'Unrealized' },
]

interface HoldingsProps {
  readonly holdings: PagedList<Holding>
  readonly sort: Signal<HoldingSort>
}

export function Holdings({ holdings, sort }: HoldingsProps) {
  const items = holdings.items.value
  return (
    <section class="card" aria-labelledby="holdings-title">
      <header>
        <h2 id="holdings-title">Holdings</h2>
        <Segments small label="Sort holdings by" options={SORTS} value={sort.value} onChange={value => (sort.value = value)} />
      </header>
      {items === null ? (
        <p class="card-body">{holdings.failure.value ?? <Unknown />}</p>
      ) : items.length === 0 ? (
        <p class="card-body quiet">It holds none of the indexed tokens.</p>
      ) : (
        <>
          <CompactTable columns={columnsOf(sort.value)} label="Table of holdings" name="holdings" testId="holdings">
            {items.map(holding => (
              <HoldingRow key={holding.token.address} holding={holding} />
            ))}
          </CompactTable>
          <MoreButton list={holdings} />
        </>
      )}
    </section>
  )
}

function HoldingRow({ holding }: { readonly holding: Holding }) {
  const { token, balance, percent, valueWeth, valueUsd, averageCostWeth, averageCostUsd, unrealizedWeth, unrealizedUsd } = holding
  return (
    <tr data-token={token.address}>
      <td class="text">
        <SymbolLink address={token.address} symbol={token.symbol} />
      </td>
      <td>
        <Known text={formatCompact(balance === null ? null : fromUnits(balance, token.decimals))} />
      </td>
      <td class="wide-only quiet">
        <Known text={formatShare(percent)} />
      </td>
      <td class="wide-only">
        <Money as="price" usd={token.priceUsd} weth={token.priceWeth} />
      </td>
      <td class="wide-only quiet">
        <Money as="price" usd={averageCostUsd} weth={averageCostWeth} />
      </td>
      <td>
        <Money usd={valueUsd} weth={valueWeth} />
      </td>
      <td>
        <Gain usd={unrealizedUsd} weth={unrealizedWeth} />
      </td>
    </tr>
  )
}
