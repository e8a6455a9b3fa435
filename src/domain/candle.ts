/** Length in seconds of each candle interval. Days start at 00:00 UTC, weeks on Monday. */
export const CANDLE_INTERVALS = {
  '1s': 1,
  '5s': 5,
  '15s': 15,
  '30s': 30,
  '1m': 60,
  '5m': 300,
  '15m': 900,
  '30m': 1_800,
  '1h': 3_600,
  '4h': 14_400,
  '12h': 43_200,
  '1d': 86_400,
  '1w': 604_800,
} as const

export type CandleInterval = keyof typeof CANDLE_INTERVALS

/** The intervals whose candles are rows. */
export const STORED_INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d'] as const satisfies readonly CandleInterval[]

export type StoredInterval = (typeof STORED_INTERVALS)[number]

/** The intervals whose candles are made from rows of a shorter one. */
const FOLDED_FROM = { '30m': '15m', '12h': '4h', '1w': '1d' } as const satisfies Partial<Record<CandleInterval, StoredInterval>>

/** Where candles of an interval come from: rows, rows of a shorter interval, or trades. */
export type CandleSource =
  | { readonly type: 'stored'; readonly interval: StoredInterval }
  | { readonly type: 'folded'; readonly from: StoredInterval }
  | { readonly type: 'trades' }

/** How far back candles from trades reach, in seconds before the newest indexed block. */
export const SECONDS_REACH_BACK = 86_400

/** 1970 began on a Thursday. */
const MONDAY = 259_200

export function candleSourceOf(interval: CandleInterval): CandleSource {
  if (CANDLE_INTERVALS[interval] < CANDLE_INTERVALS['1m']) return { type: 'trades' }
  const from = (FOLDED_FROM as Partial<Record<CandleInterval, StoredInterval>>)[interval]
  return from === undefined ? { type: 'stored', interval: interval as StoredInterval } : { type: 'folded', from }
}

/** Seconds that are added to a time before the rest of its division by the interval's length tells how far its candle has come. */
export function candleOffset(interval: CandleInterval): number {
  return interval === '1w' ? MONDAY : 0
}

/** The start, in Unix seconds, of the interval that holds a time. */
export function candleStart(unixSeconds: number, interval: CandleInterval): number {
  return unixSeconds - ((unixSeconds + candleOffset(interval)) % CANDLE_INTERVALS[interval])
}
