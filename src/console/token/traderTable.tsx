import type { Signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { formatCompact, fromUnits } from '#client/decimalText.ts'
import type { Token, Trader, TraderSort } from '#client/generated/types.ts'
import { formatCount } from '#console/format/numbers.ts'
import { CompactTable, type TableColumn } from '#console/parts/compactTable.tsx'
import { MoreButton } from '#console/parts/moreButton.tsx'
import { useRefreshing } from '#console/parts/refreshing.ts'
import { Gain, Known, Money, Unknown } from '#console/parts/value.tsx'
import { WalletLink } from '#console/parts/walletLink.tsx'
import { createPagedList } from '#console/state/pagedList.ts'
import { client } from '#console/state/session.ts'
import { EarlyTags, HolderTag } from './holderTag.tsx'

/** Shortest time between two requests while the token is traded. */
const REFRESH_MS = 10_000
const PAGE = 50

export const TRADER_SORT_NAMES: Readonly<Record<TraderSort, string>> = {
  realized: 'Realized',
  volume: 'Volume',
  bought: 'Bought',
  sold: 'Sold',
  balance: 'Balance',
}

const columnsOf = (sort: TraderSort, onSort: (sort: TraderSort) => void): readonly TableColumn[] => {
  const column = (name: TraderSort, rest: Partial<TableColumn> = {}): TableColumn => ({
    name: TRADER_SORT_NAMES[name],
    isSorted: sort === name,
    class: 'sorted',
    head: (
      <button type="button" class="sort" onClick={() => onSort(name)}>
        <span class="arrow" aria-hidden="true">
          {sort === name ? '↓' : ''}
        </span>
        {TRADER_SORT_NAMES[name]}
      </button>
    ),
    ...rest,
  })
  return [
    { name: 'Trader', text: true },
    column('bought', { wide: true }),
    column('sold', { wide: true }),
    column('volume', { class: 'sorted roomy-only' }),
    column('realized'),
    { name: 'Unrealized' },
    column('balance'),
  ]
}

interface TraderTableProps {
  readonly token: Token
  readonly sort: Signal<TraderSort>
}

/** The accounts that have traded the token, sorted by profit or another value. Loaded when it is first shown. */
export function TraderTable({ token: { address, decimals, sequence }, sort }: TraderTableProps) {
  const traders = useMemo(
    () =>
      createPagedList(
        (page, signal) => client.traders(address, { sort: sort.peek(), limit: PAGE, ...page }, { signal }),
        (trader: Trader) => trader.address,
      ),
    [address],
  )
  useEffect(() => {
    let sorted = sort.peek()
    const stopSorting = sort.subscribe(chosen => {
      if (chosen !== sorted) traders.restart()
      sorted = chosen
    })
    return () => {
      stopSorting()
      traders.stop()
    }
  }, [traders, sort])
  useRefreshing(sequence, REFRESH_MS, () => traders.reload())
  const items = traders.items.value
  if (items === null) return <p class="card-body">{traders.failure.value ?? <Unknown />}</p>
  if (items.length === 0) return <p class="card-body quiet">No trades yet.</p>
  return (
    <>
      <CompactTable
        columns={columnsOf(sort.value, chosen => (sort.value = chosen))}
        label="Table of traders"
        name="trades"
        testId="traders"
      >
        {items.map(trader => (
          <TraderRow key={trader.address} trader={trader} decimals={decimals} />
        ))}
      </CompactTable>
      <MoreButton list={traders} />
    </>
  )
}

function TraderRow({ trader, decimals }: { readonly trader: Trader; readonly decimals: number }) {
  const { address, type, buys, sells, balance } = trader
  return (
    <tr data-trader={address}>
      <td class="text">
        <WalletLink address={address} of="trader" />{' '}
        <span class="wide-only">
          {type === 'wallet' ? null : <HolderTag type={type} />} <EarlyTags classes={trader.classes} />
        </span>
      </td>
      <td class="wide-only" title={`${formatCount(buys)} buys`}>
        <Money usd={trader.boughtUsd} weth={trader.boughtWeth} />
      </td>
      <td class="wide-only" title={`${formatCount(sells)} sells`}>
        <Money usd={trader.soldUsd} weth={trader.soldWeth} />
      </td>
      <td class="roomy-only" title={`${formatCount(buys + sells)} trades`}>
        <Money usd={trader.volumeUsd} weth={trader.volumeWeth} />
      </td>
      <td>
        <Gain usd={trader.realizedUsd} weth={trader.realizedWeth} />
      </td>
      <td>
        <Gain usd={trader.unrealizedUsd} weth={trader.unrealizedWeth} />
      </td>
      <td>
        <Known text={formatCompact(balance === null ? null : fromUnits(balance, decimals))} />
      </td>
    </tr>
  )
}
