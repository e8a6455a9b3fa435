import type { Logger } from 'pino'
import type { Address } from '#domain/address.ts'
import { byteLength } from '#protocol/encodeUpdate.ts'
import { MAX_MESSAGE_BYTES } from '#protocol/limits.ts'
import type { Candle, CandleCursor, CandlesQuery } from '#resources/candles.ts'
import type { Page } from '#resources/resource.ts'
import { createStateActors, type StateActors, type WatchedState } from './stateActors.ts'

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

/** The candles that a client is sent: all from the first changed one to the newest. */
export class CandleState implements WatchedState<CandleState> {
  readonly sequence: number
  readonly kind = ''
  readonly rest = null
  readonly window: CandleWindow
  /** The Unix seconds from which on the client's candles are replaced; 0: all of them are. */
  readonly from: number
  #fields: string | null = null
  #whole: CandleState | null = null

  /** @param from becomes 0 if the window does not reach back to this time */
  constructor(sequence: number, window: CandleWindow, from: number) {
    const [oldest] = window.candles
    this.sequence = sequence
    this.window = window
    this.from = window.isWhole || (oldest !== undefined && oldest.time <= from) ? from : 0
  }

  get fields(): string {
    if (this.#fields === null) {
      const texts = this.window.candles.filter(({ time }) => time >= this.from).map(({ text }) => text)
      this.#fields = `"from":${this.from},"data":[${texts.join(',')}]`
    }
    return this.#fields
  }

  get whole(): CandleState {
    if (this.from === 0) return this
    this.#whole ??= new CandleState(this.sequence, this.window, 0)
    return this.#whole
  }

  replacing(unsent: CandleState): CandleState {
    if (unsent.from >= this.from) return this
    return unsent.from === 0 ? this.whole : new CandleState(this.sequence, this.window, unsent.from)
  }
}

/** The most bytes of a message besides its candles: its type, an `id` of 64 escaped characters, sequence and `from`. */
const HEAD_BYTES = 1_024

/** The newest candles of a token that fit into a message. */
interface CandleWindow {
  /** Candles by ascending time. `text`: the candle as JSON. */
  readonly candles: readonly { readonly time: number; readonly text: string }[]
  /** Whether the token has no older candles. */
  readonly isWhole: boolean
}

/** The window of the newest of some candles. @param hasOlder whether the token has candles before these, whose times ascend */
function candleWindowOf(candles: readonly Candle[], hasOlder: boolean): CandleWindow {
  const encoded = candles.map(candle => ({ time: candle.time, text: JSON.stringify(candle) }))
  let left = MAX_MESSAGE_BYTES - HEAD_BYTES
  const oldest = encoded.findLastIndex(({ text }) => {
    left -= byteLength(text) + 1
    return left < 0
  })
  return { candles: encoded.slice(oldest + 1), isWhole: !hasOlder && oldest < 0 }
}

/**
 * The Unix seconds from which on candles have changed, appeared or disappeared; 0: any candle may have, because the windows share none;
 * `null`: no candle has. A commit or a reorg changes only the newest candles, so all before an unchanged one are the same.
 */
function changedFrom(before: CandleWindow, after: CandleWindow): number | null {
  const areWhole = before.isWhole && after.isWhole
  const start = areWhole ? 0 : Math.max(startOf(before), startOf(after))
  const older = before.candles.filter(({ time }) => time >= start)
  const newer = after.candles.filter(({ time }) => time >= start)
  let same = 0
  while (same < older.length && older[same]?.text === newer[same]?.text) same++
  if (same === 0 && !areWhole) return 0
  // Candles have disappeared, and older ones that clients may not have are now in the window.
  if (!before.isWhole && startOf(after) < start) return startOf(after)
  if (same === older.length && same === newer.length) return null
  return Math.min(older[same]?.time ?? Number.POSITIVE_INFINITY, newer[same]?.time ?? Number.POSITIVE_INFINITY)
}

function startOf({ candles }: CandleWindow): number {
  return candles[0]?.time ?? 0
}
