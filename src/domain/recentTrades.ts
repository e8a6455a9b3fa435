import { type ChannelPosition, comparePlaces, type EventPlace, FIRST_PLACE, placeAfterReorg } from './eventPlace.ts'
import type { Trade } from './trade.ts'

/** The newest trades of a token and the newest reorgs: enough to say what has changed since an earlier state of the token. */
export interface RecentTrades {
  /** All trades later than `after`, newest last. */
  readonly trades: readonly Trade[]
  readonly after: EventPlace
  /** How many reorgs there have been. */
  readonly reorgs: number
  /** The first void block of each of the newest reorgs, newest last. */
  readonly voidFrom: readonly number[]
}

/** The trades of a state that an earlier state lacks. */
export interface TradesSince {
  /** Newest last. `null`: not all of them are known. */
  readonly trades: readonly Trade[] | null
  /** Trades of the earlier state from this block on are void; `null`: none is. */
  readonly replacedFrom: number | null
}

/** Where a state of a token stands: at its newest trade. */
export function positionOf({ trades, after, reorgs }: RecentTrades): ChannelPosition {
  const newest = trades.at(-1)
  return { place: newest === undefined ? after : placeOfTrade(newest), reorgs }
}

/**
 * What a state has that an earlier one lacks. It is exact: without the earlier trades from `replacedFrom` on and with `trades`, the trades
 * of the earlier state are those of this one.
 *
 * @param earlier `null`: not known, so nothing can be said
 */
export function tradesSince(recent: RecentTrades, earlier: ChannelPosition | null): TradesSince {
  if (earlier === null) return { trades: null, replacedFrom: null }
  const replacedFrom = voidSince(recent, earlier.reorgs)
  const place = placeAfterReorg(earlier.place, replacedFrom)
  if (comparePlaces(place, recent.after) < 0) return { trades: null, replacedFrom }
  return { trades: recent.trades.filter(trade => comparePlaces(placeOfTrade(trade), place) > 0), replacedFrom }
}

/** All blocks are void when that many reorgs are not known, or when there were fewer: the database is another one. */
function voidSince({ reorgs, voidFrom }: RecentTrades, earlier: number): number | null {
  if (reorgs === earlier) return null
  const since = reorgs - earlier
  return since < 0 || since > voidFrom.length ? FIRST_PLACE.blockNumber : Math.min(...voidFrom.slice(-since))
}

export function placeOfTrade({ blockNumber, logIndex }: Pick<Trade, 'blockNumber' | 'logIndex'>): EventPlace {
  return { blockNumber: Number(blockNumber), logIndex }
}
