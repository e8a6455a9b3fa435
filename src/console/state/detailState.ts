import type { Claimable, Holder, Token, Trade } from '#client/generated/types.ts'
import type { NewTrades } from '#client/watch/watch.ts'
import { directionOf, type PriceMove } from './rows.ts'

/** Trades shown at most. */
export const MAX_TRADES = 100

/** What is known of one token. */
export interface DetailState {
  /** `missing`: not indexed, or removed by a reorg. The token is shown as soon as it is indexed. */
  readonly phase: 'loading' | 'ready' | 'missing' | 'failed'
  readonly failure: string | null
  readonly token: Token | null
  readonly priceMove: PriceMove
  /** Newest first; `null` while unknown. */
  readonly trades: readonly Trade[] | null
  /** Trades that are shown with the next frame, oldest first. */
  readonly waiting: readonly Trade[]
  /** Ids of trades that a reorg may have removed; `null`: none can be. They are shown until the list has been loaded without them. */
  readonly doubted: ReadonlySet<string> | null
  /** How often trades were taken back or may have been. */
  readonly rewinds: number
  readonly holders: readonly Holder[] | null
  readonly claimable: Claimable | null
}

export type DetailEvent =
  | { readonly type: 'loading' | 'missing' }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'token'; readonly token: Token }
  | { readonly type: 'holders'; readonly holders: readonly Holder[] }
  | { readonly type: 'claimable'; readonly claimable: Claimable }
  | { readonly type: 'traded'; readonly news: NewTrades }
  /** The waiting trades are shown. */
  | { readonly type: 'drawn' }
  | { readonly type: 'tradesLoaded'; readonly trades: readonly Trade[] }

export const UNKNOWN_TOKEN: DetailState = {
  phase: 'loading',
  failure: null,
  token: null,
  priceMove: { direction: null, count: 0 },
  trades: null,
  waiting: [],
  doubted: null,
  rewinds: 0,
  holders: null,
  claimable: null,
}

export function afterDetailEvent(state: DetailState, event: DetailEvent): DetailState {
  const { token, trades } = state
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
    case 'traded':
      return afterTrades(state, event.news)
    case 'drawn':
      return { ...state, trades: merged(state.waiting, trades ?? []), waiting: [] }
    case 'tradesLoaded': {
      const held = (trades ?? []).filter(({ id }) => !state.doubted?.has(id))
      return { ...state, trades: merged(event.trades, held), doubted: null }
    }
  }
}

function afterTrades(state: DetailState, { trades: news, gap, replacedFrom }: NewTrades): DetailState {
  const { trades, waiting, rewinds } = state
  if (gap) return { ...state, doubted: new Set(trades?.map(({ id }) => id)), waiting: [], rewinds: rewinds + 1 }
  const isValid = ({ blockNumber }: Trade) => replacedFrom === undefined || Number(blockNumber) < Number(replacedFrom)
  return {
    ...state,
    waiting: [...waiting.filter(isValid), ...news].slice(-MAX_TRADES),
    ...(replacedFrom === undefined ? {} : { trades: trades?.filter(isValid) ?? null, rewinds: rewinds + 1 }),
  }
}

/** All trades, each once, newest first. */
function merged(news: readonly Trade[], held: readonly Trade[]): readonly Trade[] {
  const byId = new Map([...news, ...held].map(trade => [trade.id, trade]))
  return Array.from(byId.values())
    .sort((a, b) => Number(b.blockNumber) - Number(a.blockNumber) || b.logIndex - a.logIndex)
    .slice(0, MAX_TRADES)
}
