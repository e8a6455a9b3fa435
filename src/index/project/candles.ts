import { CANDLE_INTERVALS } from '#domain/candle.ts'
import { add, type Decimal, max, multiply, units } from '#domain/decimal.ts'
import type { CandleDelta, TradeRow } from '#domain/tokenState.ts'

/** A trade with the price that candles take from it: its own in the token's main pool, the main pool's price at that moment in another pool. */
export interface PricedTrade {
  readonly trade: TradeRow
  readonly priceWeth: Decimal | null
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
type UsdPart = NonNullable<CandleDelta['usd']>

const WETH_DECIMALS = 18

/** A token's trades, in order, as candles of every interval. A trade without a price is in none. */
export function foldCandles(trades: readonly PricedTrade[]): readonly CandleDelta[] {
  const priced = trades.flatMap(({ trade, priceWeth }) =>
    priceWeth === null ? [] : [{ trade, priceWeth, usd: usdPart(trade, priceWeth) }],
  )
  return Object.values(CANDLE_INTERVALS).flatMap(intervalSeconds => {
    const candles = new Map<number, Mutable<CandleDelta>>()
    let candle: Mutable<CandleDelta> | undefined
    for (const { trade, priceWeth, usd } of priced) {
      const time = trade.timestamp - (trade.timestamp % intervalSeconds)
      if (candle?.time !== time) candle = candles.get(time)
      if (candle === undefined) {
        const { token, amountWei } = trade
        const volumeWei = amountWei ?? 0n
        candle = {
          token,
          intervalSeconds,
          time,
          open: priceWeth,
          high: priceWeth,
          low: priceWeth,
          close: priceWeth,
          volumeWei,
          trades: 1,
          usd,
        }
        candles.set(time, candle)
      } else extend(candle, trade, priceWeth, usd)
    }
    return [...candles.values()]
  })
}

function extend(candle: Mutable<CandleDelta>, trade: TradeRow, price: Decimal, usd: UsdPart | null): void {
  candle.high = max(candle.high, price)
  candle.low = min(candle.low, price)
  candle.close = price
  candle.volumeWei += trade.amountWei ?? 0n
  candle.trades += 1
  if (usd === null) return
  candle.usd =
    candle.usd === null
      ? usd
      : {
          open: candle.usd.open,
          high: max(candle.usd.high, usd.high),
          low: min(candle.usd.low, usd.low),
          close: usd.close,
          volume: add(candle.usd.volume, usd.volume),
          trades: candle.usd.trades + usd.trades,
        }
}

function usdPart(trade: TradeRow, priceWeth: Decimal): UsdPart | null {
  if (trade.ethUsd === null) return null
  const price = multiply(priceWeth, trade.ethUsd)
  const volume = multiply(units(trade.amountWei ?? 0n, WETH_DECIMALS), trade.ethUsd)
  return { open: price, high: price, low: price, close: price, volume, trades: 1 }
}

function min(a: Decimal, b: Decimal): Decimal {
  return a < b ? a : b
}
