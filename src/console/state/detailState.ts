import type { Claimable, Holder, Token, Trade } from '#client/generated/types.ts'
import { directionOf, type PriceMove } from './rows.ts'

/** What is known of one token. */
export interface DetailState {
  /** `missing`: not indexed, or removed by a reorg. The token is shown as soon as it is indexed. */
  readonly phase: 'loading' | 'ready' | 'missing' | 'failed'
  readonly failure: string | null
  readonly token: Token | null
  readonly priceMove: PriceMove
  /** Newest first; `null` while unknown. */
  readonly trades: readonly Trade[] | null
  readonly holders: readonly Holder[] | null
  readonly claimable: Claimable | null
}

export type DetailEvent =
  | { readonly type: 'loading' | 'missing' }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'token'; readonly token: Token }
  | { readonly type: 'holders'; readonly holders: readonly Holder[] }
  | { readonly type: 'claimable'; readonly claimable: Claimable }
  | { readonly type: 'trades'; readonly trades: readonly Trade[] }

export const UNKNOWN_TOKEN: DetailState = {
  phase: 'loading',
  failure: null,
  token: null,
  priceMove: { direction: null, count: 0 },
  trades: null,
  holders: null,
  claimable: null,
}

export function afterDetailEvent(state: DetailState, event: DetailEvent): DetailState {
  const { token } = state
  switch (event.type) {
    case 'loading':
      return token === null ? { ...state, phase: 'loading' } : state
    case 'missing':
      return { ...state, phase: 'missing' }
    case 'failed':
      return token === null ? { ...state, phase: 'failed', failure: event.message } : state
    case 'token': {
      const next = event.token
      if (token !== null && next.sequence < token.sequence) return state
      const direction = token === null ? null : directionOf(token.market.priceWeth, next.market.priceWeth)
      const priceMove = direction === null ? state.priceMove : { direction, count: state.priceMove.count + 1 }
      return { ...state, phase: 'ready', failure: null, token: next, priceMove }
    }
    case 'holders':
      return { ...state, holders: event.holders }
    case 'claimable':
      return { ...state, claimable: event.claimable }
    case 'trades':
      return { ...state, trades: event.trades }
  }
}
