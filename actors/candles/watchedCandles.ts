import type { Logger } from 'pino'
import { createStateActors, type StateActors } from '#actors/states/stateActors.ts'
import type { Address } from '#domain/address.ts'
import type { Candle, CandleCursor, CandlesQuery } from '#resources/candles.ts'
import type { Page } from '#resources/resource.ts'
import { CandleState } from './candleState.ts'
import { candleWindowOf, changedFrom } from './candleWindow.ts'

export interface WatchedCandlesOptions {
  /** `null`: the token is not indexed. */
  readonly read: (query: CandlesQuery) => Promise<Page<Candle, CandleCursor> | null>
  readonly logger: Logger
  /** Milliseconds since the epoch. */
  readonly epochMs: () => number
}

/** The watched candles. A token that is not indexed has none. */
export interface WatchedCandles extends Omit<StateActors<CandlesQuery, CandleState>, 'outdate'> {
  /** To be called when the database shows a commit that changed these tokens; `null`: it may have changed any token. */
  changed(tokens: ReadonlySet<Address> | null): void
}

export function createWatchedCandles({ read, logger, epochMs }: WatchedCandlesOptions): WatchedCandles {
  const { outdate, ...actors } = createStateActors<CandlesQuery, CandleState>({
    async read(query, newest) {
      const page = await read(query)
      const window = page === null ? candleWindowOf([], false) : candleWindowOf(page.data, page.next !== null)
      const from = newest === null ? 0 : changedFrom(newest.window, window)
      if (newest !== null && from === null) return newest
      return new CandleState(Math.max((newest?.sequence ?? 0) + 1, epochMs()), window, from ?? 0)
    },
    logger,
    failure: 'candles could not be read',
  })
  return { ...actors, changed: tokens => outdate(({ address }) => tokens?.has(address) ?? true) }
}
