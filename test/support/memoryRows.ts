import type { Address } from '#domain/address.ts'
import { balancesOf, type Changes, type CurrentRows, creatorFeeKey } from '#domain/changes.ts'
import { add, max } from '#domain/decimal.ts'
import type { CandleDelta, TradeRow } from '#domain/tokenState.ts'
import { perWindow, WINDOW_SECONDS } from '#domain/windows.ts'

/** The tables that projection reads and writes, as maps: a simple model of the database. */
export interface MemoryRows {
  load(now: number): CurrentRows
  write(changes: Changes): void
  readonly tables: {
    readonly tokens: Map<Address, Changes['tokens'][number]>
    readonly pools: Map<string, Changes['pools'][number]>
    readonly balances: Map<string, Changes['balances'][number]>
    readonly creatorFees: Map<string, Changes['creatorFees'][number]>
    readonly trades: TradeRow[]
    readonly candles: Map<string, CandleDelta>
  }
}

export function memoryRows(): MemoryRows {
  const tables: MemoryRows['tables'] = {
    tokens: new Map(),
    pools: new Map(),
    balances: new Map(),
    creatorFees: new Map(),
    trades: [],
    candles: new Map(),
  }
  const agingOf = (token: Address, was: number, now: number) => {
    const trades = tables.trades.filter(trade => trade.token === token)
    return perWindow(name => {
      const length = WINDOW_SECONDS[name]
      const left = trades.filter(trade => trade.timestamp > was - length && trade.timestamp <= now - length)
      return {
        leaving: {
          volumeWei: left.reduce((sum, trade) => sum + (trade.amountWei ?? 0n), 0n),
          buys: left.filter(trade => trade.side === 'buy').length,
          sells: left.filter(trade => trade.side === 'sell').length,
        },
        oldestAt: trades.find(trade => trade.timestamp > now - length)?.timestamp ?? null,
        referencePrice: trades.findLast(trade => trade.timestamp <= now - length && trade.priceAfterWeth !== null)?.priceAfterWeth ?? null,
      }
    })
  }
  return {
    tables,
    load: now => ({
      tokens: new Map(tables.tokens),
      pools: new Map(tables.pools) as CurrentRows['pools'],
      balances: balancesOf(tables.balances.values()),
      creatorFees: new Map(tables.creatorFees),
      aging: new Map([...tables.tokens.values()].map(token => [token.address, agingOf(token.address, token.windowsAt, now)])),
    }),
    write: changes => {
      for (const token of changes.tokens) tables.tokens.set(token.address, token)
      for (const pool of changes.pools) tables.pools.set(pool.address, pool)
      for (const balance of changes.balances) tables.balances.set(`${balance.token}${balance.holder}`, balance)
      for (const fee of changes.creatorFees) tables.creatorFees.set(creatorFeeKey(fee), fee)
      tables.trades.push(...changes.trades)
      for (const candle of changes.candles) {
        const key = `${candle.token} ${candle.intervalSeconds} ${candle.time}`
        const stored = tables.candles.get(key)
        tables.candles.set(key, stored === undefined ? candle : merged(stored, candle))
      }
    },
  }
}

function merged(stored: CandleDelta, delta: CandleDelta): CandleDelta {
  return {
    ...stored,
    high: max(stored.high, delta.high),
    low: stored.low < delta.low ? stored.low : delta.low,
    close: delta.close,
    volumeWei: stored.volumeWei + delta.volumeWei,
    trades: stored.trades + delta.trades,
    usd:
      stored.usd === null || delta.usd === null
        ? (stored.usd ?? delta.usd)
        : {
            open: stored.usd.open,
            high: max(stored.usd.high, delta.usd.high),
            low: stored.usd.low < delta.usd.low ? stored.usd.low : delta.usd.low,
            close: delta.usd.close,
            volume: add(stored.usd.volume, delta.usd.volume),
            trades: stored.usd.trades + delta.usd.trades,
          },
  }
}
