import type { Address } from '#domain/address.ts'
import { type Decimal, multiply, ONE, percentChange, units } from '#domain/decimal.ts'
import { getOrInsert } from '#domain/getOrInsert.ts'
import type { PerWindow } from '#domain/token.ts'
import { tradePrice } from '#domain/tradePrice.ts'
import { WETH_DECIMALS } from '#domain/weth.ts'
import {
  EMPTY_AGING,
  NO_LAST_TRADES,
  perWindow,
  type RolledWindows,
  rollWindows,
  WINDOW_FIELDS,
  WINDOW_NAMES,
  WINDOW_SECONDS,
  type WindowReference,
  type WindowTotals,
} from '#domain/windows.ts'
import type { LogSourceOf } from '#launchpads/logSource.ts'
import type { PoolFacts, TokenEventOf } from '#launchpads/tokenEvent.ts'
import type { PoolRow } from '#tables/pool.ts'
import type { TokenRow } from '#tables/token.ts'
import type { TradeRow } from '#tables/trade.ts'
import { currentPool, type Draft, draftPool, type Mutable, type TokenDraft } from './draft.ts'
import { noteEarlierLog } from './poolEvents.ts'
import { changePositions } from './positions.ts'
import { movePrice, notePoint, pricesBefore } from './pricePoints.ts'
import { ethUsdOf, liquidityOf, priceAt, type Rates, ratesOf, type Valuation, valueMarket, weiAt } from './values.ts'

export function applyPoolChange(draft: Draft, token: TokenDraft, event: TokenEventOf<'poolChanged'>, valuation: Valuation): void {
  const pool = draftPool(draft, event.pool)
  if (pool === undefined || pool.token !== token.address) return
  changePositions(draft, pool, event)
  changePool(pool, event)
  noteEarlierLog(draft, pool.address, event)
  if (pool.address !== token.mainPool) return
  movePrice(draft, token, pricesBefore(token), event.timestamp, valuation)
  // A graduated pool may get its first price only after the graduation.
  if (pool.address === token.graduatedPool) token.graduatedPriceWeth ??= token.priceWeth
}

/**
 * Applies a change of a pool that prices a quote currency. The reserves of most are not known, since the pool is older than the index. So
 * all but pairs, which tell theirs, are compared by the liquidity at their price.
 */
export function applyQuotePool(
  draft: Draft,
  { token, launchpad, pool }: LogSourceOf<'quotePool'>,
  event: TokenEventOf<'poolChanged'>,
): void {
  const known = draftPool(draft, pool.address)
  const row = known ?? newPool(pool, token, launchpad, event.blockNumber)
  if (known === undefined) draft.pools.set(pool.address, row)
  changePool(row, pool.type === 'uniswap-v2' ? event : { ...event, reserves: null })
}

/** The row of a pool without events. */
export function newPool({ positionId, ...facts }: PoolFacts, token: Address, launchpad: string, createdBlock: number): Mutable<PoolRow> {
  return {
    ...facts,
    token,
    launchpad,
    reserveToken: null,
    reserveQuote: null,
    positionsToken: null,
    positionsQuote: null,
    sqrtPriceX96: null,
    tick: null,
    liquidity: null,
    price: null,
    positionId: positionId ?? null,
    createdBlock,
    lastChangedBlock: null,
  }
}

function changePool(pool: Mutable<PoolRow>, event: TokenEventOf<'poolChanged'>): void {
  pool.lastChangedBlock = event.blockNumber
  const { reserves, concentrated, liquidityChange } = event
  if (reserves?.mode === 'set') {
    pool.reserveToken = reserves.token
    pool.reserveQuote = reserves.quote
  } else if (reserves?.mode === 'move') {
    pool.reserveToken = movedBy(pool.reserveToken, reserves.token)
    pool.reserveQuote = movedBy(pool.reserveQuote, reserves.quote)
  }
  if (concentrated !== null) {
    pool.sqrtPriceX96 = concentrated.sqrtPriceX96
    pool.tick = concentrated.tick
    pool.liquidity = concentrated.liquidity ?? pool.liquidity ?? 0n
  }
  if (liquidityChange !== null && pool.tick !== null && liquidityChange.tickLower <= pool.tick && pool.tick < liquidityChange.tickUpper) {
    pool.liquidity = (pool.liquidity ?? 0n) + liquidityChange.amount
  }
  pool.price = event.price ?? pool.price
}

/** A pool that pays out more than it was seen to get has held something before, so that what it holds is not known. */
function movedBy(reserve: bigint | null, amount: bigint): bigint | null {
  if (reserve === null || reserve + amount < 0n) return null
  return reserve + amount
}

const UNKNOWN_RATES: Rates = { weth: null, usd: null }

/** Adds a trade of any of the token's pools. The event's pool change is applied already. */
export function applyTrade(draft: Draft, token: TokenDraft, event: TokenEventOf<'trade'>, valuation: Valuation): Mutable<TradeRow> {
  const pool = draftPool(draft, event.pool)
  const before = pricesBefore(token)
  valueMarket(draft, token, valuation)
  const { weth: rate, usd } = pool === undefined ? UNKNOWN_RATES : ratesOf(draft, pool.quoteToken, valuation)
  const isInEther = rate === ONE
  const { amountToken, amountQuote, feeQuote, maker, phase, side, blockNumber, blockHash, txHash, txIndex, logIndex, timestamp } = event
  const poolPrice = pool?.price ?? null
  const averagePrice = tradePrice(event, token.decimals) ?? poolPrice
  const trade: Mutable<TradeRow> = {
    token: token.address,
    pool: event.pool,
    phase,
    side,
    maker,
    amountToken,
    amountQuote: isInEther ? null : amountQuote,
    feeQuote: isInEther ? null : feeQuote,
    amountWei: weiAt(amountQuote, rate),
    feeWei: weiAt(feeQuote, rate),
    priceWeth: priceAt(averagePrice, rate),
    priceAfterWeth: token.priceWeth,
    poolPrice: poolPrice === token.priceWeth ? null : poolPrice,
    reserveToken: pool?.reserveToken ?? null,
    reserveQuote: pool?.reserveQuote ?? null,
    ethUsd: ethUsdOf(draft, valuation),
    priceUsd: priceAt(averagePrice, usd),
    valueUsd: priceAt(units(amountQuote, WETH_DECIMALS), usd),
    // `bookAccount` fills them in.
    realizedWei: null,
    realizedUsd: null,
    blockNumber,
    blockHash,
    txHash,
    txIndex,
    logIndex,
    timestamp,
  }
  noteEarlierLog(draft, event.pool, event)
  getOrInsert(draft.trades, token.address, () => []).push(trade)
  const isOfMarketsCurrency = pool?.quoteToken === currentPool(draft, token.mainPool)?.quoteToken
  const volumeQuote = isOfMarketsCurrency ? amountQuote : 0n
  const volumes = { volumeToken: amountToken, volumeWei: trade.amountWei ?? 0n, volumeQuote }
  notePoint(draft, token, before, { timestamp, trades: 1, ...volumes }, valuation)
  token.tradeCount += 1
  token.lastTradeAt = Math.max(token.lastTradeAt ?? timestamp, timestamp)
  return trade
}

/** Updates the values that follow from others: the windows, as of the block's time, the market cap and the liquidity. */
export function updateDerivedValues(draft: Draft, token: TokenDraft, blockTime: number): void {
  const newTrades = draft.trades.get(token.address) ?? []
  // Windows never move back, even if timestamps do: trades that have left a window would leave it again.
  const now = Math.max(blockTime, token.windowsAt)
  const stored = {
    aging: draft.rows.aging.get(token.address) ?? perWindow(() => EMPTY_AGING),
    lastTrades: draft.rows.lastTrades.get(token.address) ?? NO_LAST_TRADES,
  }
  setWindows(token, rollWindows({ totals: windowTotals(token), at: token.windowsAt }, stored, newTrades, now), now)
  token.windowsAt = now
  token.marketCapWeth = token.priceWeth === null ? null : multiply(token.priceWeth, units(token.totalSupply, token.decimals))
  const pool = currentPool(draft, token.mainPool)
  if (pool !== undefined) token.liquidityWeth = liquidityOf(pool, token.quoteRate)
}

function windowTotals(token: TokenRow): PerWindow<WindowTotals> {
  return perWindow(window => {
    const { volume, buyVolume, buys, sells, buyers, sellers } = WINDOW_FIELDS[window]
    return {
      volumeWei: token[volume],
      buyVolumeWei: token[buyVolume],
      buys: token[buys],
      sells: token[sells],
      buyers: token[buyers],
      sellers: token[sellers],
    }
  })
}

/** Sets the token's windows. Its prices must be up to date. */
function setWindows(token: TokenDraft, { windows, reference, windowsExpireAt }: RolledWindows, now: number): void {
  for (const window of WINDOW_NAMES) {
    const fields = WINDOW_FIELDS[window]
    const { volumeWei, buyVolumeWei, buys, sells, buyers, sellers } = windows[window]
    token[fields.volume] = volumeWei
    token[fields.buyVolume] = buyVolumeWei
    token[fields.buys] = buys
    token[fields.sells] = sells
    token[fields.buyers] = buyers
    token[fields.sellers] = sellers
    const price = priceAtStart(token, reference[window], now - WINDOW_SECONDS[window])
    token[fields.referencePrice] = price
    token[fields.priceChange] = changeFrom(price ?? token.firstPriceWeth, token.eventPriceWeth)
  }
  const { migratedAt } = token
  const leavings = migratedAt === null ? [] : WINDOW_NAMES.map(window => migratedAt + WINDOW_SECONDS[window]).filter(time => time > now)
  const times = windowsExpireAt === null ? leavings : [...leavings, windowsExpireAt]
  token.windowsExpireAt = times.length === 0 ? null : Math.min(...times)
}

/** The market's price at a window's start. A graduation moves it like a trade: the pool may open at another price than the curve's last. */
function priceAtStart(token: TokenDraft, reference: WindowReference | null, start: number): Decimal | null {
  const { migratedAt, graduatedPool, graduatedPriceWeth } = token
  const isOfCurve = migratedAt !== null && (reference === null || (reference.timestamp <= migratedAt && reference.pool !== graduatedPool))
  if (isOfCurve && migratedAt <= start && graduatedPriceWeth !== null) return graduatedPriceWeth
  return reference?.priceWeth ?? null
}

function changeFrom(before: Decimal | null, now: Decimal | null): number | null {
  return before === null || now === null ? null : percentChange(before, now)
}
