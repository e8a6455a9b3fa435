import { signal } from '@preact/signals'
import type { GraduationStatus, SortOrder, TokenSort } from '#client/generated/types.ts'
import { type ListBounds, NO_BOUNDS, readBounds, writeBounds } from './listBounds.ts'

/** The list of the market view. */
export interface MarketQuery {
  readonly q: string
  readonly sort: TokenSort
  readonly order: SortOrder
  readonly status: GraduationStatus | null
  readonly launchpad: string | null
  /** Address of the creator. */
  readonly creator: string | null
  readonly bounds: ListBounds
}

export type PageRoute =
  | { readonly view: 'market'; readonly query: MarketQuery }
  | { readonly view: 'token'; readonly address: string }
  | { readonly view: 'wallet'; readonly address: string }
  | { readonly view: 'operator' }
  | { readonly view: 'nowhere' }

export const SORTS = {
  trending: 'Trending',
  createdAt: 'Age',
  marketCap: 'Market cap',
  volume5m: 'Volume 5m',
  volume1h: 'Volume 1h',
  volume24h: 'Volume 24h',
  priceChange5m: 'Change 5m',
  priceChange1h: 'Change 1h',
  priceChange24h: 'Change 24h',
  liquidity: 'Liquidity',
  holders: 'Holders',
  trades5m: 'Trades 5m',
  trades1h: 'Trades 1h',
  trades24h: 'Trades 24h',
  lastTradeAt: 'Last trade',
  graduation: 'Graduation',
  migratedAt: 'Migrated',
} as const satisfies Partial<Record<TokenSort, string>>

export const STATUSES = { bonding: 'Bonding', completed: 'Completed', migrated: 'Migrated', none: 'No curve' } as const satisfies Record<
  GraduationStatus,
  string
>

export const DEFAULT_QUERY: MarketQuery = {
  q: '',
  sort: 'trades24h',
  order: 'desc',
  status: null,
  launchpad: null,
  creator: null,
  bounds: NO_BOUNDS,
}

const MAX_TEXT = 100

/** Parses the hash of an address. Invalid parts become the default, because a link may come from any page. */
export function parseRoute(hash: string): PageRoute {
  const [path = '', search = ''] = hash.replace(/^#/, '').split('?', 2)
  const parameters = new URLSearchParams(search)
  if (path === '' || path === '/') return { view: 'market', query: parseQuery(parameters) }
  if (path === '/operator') return { view: 'operator' }
  const [, view, address] = /^\/(token|wallet)\/(0x[0-9a-f]{40})$/i.exec(path) ?? []
  if (view === undefined || address === undefined) return { view: 'nowhere' }
  return { view: view === 'wallet' ? 'wallet' : 'token', address: address.toLowerCase() }
}

function parseQuery(parameters: URLSearchParams): MarketQuery {
  const oneOf = <T extends string>(table: Readonly<Record<T, string>>, name: string): T | null => {
    const text = parameters.get(name)
    return text !== null && Object.hasOwn(table, text) ? (text as T) : null
  }
  return {
    q: (parameters.get('q') ?? '').slice(0, MAX_TEXT),
    sort: oneOf(SORTS, 'sort') ?? DEFAULT_QUERY.sort,
    order: parameters.get('order') === 'asc' ? 'asc' : 'desc',
    status: oneOf(STATUSES, 'status'),
    launchpad: parameters.get('launchpad')?.slice(0, MAX_TEXT) || null,
    creator: readAddress(parameters.get('creator') ?? ''),
    bounds: readBounds(parameters),
  }
}

/** The address in lower case; `null` for any other text. */
export function readAddress(text: string): string | null {
  return /^0x[0-9a-f]{40}$/i.test(text) ? text.toLowerCase() : null
}

/** The hash of a route, without default values. */
export function hrefOf(route: PageRoute): string {
  switch (route.view) {
    case 'market': {
      const { q, sort, order, status, launchpad, creator, bounds } = route.query
      const parameters = new URLSearchParams()
      if (q !== '') parameters.set('q', q)
      if (sort !== DEFAULT_QUERY.sort) parameters.set('sort', sort)
      if (order !== DEFAULT_QUERY.order) parameters.set('order', order)
      if (status !== null) parameters.set('status', status)
      if (launchpad !== null) parameters.set('launchpad', launchpad)
      if (creator !== null) parameters.set('creator', creator)
      writeBounds(bounds, parameters)
      const search = parameters.toString()
      return search === '' ? '#/' : `#/?${search}`
    }
    case 'token':
      return `#/token/${route.address}`
    case 'wallet':
      return `#/wallet/${route.address}`
    case 'operator':
      return '#/operator'
    case 'nowhere':
      return '#/'
  }
}

export const route = signal<PageRoute>(parseRoute(typeof location === 'undefined' ? '' : location.hash))

/** The last query of the market view, to which the link back from a token leads. */
export const lastMarket = signal<MarketQuery>(
  route.peek().view === 'market' ? (route.peek() as { query: MarketQuery }).query : DEFAULT_QUERY,
)

/** Updates the route when the hash changes. To be called once. */
export function followAddress(): void {
  const read = () => {
    const next = parseRoute(location.hash)
    if (next.view === 'market') lastMarket.value = next.query
    route.value = next
  }
  addEventListener('hashchange', read)
}

/** Changes the list without a history entry, so that typing a word does not add ten. */
export function showMarket(query: MarketQuery): void {
  history.replaceState(null, '', hrefOf({ view: 'market', query }))
  lastMarket.value = query
  route.value = { view: 'market', query }
}
