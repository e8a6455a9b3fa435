import { displayText } from '#console/format/text.ts'
import { type MarketQuery, SORTS, STATUSES, showMarket } from '#console/state/route.ts'
import { settings } from '#console/state/session.ts'
import { BoundsMenu } from './boundsMenu.tsx'

interface FiltersProps {
  readonly query: MarketQuery
  readonly moved: number
  readonly onMoved: () => void
  readonly busy: boolean
  readonly isEmpty: boolean
  /** Why the list is not up to date; `null`: it is. */
  readonly failure: string | null
}

export function Filters({ query, moved, onMoved, busy, isEmpty, failure }: FiltersProps) {
  const change = (part: Partial<MarketQuery>) => showMarket({ ...query, ...part })
  const { launchpads } = settings.value
  const names = query.launchpad === null || launchpads.includes(query.launchpad) ? launchpads : [...launchpads, query.launchpad]
  return (
    <search class="filters">
      {query.q === '' ? null : (
        <button type="button" class="button on" title="Show all tokens again" onClick={() => change({ q: '' })}>
          <span>
            “<bdi>{displayText(query.q, 24)}</bdi>” <span aria-hidden="true">×</span>
          </span>
          <span class="sr-only">: end the search</span>
        </button>
      )}
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
      <BoundsMenu query={query} onChange={change} />
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
        {/* Beside the rows: above them it would push them down. */}
        <span role="status" class={failure === null ? 'quiet' : 'list-failure warn'} title={failure ?? undefined}>
          {failure !== null ? 'Not up to date' : busy ? 'Loading' : moved > 0 || query.q === '' || isEmpty ? null : 'Best match first'}
        </span>
      </span>
    </search>
  )
}
