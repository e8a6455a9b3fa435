import { comparePlaces } from '#domain/eventPlace.ts'
import type { TokenUpdate } from '#protocol/encodeUpdate.ts'
import { placeOfTrade, type Trade } from '#resources/trades.ts'

/** The trades of a token as a client keeps them that follows the guide: it folds updates, and reads over REST what they don't carry. */
export class TradeFold {
  held: readonly Trade[] = []
  /** It has to read the trades over REST. */
  isBehind = false

  apply({ trades, replacedFrom }: Pick<TokenUpdate, 'trades' | 'replacedFrom'>): void {
    if (replacedFrom !== undefined) this.held = this.held.filter(({ blockNumber }) => Number(blockNumber) < Number(replacedFrom))
    if (trades === null) this.isBehind = true
    else for (const trade of trades) this.#add(trade)
  }

  /** Updates that come while it reads have to be applied afterwards. @param trades all of the token, newest last */
  read(trades: readonly Trade[]): void {
    this.held = trades
    this.isBehind = false
  }

  /** What was read over REST comes again in updates. */
  #add(trade: Trade): void {
    const newest = this.held.at(-1)
    if (newest === undefined || comparePlaces(placeOfTrade(trade), placeOfTrade(newest)) > 0) this.held = [...this.held, trade]
  }
}
