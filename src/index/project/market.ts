import type { Address, Hex } from '#domain/address.ts'
import { type Decimal, max, multiply, ONE, percentChange, units } from '#domain/decimal.ts'
import { getOrInsert } from '#domain/maps.ts'
import { sqrtPriceAtTick, tradePrice, WETH_DECIMALS } from '#domain/prices.ts'
import {
  EMPTY_AGING,
  NO_LAST_TRADES,
  type PerWindow,
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
import { pairAmounts } from '#launchpads/pools/poolTrade.ts'
import type { PoolFacts, TokenEvent, TokenEventOf } from '#launchpads/tokenEvent.ts'
import { nullsOf } from '#tables/columns.ts'
import { POOL, type PoolRow } from '#tables/pool.ts'
import type { TokenRow } from '#tables/token.ts'
import type { TradeRow } from '#tables/trade.ts'
import {
  currentPool,
  type Draft,
  draftPool,
  draftTick,
  type Move,
  type Mutable,
  type PricePoint,
  type TokenDraft,
  ticksOf,
} from './draft.ts'
import { ethUsdOf, isQuotedInEther, liquidityOf, priceAt, type Rates, ratesOf, type Valuation, valueMarket, weiAt } from './values.ts'

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

const NOTHING_KNOWN = nullsOf(POOL)

/** The row of a pool without events. */
export function newPool({ positionId, ...facts }: PoolFacts, token: Address, launchpad: string, createdBlock: number): Mutable<PoolRow> {
  return { ...NOTHING_KNOWN, ...facts, token, launchpad, positionId: positionId ?? null, createdBlock }
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

/*
 * The reserves of a Uniswap v4 pool. The PoolManager holds the tokens of all pools together, and a swap's amounts include fees, which leave
 * the pool without an event. But every position is in an event, and the amounts in positions follow from the price. A move of the price
 * takes one step per tick in between, for which its swap had to pay gas, too.
 */

type PoolChanged = TokenEventOf<'poolChanged'>

/** Amounts are in 2^-160 of the smallest units, where each is a whole number, and equal amounts that come and go cancel out. */
const FRACTION_BITS = 160n

/** Applies an event to a pool's positions and reserves. To be called with the pool as it was before the event. */
function changePositions(draft: Draft, pool: Mutable<PoolRow>, { concentrated, liquidityChange }: PoolChanged): void {
  if (pool.type !== 'uniswap-v4') return
  if (liquidityChange !== null) addPosition(draft, pool, liquidityChange)
  if (concentrated !== null) moveTo(draft, pool, concentrated)
  pool.reserveToken = pool.positionsToken === null ? null : pool.positionsToken >> FRACTION_BITS
  pool.reserveQuote = pool.positionsQuote === null ? null : pool.positionsQuote >> FRACTION_BITS
}

function addPosition(
  draft: Draft,
  pool: Mutable<PoolRow>,
  { amount, tickLower, tickUpper }: NonNullable<PoolChanged['liquidityChange']>,
): void {
  if (pool.positionsQuote === null || pool.sqrtPriceX96 === null) return forget(pool)
  const [lower, upper] = [sqrtPriceAtTick(tickLower), sqrtPriceAtTick(tickUpper)]
  const at = pool.sqrtPriceX96 < lower ? lower : pool.sqrtPriceX96 > upper ? upper : pool.sqrtPriceX96
  add(pool, amountsBetween(at, upper, amount).amount0, amountsBetween(lower, at, amount).amount1)
  draftTick(draft, pool.address, tickLower).liquidity += amount
  draftTick(draft, pool.address, tickUpper).liquidity -= amount
}

function moveTo(draft: Draft, pool: Mutable<PoolRow>, to: NonNullable<PoolChanged['concentrated']>): void {
  const { sqrtPriceX96, tick } = pool
  if (sqrtPriceX96 === null || tick === null) {
    // Only the event that initialises a pool has no liquidity. A pool that was initialised before it was known may have other positions.
    if (to.liquidity !== null) return forget(pool)
    pool.positionsToken = 0n
    pool.positionsQuote = 0n
  }
  if (sqrtPriceX96 === null || tick === null || pool.positionsQuote === null) return
  let at = sqrtPriceX96
  let liquidity = pool.liquidity ?? 0n
  let [amount0, amount1] = [0n, 0n]
  const advance = (next: bigint) => {
    const moved = amountsBetween(at, next, liquidity)
    amount0 -= moved.amount0
    amount1 += moved.amount1
    at = next
  }
  for (const crossed of crossedTicks(draft, pool.address, tick, to.tick)) {
    advance(sqrtPriceAtTick(crossed.tick))
    liquidity += to.tick > tick ? crossed.liquidity : -crossed.liquidity
  }
  advance(to.sqrtPriceX96)
  // Another liquidity than the event's means that some positions are not known.
  if (to.liquidity !== null && to.liquidity !== liquidity) return forget(pool)
  add(pool, amount0, amount1)
}

/** The ticks between two ticks, in the order in which the price passes them. A price at a tick has passed it from below. */
function crossedTicks(draft: Draft, pool: Hex, from: number, to: number) {
  if (from === to) return []
  const [low, high] = from < to ? [from, to] : [to, from]
  const crossed = ticksOf(draft, pool).filter(({ tick, liquidity }) => tick > low && tick <= high && liquidity !== 0n)
  return crossed.toSorted((a, b) => (from < to ? a.tick - b.tick : b.tick - a.tick))
}

/** The amounts of liquidity between two prices, which are square roots (Uniswap v3 whitepaper, 6.29 and 6.30). */
function amountsBetween(a: bigint, b: bigint, liquidity: bigint): { readonly amount0: bigint; readonly amount1: bigint } {
  return { amount0: liquidity * (inverse(a) - inverse(b)), amount1: (liquidity * (b - a)) << (FRACTION_BITS - 96n) }
}

function inverse(sqrtPriceX96: bigint): bigint {
  return (1n << (FRACTION_BITS + 96n)) / sqrtPriceX96
}

function add(pool: Mutable<PoolRow>, amount0: bigint, amount1: bigint): void {
  const { token, quote } = pairAmounts(pool, amount0, amount1)
  pool.positionsToken = (pool.positionsToken ?? 0n) + token
  pool.positionsQuote = (pool.positionsQuote ?? 0n) + quote
}

/** Makes the pool's reserves unknown for good. */
function forget(pool: Mutable<PoolRow>): void {
  pool.positionsToken = null
  pool.positionsQuote = null
}

/** The prices of a token's market before an event. */
export interface PricesBefore {
  readonly weth: Decimal | null
  readonly quote: Decimal | null
}

export function pricesBefore({ eventPriceWeth, priceQuote }: TokenDraft): PricesBefore {
  return { weth: eventPriceWeth, quote: priceQuote }
}

/**
 * Values the market after a change of its main pool, and notes a point when a price has moved. The first price is no move: the first candle
 * opens at it.
 */
export function movePrice(draft: Draft, token: TokenDraft, before: PricesBefore, timestamp: number, valuation: Valuation): void {
  valueMarket(draft, token, valuation)
  if (hasMoved(before.quote, token.priceQuote) || hasMoved(before.weth, token.eventPriceWeth)) {
    notePoint(draft, token, before, { timestamp, trades: 0, volumeToken: 0n, volumeWei: 0n, volumeQuote: 0n }, valuation)
  }
}

function hasMoved(before: Decimal | null, after: Decimal | null): boolean {
  return before !== null && after !== null && before !== after
}

/** Notes a point for candles. As long as the market has no price, even a trade is no point. */
function notePoint(
  draft: Draft,
  token: TokenDraft,
  before: PricesBefore,
  moment: Pick<PricePoint, 'timestamp' | 'trades' | 'volumeToken' | 'volumeWei' | 'volumeQuote'>,
  valuation: Valuation,
): void {
  const { eventPriceWeth: priceWeth, priceQuote, quoteUsd } = token
  if (priceQuote === null) return
  const { timestamp } = moment
  const last = draft.points.get(token.address)?.at(-1)
  // The change of the pool by a trade was noted just before the trade, which takes over that point.
  if (last?.trades === 0 && last.timestamp === timestamp && before.quote === priceQuote && before.weth === priceWeth) {
    Object.assign(last, moment)
    return
  }
  const ethUsd = ethUsdOf(draft, valuation)
  const point: Mutable<PricePoint> = {
    token: token.address,
    ...moment,
    weth: priceWeth === null ? null : { before: before.weth, after: priceWeth },
    quote: isQuotedInEther(draft, token, valuation) ? null : { before: before.quote, after: priceQuote },
    usd: moveInUsd(token, before, ethUsd),
    ethUsd,
    quoteUsd,
  }
  getOrInsert(draft.points, token.address, () => []).push(point)
  // This never moves back, even if timestamps do: `splitNewRows` relies on it that no candle begins after `lastPriceAt`.
  token.lastPriceAt = Math.max(token.lastPriceAt ?? timestamp, timestamp)
}

/** The move in USD by a peg, or else by the price of ETH at the event. It begins where the newest USD candle closed. */
function moveInUsd(token: TokenDraft, before: PricesBefore, ethUsd: Decimal | null): Move | null {
  const { eventPriceWeth, priceQuote, quoteUsd } = token
  const [was, is, usd] = quoteUsd === null ? [before.weth, eventPriceWeth, ethUsd] : [before.quote, priceQuote, quoteUsd]
  if (is === null || usd === null) return null
  const move = { before: token.closeUsd ?? (was === null ? null : multiply(was, usd)), after: multiply(is, usd) }
  token.closeUsd = move.after
  const high = max(move.before ?? move.after, move.after)
  token.athPriceUsd = token.athPriceUsd === null ? high : max(token.athPriceUsd, high)
  return move
}

/** Notes the log that announces a new pool. An earlier log of the pool in the same block takes its place (`noteEarlierLog`). */
export function noteCreation(draft: Draft, pool: Hex, { blockNumber, logIndex, txHash, txIndex, timestamp }: TokenEvent): void {
  draft.poolCreations.set(pool, { pool, blockNumber, logIndex, txHash, txIndex, timestamp })
}

/** Notes a log of a new pool before its announcement: launchpads announce a pool after its first price, liquidity and buy. */
function noteEarlierLog(draft: Draft, pool: Hex, event: TokenEvent): void {
  const creation = draft.poolCreations.get(pool)
  if (creation?.blockNumber === event.blockNumber && event.logIndex < creation.logIndex) noteCreation(draft, pool, event)
}

/** Adds a join or an exit. The event's pool change is applied already. */
export function applyJoinExit(draft: Draft, token: TokenDraft, event: TokenEventOf<'joinExit'>): void {
  const pool = currentPool(draft, event.pool)
  if (pool?.token !== token.address) return
  const { maker, amountToken, amountQuote } = event
  noteJoinExit(draft, pool, event, { maker, amountToken, amountQuote })
}

/** Empties a curve whose token graduates: the curve emits no event for the amounts that leave it. */
export function emptyCurve(draft: Draft, token: TokenDraft, curve: Mutable<PoolRow>, event: TokenEventOf<'migrated'>): void {
  const [amountToken, amountQuote] = [-(curve.reserveToken ?? 0n), -(curve.reserveQuote ?? 0n)]
  if (curve.reserveToken !== null) curve.reserveToken = 0n
  if (curve.reserveQuote !== null) curve.reserveQuote = 0n
  const last = draft.trades.get(token.address)?.findLast(({ pool }) => pool === curve.address)
  if (last?.blockNumber === event.blockNumber && last.logIndex === event.logIndex) {
    // One log is both: the buy that graduates the token leaves the curve empty.
    Object.assign(last, { reserveToken: curve.reserveToken, reserveQuote: curve.reserveQuote })
  } else if (amountToken !== 0n || amountQuote !== 0n) {
    noteJoinExit(draft, curve, event, { maker: token.creator, amountToken, amountQuote })
  }
}

function noteJoinExit(
  draft: Draft,
  { address: pool, reserveToken, reserveQuote }: PoolRow,
  { blockNumber, logIndex, txHash, txIndex, timestamp }: TokenEvent,
  moved: Pick<TokenEventOf<'joinExit'>, 'maker' | 'amountToken' | 'amountQuote'>,
): void {
  draft.joinExits.push({ blockNumber, logIndex, pool, ...moved, reserveToken, reserveQuote, txHash, txIndex, timestamp })
}
