import { FIRST_PLACE } from '#domain/eventPlace.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import { placeOfTrade, type RecentTrades, type Trade } from '#resources/trades.ts'
import { addressOf, hashOf, snapshotOf, tokenOf, tradeOf } from './snapshots.ts'

export const TRADED = addressOf(1)

/** Fewer than the database has: most runs should meet the bounds. */
const MAX_TRADES = 4
const MAX_REORGS = 2

/** The token in a database, with real reorgs. */
export class TradeChain {
  trades: Trade[] = []
  readonly #voidFrom: number[] = []
  #head = 0
  #sequence = 0

  get snapshot(): TokenSnapshot {
    const recent = this.trades.slice(-MAX_TRADES)
    const before = this.trades[this.trades.length - recent.length - 1]
    const told: RecentTrades = {
      trades: recent,
      after: before === undefined ? FIRST_PLACE : placeOfTrade(before),
      reorgs: this.#voidFrom.length,
      voidFrom: this.#voidFrom.slice(-MAX_REORGS),
    }
    const { market } = tokenOf(TRADED, 0)
    return { ...snapshotOf(TRADED, this.#sequence, { market: { ...market, tradeCount: this.trades.length } }), recent: told }
  }

  commit(trades: number): void {
    this.#head++
    this.#sequence++
    for (let logIndex = 1; logIndex <= trades; logIndex++) {
      // The hash tells branches apart.
      const place = { blockNumber: String(this.#head), logIndex, blockHash: hashOf(this.#sequence) }
      this.trades = [...this.trades, { ...tradeOf(TRADED), ...place, id: `${this.#head}-${logIndex}` }]
    }
  }

  reorg(depth: number, trades: number): void {
    const kept = Math.max(0, this.#head - depth)
    this.#voidFrom.push(kept + 1)
    this.trades = this.trades.filter(({ blockNumber }) => Number(blockNumber) <= kept)
    this.#head = kept
    this.commit(trades)
  }
}
