import { CANDLE_INTERVALS, STORED_INTERVALS } from '#domain/candle.ts'
import { add, type Decimal, max, min, multiply, units } from '#domain/decimal.ts'
import { WETH_DECIMALS } from '#domain/weth.ts'
import type { CandleRow } from '#tables/candle.ts'
import type { Move, Mutable, PricePoint } from './draft.ts'

/** Folds a token's price points, in order, into candles of every stored interval. */
export function foldCandles(points: readonly PricePoint[]): readonly CandleRow[] {
  const singles = points.map(candleOf)
  return STORED_INTERVALS.flatMap(interval => {
    const intervalSeconds = CANDLE_INTERVALS[interval]
    const candles = new Map<number, Mutable<CandleRow>>()
    let candle: Mutable<CandleRow> | undefined
    for (const single of singles) {
      const time = single.time - (single.time % intervalSeconds)
      if (candle?.time !== time) candle = candles.get(time)
      if (candle === undefined) candles.set(time, (candle = { ...single, time, intervalSeconds }))
      else extend(candle, single)
    }
    return [...candles.values()]
  })
}

/** The candle of one point, which has no interval yet. */
function candleOf(point: PricePoint): CandleRow {
  const { token, timestamp, weth, quote, usd, trades, volumeToken, volumeWei, volumeQuote } = point
  return {
    time: timestamp,
    token,
    intervalSeconds: 0,
    open: openOf(weth),
    high: highOf(weth),
    low: lowOf(weth),
    close: weth?.after ?? null,
    volumeWei: weth === null ? null : volumeWei,
    trades,
    volumeToken,
    openQuote: openOf(quote),
    highQuote: highOf(quote),
    lowQuote: lowOf(quote),
    closeQuote: quote?.after ?? null,
    volumeQuote: quote === null ? null : volumeQuote,
    openUsd: openOf(usd),
    highUsd: highOf(usd),
    lowUsd: lowOf(usd),
    closeUsd: usd?.after ?? null,
    volumeUsd: volumeInUsd(point),
    tradesUsd: usd === null ? 0 : trades,
  }
}

function volumeInUsd({ weth, ethUsd, quoteUsd, volumeWei, volumeQuote }: PricePoint): Decimal | null {
  if (quoteUsd !== null) return multiply(units(volumeQuote, WETH_DECIMALS), quoteUsd)
  return ethUsd === null || weth === null ? null : multiply(units(volumeWei, WETH_DECIMALS), ethUsd)
}

function openOf(move: Move | null): Decimal | null {
  return move === null ? null : (move.before ?? move.after)
}

function highOf(move: Move | null): Decimal | null {
  return move === null ? null : max(move.before ?? move.after, move.after)
}

function lowOf(move: Move | null): Decimal | null {
  return move === null ? null : min(move.before ?? move.after, move.after)
}

/** Merges a candle into an earlier one, just as a commit merges it into a stored one (`tables/candle.ts`). */
function extend(candle: Mutable<CandleRow>, next: CandleRow): void {
  candle.trades += next.trades
  candle.volumeToken = known(sum, candle.volumeToken, next.volumeToken)
  if (next.close !== null) {
    candle.open ??= next.open
    candle.high = known(max, candle.high, next.high)
    candle.low = known(min, candle.low, next.low)
    candle.close = next.close
    candle.volumeWei = known(sum, candle.volumeWei, next.volumeWei)
  }
  if (next.closeQuote !== null) {
    candle.openQuote ??= next.openQuote
    candle.highQuote = known(max, candle.highQuote, next.highQuote)
    candle.lowQuote = known(min, candle.lowQuote, next.lowQuote)
    candle.closeQuote = next.closeQuote
    candle.volumeQuote = known(sum, candle.volumeQuote, next.volumeQuote)
  }
  if (next.closeUsd === null) return
  candle.openUsd ??= next.openUsd
  candle.highUsd = known(max, candle.highUsd, next.highUsd)
  candle.lowUsd = known(min, candle.lowUsd, next.lowUsd)
  candle.closeUsd = next.closeUsd
  candle.volumeUsd = known(add, candle.volumeUsd, next.volumeUsd)
  candle.tradesUsd += next.tradesUsd
}

function sum(a: bigint, b: bigint): bigint {
  return a + b
}

/** Combines two values by `of` if both are known, else returns the known one. */
function known<Value>(of: (a: Value, b: Value) => Value, a: Value | null, b: Value | null): Value | null {
  return a === null || b === null ? (a ?? b) : of(a, b)
}
