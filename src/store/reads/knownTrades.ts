import type { Address } from '#domain/address.ts'
import { type EventPlace, FIRST_PLACE } from '#domain/eventPlace.ts'
import { setNewest } from '#domain/setNewest.ts'
import { placeOfTrade, type RecentTrades } from '#resources/recentTrades.ts'
import type { Trade } from '#resources/trades.ts'

/** The most recent trades in a snapshot: about as many as fit into a message. */
export const SNAPSHOT_TRADES = 16

/** Trades older than the newest one by more than this are left out: a reader that lags for so long is disconnected. */
const RECENT_SECONDS = 60

/** The trades of this many tokens take about 15 MB. */
const MAX_TOKENS = 1_000

/**
 * The recent trades of tokens as the last snapshots had them, so that the next one reads only later trades. Only the writer of the trades
 * may use it, and has to call `forget` when a commit fails, and when stored trades change. The tokens of the oldest snapshots are evicted.
 */
export class KnownTrades {
  readonly #recent = new Map<Address, RecentTrades>()

  of(token: Address): RecentTrades | undefined {
    return this.#recent.get(token)
  }

  keep(token: Address, recent: RecentTrades): void {
    setNewest(this.#recent, token, recent, MAX_TOKENS)
  }

  forget(): void {
    this.#recent.clear()
  }
}

/** The place of the trade after which a snapshot reads on. @param known `undefined`: all trades are read */
export function readAfter(known: RecentTrades | undefined): EventPlace {
  const newest = known?.trades.at(-1)
  return newest === undefined ? FIRST_PLACE : placeOfTrade(newest)
}

/**
 * The recent trades of a snapshot, from the known ones and those that were read.
 *
 * @param read the newest trades after the known ones, newest last. If they are more than a snapshot has, others may lie in between
 */
export function recentAfter(known: RecentTrades | undefined, read: readonly Trade[]): Pick<RecentTrades, 'trades' | 'after'> {
  const goesOn = known !== undefined && known.trades.length > 0 && read.length <= SNAPSHOT_TRADES
  const all = goesOn ? [...known.trades, ...read] : read
  const newest = all.at(-1)
  const since = newest === undefined ? 0 : secondsOf(newest) - RECENT_SECONDS
  const trades = all.slice(all.findLastIndex(trade => secondsOf(trade) < since) + 1).slice(-SNAPSHOT_TRADES)
  const leftOut = all.at(-1 - trades.length)
  return { trades, after: leftOut === undefined ? (goesOn ? known.after : FIRST_PLACE) : placeOfTrade(leftOut) }
}

function secondsOf({ timestamp }: Trade): number {
  return Date.parse(timestamp) / 1_000
}
