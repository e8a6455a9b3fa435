import { CANDLE_INTERVALS } from '#domain/candle.ts'
import { add, type Decimal, max, min, multiply, units } from '#domain/decimal.ts'
import type { CandleRow } from '#tables/candle.ts'
import type { TradeRow } from '#tables/trade.ts'
import type { Mutable, PricedTrade } from './draft.ts'

const WETH_DECIMALS = 18

/** A token's trades, in order, as candles of every interval. A trade without a price is in none. */
export function foldCandles(trades: readonly PricedTrade[]): readonly CandleRow[] {
  const singles = trades.flatMap(({ trade, priceWeth }) => (priceWeth === null ? [] : [candleOf(trade, priceWeth)]))
  return Object.values(CANDLE_INTERVALS).flatMap(intervalSeconds => {
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

/** The candle of one trade, of no interval. */
function candleOf({ token, timestamp, amountWei, ethUsd }: TradeRow, price: Decimal): CandleRow {
  const volumeWei = amountWei ?? 0n
  const usd = ethUsd === null ? null : multiply(price, ethUsd)
  return {
    time: timestamp,
    token,
    intervalSeconds: 0,
    open: price,
    high: price,
    low: price,
    close: price,
    volumeWei,
    trades: 1,
    openUsd: usd,
    highUsd: usd,
    lowUsd: usd,
    closeUsd: usd,
    volumeUsd: ethUsd === null ? null : multiply(units(volumeWei, WETH_DECIMALS), ethUsd),
    tradesUsd: ethUsd === null ? 0 : 1,
  }
}

/** As the commit merges a candle into a stored one (`candle.ts` of `tables`). */
function extend(candle: Mutable<CandleRow>, next: CandleRow): void {
  candle.high = max(candle.high, next.high)
  candle.low = min(candle.low, next.low)
  candle.close = next.close
  candle.volumeWei += next.volumeWei
  candle.trades += next.trades
  if (next.openUsd === null) return
  candle.openUsd ??= next.openUsd
  candle.highUsd = known(max, candle.highUsd, next.highUsd)
  candle.lowUsd = known(min, candle.lowUsd, next.lowUsd)
  candle.closeUsd = next.closeUsd
  candle.volumeUsd = known(add, candle.volumeUsd, next.volumeUsd)
  candle.tradesUsd += next.tradesUsd
}

/** Of two values, or the one that is known. */
function known(of: (a: Decimal, b: Decimal) => Decimal, a: Decimal | null, b: Decimal | null): Decimal | null {
  return a === null || b === null ? (a ?? b) : of(a, b)
}
