import { useRef } from 'preact/hooks'
import type { TokenSort } from '#client/generated/types.ts'
import { useHolding } from '#console/parts/holding.ts'
import { useRovingFocus } from '#console/parts/rovingFocus.ts'
import { type MarketQuery, showMarket } from '#console/state/route.ts'
import type { Row } from '#console/state/rows.ts'
import type { Sparklines } from '#console/state/sparklines.ts'
import type { OnScreen } from './onScreen.ts'
import { TokenListRow } from './tokenListRow.tsx'

interface Column {
  /** CSS class of the column; narrow screens hide some columns. */
  readonly name: string
  readonly text: string
  readonly sort?: TokenSort
}

const COLUMNS: readonly Column[] = [
  { name: 'token', text: 'Token' },
  { name: 'age', text: 'Age', sort: 'createdAt' },
  { name: 'price', text: 'Price' },
  { name: 'change-1h', text: '1h', sort: 'priceChange1h' },
  { name: 'change-24h', text: '24h', sort: 'priceChange24h' },
  { name: 'spark', text: 'Last 24h' },
  { name: 'cap', text: 'Market cap', sort: 'marketCap' },
  { name: 'volume', text: 'Volume 24h', sort: 'volume24h' },
  { name: 'liquidity', text: 'Liquidity', sort: 'liquidity' },
  { name: 'trades', text: 'Trades 24h', sort: 'trades24h' },
  { name: 'holders', text: 'Holders', sort: 'holders' },
  { name: 'graduation', text: 'Graduation', sort: 'graduation' },
  { name: 'last', text: 'Last trade', sort: 'lastTradeAt' },
]

const SKELETONS = 12

interface TokenTableProps {
  readonly rows: readonly Row[]
  readonly query: MarketQuery
  readonly busy: boolean
  readonly onScreen: OnScreen
  readonly lines: Sparklines
  /** Reports whether the pointer or the focus is in the rows. */
  readonly onHolding: (isHeld: boolean) => void
}

export function TokenTable({ rows, query, busy, onScreen, lines, onHolding }: TokenTableProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  useRovingFocus(body)
  useHolding(body, onHolding)
  return (
    <div class="card market">
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: arrow keys move between its links */}
      <table class="data tokens" role="grid" aria-busy={busy}>
        <caption class="sr-only">Tokens</caption>
        <thead>
          <tr>
            {COLUMNS.map(column => (
              <HeadCell key={column.name} column={column} query={query} />
            ))}
          </tr>
        </thead>
        <tbody ref={body} class={busy && rows.length > 0 ? 'outdated' : ''} data-testid="rows">
          {rows.length > 0
            ? rows.map(row => <TokenListRow key={row.address} row={row} onScreen={onScreen} lines={lines} />)
            : Array.from({ length: SKELETONS }, (_, index) => <SkeletonRow key={index} />)}
        </tbody>
      </table>
    </div>
  )
}

function HeadCell({ column: { name, text, sort }, query }: { readonly column: Column; readonly query: MarketQuery }) {
  const className = `c-${name} ${name === 'token' ? 'text' : ''}`
  // Search results are sorted by relevance.
  if (sort === undefined || query.q !== '') {
    return (
      <th scope="col" class={className}>
        {text}
      </th>
    )
  }
  const isSorted = query.sort === sort
  const toggle = () => showMarket({ ...query, sort, order: isSorted && query.order === 'desc' ? 'asc' : 'desc' })
  return (
    <th scope="col" class={className} aria-sort={isSorted ? (query.order === 'desc' ? 'descending' : 'ascending') : undefined}>
      <button type="button" class="sort" onClick={toggle}>
        <span class="arrow" aria-hidden="true">
          {isSorted ? (query.order === 'desc' ? '↓' : '↑') : ''}
        </span>
        {text}
      </button>
    </th>
  )
}

function NameSkeleton() {
  return (
    <span class="token-link">
      <span class="avatar blank" />
      <span class="token-words">
        <span class="skeleton" />
      </span>
    </span>
  )
}

function SkeletonRow() {
  return (
    <tr aria-hidden="true">
      {COLUMNS.map(({ name }) => (
        <td key={name} class={`c-${name} ${name === 'token' ? 'text' : ''}`}>
          {name === 'token' ? <NameSkeleton /> : <span class="skeleton" />}
        </td>
      ))}
    </tr>
  )
}
