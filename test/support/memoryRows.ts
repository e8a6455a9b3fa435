import type { Address } from '#domain/address.ts'
import { creatorFeeKey } from '#domain/claimable.ts'
import { add, max, min } from '#domain/decimal.ts'
import { addLastTrades, NO_LAST_TRADES, perWindow, WINDOW_SECONDS } from '#domain/windows.ts'
import type { CandleRow } from '#tables/candle.ts'
import { balancesOf, type Changes, type CurrentRows } from '#tables/changes.ts'
import type { TradeRow } from '#tables/trade.ts'

/** The tables that projection reads and writes, as maps: a simple model of the database. */
export interface MemoryRows {
  load(now: number): CurrentRows
  write(changes: Changes): void
  readonly tables: {
    readonly tokens: Map<Address, Changes['tokens'][number]>
    readonly pools: Map<string, Changes['pools'][number]>
    readonly ticks: Map<string, Changes['ticks'][number]>
    readonly balances: Map<string, Changes['balances'][number]>
    readonly creatorFees: Map<string, Changes['creatorFees'][number]>
    readonly earlyClasses: Map<string, Changes['earlyClasses'][number]>
    readonly trades: TradeRow[]
    readonly candles: Map<string, CandleRow>
  }
}

/** @param stored rows to begin with, which are copied */
export function memoryRows(stored?: MemoryRows['tables']): MemoryRows {
  const tables: MemoryRows['tables'] = {
    tokens: new Map(stored?.tokens),
    pools: new Map(stored?.pools),
    ticks: new Map(stored?.ticks),
    balances: new Map(stored?.balances),
    creatorFees: new Map(stored?.creatorFees),
    earlyClasses: new Map(stored?.earlyClasses),
    trades: [...(stored?.trades ?? [])],
    candles: new Map(stored?.candles),
  }
  const agingOf = (token: Address, was: number, now: number) => {
    const trades = tables.trades.filter(trade => trade.token === token)
    return perWindow(name => {
      const length = WINDOW_SECONDS[name]
      const left = trades.filter(trade => trade.timestamp > was - length && trade.timestamp <= now - length)
      return {
        leaving: {
          volumeWei: weiOf(left),
          buyVolumeWei: weiOf(left.filter(trade => trade.side === 'buy')),
          buys: left.filter(trade => trade.side === 'buy').length,
          sells: left.filter(trade => trade.side === 'sell').length,
        },
        oldestAt: trades.find(trade => trade.timestamp > now - length)?.timestamp ?? null,
        reference: referenceOf(trades.findLast(trade => trade.timestamp <= now - length && trade.priceAfterWeth !== null)),
      }
    })
  }
  return {
    tables,
    load: now => ({
      tokens: new Map(tables.tokens),
      pools: new Map(tables.pools) as CurrentRows['pools'],
      ticks: new Map(
        [...Map.groupBy(tables.ticks.values(), ({ pool }) => pool)].map(([pool, ofPool]) => [
          pool,
          new Map(ofPool.map(row => [row.tick, row])),
        ]),
      ),
      quotes: new Map(),
      balances: balancesOf(tables.balances.values()),
      creatorFees: new Map(tables.creatorFees),
      aging: new Map([...tables.tokens.values()].map(token => [token.address, agingOf(token.address, token.windowsAt, now)])),
      lastTrades: new Map(
        [...Map.groupBy(tables.trades, ({ token }) => token)].map(([token, made]) => [token, addLastTrades(NO_LAST_TRADES, made)]),
      ),
    }),
    write: changes => {
      for (const token of changes.tokens) tables.tokens.set(token.address, token)
      for (const pool of changes.pools) tables.pools.set(pool.address, pool)
      for (const tick of changes.ticks) tables.ticks.set(`${tick.pool} ${tick.tick}`, tick)
      for (const balance of changes.balances) tables.balances.set(`${balance.token}${balance.holder}`, balance)
      for (const fee of changes.creatorFees) tables.creatorFees.set(creatorFeeKey(fee), fee)
      for (const row of changes.earlyClasses) {
        const key = `${row.token} ${row.class}`
        const { wallets = 0, boughtToken = 0n, soldToken = 0n } = tables.earlyClasses.get(key) ?? {}
        tables.earlyClasses.set(key, {
          ...row,
          wallets: wallets + row.wallets,
          boughtToken: boughtToken + row.boughtToken,
          soldToken: soldToken + row.soldToken,
        })
      }
      tables.trades.push(...changes.trades)
      for (const candle of changes.candles) {
        const key = `${candle.token} ${candle.intervalSeconds} ${candle.time}`
        const stored = tables.candles.get(key)
        tables.candles.set(key, stored === undefined ? candle : merged(stored, candle))
      }
    },
  }
}

function weiOf(trades: readonly TradeRow[]): bigint {
  return trades.reduce((total, { amountWei }) => total + (amountWei ?? 0n), 0n)
}

function merged(stored: CandleRow, delta: CandleRow): CandleRow {
  return {
    ...stored,
    open: stored.open ?? delta.open,
    high: ofKnown(max, stored.high, delta.high),
    low: ofKnown(min, stored.low, delta.low),
    close: delta.close ?? stored.close,
    volumeWei: ofKnown(sum, stored.volumeWei, delta.volumeWei),
    openQuote: stored.openQuote ?? delta.openQuote,
    highQuote: ofKnown(max, stored.highQuote, delta.highQuote),
    lowQuote: ofKnown(min, stored.lowQuote, delta.lowQuote),
    closeQuote: delta.closeQuote ?? stored.closeQuote,
    volumeToken: ofKnown(sum, stored.volumeToken, delta.volumeToken),
    volumeQuote: ofKnown(sum, stored.volumeQuote, delta.volumeQuote),
    trades: stored.trades + delta.trades,
    openUsd: stored.openUsd ?? delta.openUsd,
    highUsd: ofKnown(max, stored.highUsd, delta.highUsd),
    lowUsd: ofKnown(min, stored.lowUsd, delta.lowUsd),
    closeUsd: delta.closeUsd ?? stored.closeUsd,
    volumeUsd: ofKnown(add, stored.volumeUsd, delta.volumeUsd),
    tradesUsd: stored.tradesUsd + delta.tradesUsd,
  }
}

function ofKnown<Value>(merge: (a: Value, b: Value) => Value, a: Value | null, b: Value | null): Value | null {
  return a === null || b === null ? (a ?? b) : merge(a, b)
}

function sum(a: bigint, b: bigint): bigint {
  return a + b
}

function referenceOf(trade: TradeRow | undefined) {
  if (trade === undefined || trade.priceAfterWeth === null) return null
  return { priceWeth: trade.priceAfterWeth, timestamp: trade.timestamp, pool: trade.pool }
}
