import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { displayText } from '#console/format/text.ts'
import { type MarketQuery, SORTS, STATUSES, showMarket } from '#console/state/route.ts'
import { settings } from '#console/state/session.ts'
import { BoundsMenu } from './boundsMenu.tsx'

/** Pause in typing before the search is sent. */
const DEBOUNCE_MS = 200

interface FiltersProps {
  readonly query: MarketQuery
  readonly moved: number
  readonly onMoved: () => void
  readonly busy: boolean
  readonly isEmpty: boolean
}

export function Filters({ query, moved, onMoved, busy, isEmpty }: FiltersProps) {
  const change = (part: Partial<MarketQuery>) => showMarket({ ...query, ...part })
  const { launchpads } = settings.value
  const names = query.launchpad === null || launchpads.includes(query.launchpad) ? launchpads : [...launchpads, query.launchpad]
  return (
    <search class="filters">
      <SearchField query={query} />
      <select
        class="field"
        aria-label="Status"
        value={query.status ?? ''}
        onChange={event => change({ status: (event.currentTarget.value || null) as MarketQuery['status'] })}
      >
        <option value="">All statuses</option>
        {Object.entries(STATUSES).map(([status, text]) => (
          <option key={status} value={status}>
            {text}
          </option>
        ))}
      </select>
      <select
        class="field"
        aria-label="Launchpad"
        value={query.launchpad ?? ''}
        onChange={event => change({ launchpad: event.currentTarget.value || null })}
      >
        <option value="">All launchpads</option>
        {names.map(name => (
          <option key={name} value={name}>
            {displayText(name, 32)}
          </option>
        ))}
      </select>
      <BoundsMenu bounds={query.bounds} onChange={bounds => change({ bounds })} />
      <div class="sort-field">
        <select
          class="field"
          aria-label="Sort by"
          value={query.sort}
          disabled={query.q !== ''}
          onChange={event => change({ sort: event.currentTarget.value as MarketQuery['sort'] })}
        >
          {Object.entries(SORTS).map(([sort, text]) => (
            <option key={sort} value={sort}>
              {text}
            </option>
          ))}
        </select>
        <button
          type="button"
          class="button"
          disabled={query.q !== ''}
          aria-label={query.order === 'desc' ? 'Largest first. Change to smallest first' : 'Smallest first. Change to largest first'}
          onClick={() => change({ order: query.order === 'desc' ? 'asc' : 'desc' })}
        >
          {query.order === 'desc' ? '↓' : '↑'}
        </button>
      </div>
      <span class="filters-note">
        {/* Not announced: the number changes with every block. */}
        {moved > 0 ? (
          <button
            type="button"
            class="button accent"
            title="The order is held while the pointer or the focus is in the list"
            onClick={onMoved}
          >
            {moved === 1 ? '1 row' : `${moved} rows`} moved · Update
          </button>
        ) : null}
        <span role="status" class="quiet">
          {busy ? 'Loading' : moved > 0 || query.q === '' || isEmpty ? null : 'Best match first'}
        </span>
      </span>
    </search>
  )
}

function SearchField({ query }: { readonly query: MarketQuery }) {
  const text = useSignal(query.q)
  const typed = useRef(query.q)
  // The search changed elsewhere, such as in the address bar.
  if (query.q !== typed.current) {
    typed.current = query.q
    text.value = query.q
  }
  useEffect(() => {
    const wanted = text.value.trim()
    if (wanted === query.q) return
    const timer = setTimeout(() => {
      typed.current = wanted
      showMarket({ ...query, q: wanted })
    }, DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [text.value, query])
  return (
    <input
      class="field search-field"
      type="search"
      maxLength={100}
      placeholder="Search symbol, name or 0x…"
      aria-label="Search tokens by symbol, name or address"
      autocomplete="off"
      spellcheck={false}
      value={text.value}
      onInput={event => (text.value = event.currentTarget.value)}
    />
  )
}
