import type { Address } from '#domain/address.ts'

/** Rows of the first page, whose order is live, and of each further one. */
export const PAGE_ROWS = 50
/** Rows shown at most. */
export const MAX_ROWS = 500

/** A list of tokens, without their values. */
export interface TokenListState {
  /** `loading`: the rows are still those of the query before, or none. */
  readonly phase: 'loading' | 'ready' | 'failed'
  /** Why the last request failed. */
  readonly failure: string | null
  /** First pages in a row that could not be loaded. */
  readonly failures: number
  readonly shown: readonly Address[]
  /** The newest order of the first page. */
  readonly order: readonly Address[]
  readonly cursor: string | null
  readonly isLoadingMore: boolean
  /** While true, values change and rows stay where they are. */
  readonly isHeld: boolean
}

export type ListEvent =
  | { readonly type: 'loading' | 'loadingMore' }
  /** The first page of the query; the page after `cursor`. */
  | { readonly type: 'loaded' | 'loadedMore'; readonly addresses: readonly Address[]; readonly cursor: string | null }
  /** The first page was loaded again. `order` is `null` while the service pushes the order. */
  | { readonly type: 'refreshed'; readonly order: readonly Address[] | null }
  | { readonly type: 'failed' | 'failedMore'; readonly message: string }
  /** A new order of the first page. All its tokens have values. */
  | { readonly type: 'ordered'; readonly order: readonly Address[] }
  | { readonly type: 'held'; readonly isHeld: boolean }
  /** The user wants to see the order as it is now. */
  | { readonly type: 'sorted' }

export const NOT_LOADED: TokenListState = {
  phase: 'loading',
  failure: null,
  failures: 0,
  shown: [],
  order: [],
  cursor: null,
  isLoadingMore: false,
  isHeld: false,
}

export function afterListEvent(state: TokenListState, event: ListEvent): TokenListState {
  switch (event.type) {
    case 'loading':
      return { ...state, phase: 'loading', isLoadingMore: false }
    case 'loadingMore':
      return { ...state, isLoadingMore: true }
    case 'loaded': {
      const { addresses, cursor } = event
      return { ...state, phase: 'ready', failure: null, failures: 0, shown: addresses, order: addresses, cursor }
    }
    case 'loadedMore': {
      // A token that moved down since the page before is in both pages.
      const shown = [...new Set([...state.shown, ...event.addresses])].slice(0, MAX_ROWS)
      return { ...state, failure: null, shown, cursor: event.cursor, isLoadingMore: false }
    }
    case 'refreshed':
      return sortedUnlessHeld({ ...state, failure: null, failures: 0, order: event.order ?? state.order })
    case 'failed':
      return {
        ...state,
        phase: state.phase === 'loading' ? 'failed' : state.phase,
        failure: event.message,
        failures: state.failures + 1,
      }
    case 'failedMore':
      return { ...state, failure: event.message, isLoadingMore: false }
    case 'ordered':
      return sortedUnlessHeld({ ...state, order: event.order })
    case 'held':
      return sortedUnlessHeld({ ...state, isHeld: event.isHeld })
    case 'sorted':
      return { ...state, shown: sorted(state) }
  }
}

/** Whether there is another page that would be shown. */
export function hasMore({ cursor, shown }: TokenListState): boolean {
  return cursor !== null && shown.length < MAX_ROWS
}

/** How many places of a held list would show another token if it was sorted now. */
export function movedPlaces({ isHeld, shown, order }: Pick<TokenListState, 'isHeld' | 'shown' | 'order'>): number {
  return isHeld ? order.filter((address, place) => shown[place] !== address).length : 0
}

function sortedUnlessHeld(state: TokenListState): TokenListState {
  if (state.isHeld || state.phase !== 'ready') return state
  const shown = sorted(state)
  const isSame = shown.length === state.shown.length && shown.every((address, place) => address === state.shown[place])
  return isSame ? state : { ...state, shown }
}

/**
 * The tokens with the first page in the newest order. Those of further pages follow in the order that they have, together with tokens that
 * fell out of the first page. Without further pages, tokens that fell out are gone.
 */
function sorted({ shown, order }: TokenListState): readonly Address[] {
  const first = new Set(order)
  const further = shown.length > PAGE_ROWS ? shown.filter(address => !first.has(address)) : []
  return [...order, ...further].slice(0, MAX_ROWS)
}
