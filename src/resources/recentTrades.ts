import { type ChannelPosition, comparePlaces, type EventPlace, FIRST_PLACE, placeAfterReorg } from '#domain/eventPlace.ts'
import type { Trade } from './trades.ts'

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
 * The trades that a state has and an earlier state lacks. The result is exact: dropping the earlier state's trades from `replacedFrom` on
 * and adding `trades` gives the trades of this state.
 *
 * @param earlier `null`: not known
 */
export function tradesSince(recent: RecentTrades, earlier: ChannelPosition | null): TradesSince {
  if (earlier === null) return { trades: null, replacedFrom: null }
  const replacedFrom = voidSince(recent, earlier.reorgs)
  const place = placeAfterReorg(earlier.place, replacedFrom)
  if (comparePlaces(place, recent.after) < 0) return { trades: null, replacedFrom }
  return { trades: recent.trades.filter(trade => comparePlaces(placeOfTrade(trade), place) > 0), replacedFrom }
}

/** All blocks are void when older reorgs are missing here, or when fewer reorgs are counted than before: the database is another one. */
function voidSince({ reorgs, voidFrom }: RecentTrades, earlier: number): number | null {
  if (reorgs === earlier) return null
  const since = reorgs - earlier
  return since < 0 || since > voidFrom.length ? FIRST_PLACE.blockNumber : Math.min(...voidFrom.slice(-since))
}

/** The place of a trade as numbers, in place of the text of a block number. */
export function placeOfTrade({ blockNumber, logIndex }: Pick<Trade, 'blockNumber' | 'logIndex'>): EventPlace {
  return { blockNumber: Number(blockNumber), logIndex }
}
