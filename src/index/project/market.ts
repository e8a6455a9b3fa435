import { type Address, isEther } from '#domain/address.ts'
import { type Decimal, max, multiply, percentChange, units } from '#domain/decimal.ts'
import type { PerWindow } from '#domain/token.ts'
import { tradePrice } from '#domain/tradePrice.ts'
import {
  EMPTY_AGING,
  perWindow,
  type RolledWindows,
  rollWindows,
  WINDOW_FIELDS,
  WINDOW_NAMES,
  WINDOW_SECONDS,
  type WindowReference,
  type WindowTotals,
} from '#domain/windows.ts'
import type { TokenEventOf } from '#launchpads/tokenEvent.ts'
import type { PoolRow } from '#tables/pool.ts'
import type { TokenRow } from '#tables/token.ts'
import type { TradeRow } from '#tables/trade.ts'
import { type Draft, draftPool, type TokenDraft } from './draft.ts'

export function applyPoolChange(draft: Draft, token: TokenDraft, event: TokenEventOf<'poolChanged'>, weth: Address): void {
  const pool = draftPool(draft, event.pool)
  if (pool === undefined || pool.token !== token.address) return
  pool.lastChangedBlock = event.blockNumber
  const { reserves, concentrated, liquidityChange } = event
  if (reserves?.mode === 'set') {
    pool.reserveToken = reserves.token
    pool.reserveQuote = reserves.quote
  } else if (reserves?.mode === 'move') {
    pool.reserveToken = (pool.reserveToken ?? 0n) + reserves.token
    pool.reserveQuote = (pool.reserveQuote ?? 0n) + reserves.quote
  }
  if (concentrated !== null) {
    pool.sqrtPriceX96 = concentrated.sqrtPriceX96
    pool.tick = concentrated.tick
    pool.liquidity = concentrated.liquidity ?? pool.liquidity ?? 0n
  }
  if (liquidityChange !== null && pool.tick !== null && liquidityChange.tickLower <= pool.tick && pool.tick < liquidityChange.tickUpper) {
    pool.liquidity = (pool.liquidity ?? 0n) + liquidityChange.amount
  }
  if (event.price !== null && isEther(pool.quoteToken, weth)) {
    pool.priceWeth = event.price
    if (pool.address === token.mainPool) notePrice(token, event.price)
    // A pool that gets its first liquidity after the graduation opens with it.
    if (pool.address === token.graduatedPool) token.graduatedPriceWeth ??= event.price
  }
}

/** Whether the token's main pool is paid in ether; `false` before there is one. */
export function isQuotedInEther(draft: Draft, { mainPool }: TokenDraft, weth: Address): boolean {
  const pool = mainPool === null ? undefined : draftPool(draft, mainPool)
  return pool !== undefined && isEther(pool.quoteToken, weth)
}

/** Takes a price of the token's market: the present one, the first, and the highest. */
export function notePrice(token: TokenDraft, priceWeth: Decimal | null): void {
  if (priceWeth === null) return
  token.priceWeth = priceWeth
  noteTradedPrice(token, priceWeth)
}

function noteTradedPrice(token: TokenDraft, priceWeth: Decimal): void {
  token.firstPriceWeth ??= priceWeth
  token.athPriceWeth = token.athPriceWeth === null ? priceWeth : max(token.athPriceWeth, priceWeth)
}

/** Adds a trade of any of the token's pools. The event's pool change is applied already. */
export function applyTrade(
  draft: Draft,
  token: TokenDraft,
  event: TokenEventOf<'trade'>,
  { ethUsd, weth }: { readonly ethUsd: Decimal | null; readonly weth: Address },
): void {
  const pool = draftPool(draft, event.pool)
  const inEther = pool !== undefined && isEther(pool.quoteToken, weth)
  const priceWeth = inEther ? (tradePrice(event, token.decimals) ?? pool.priceWeth) : null
  if (priceWeth !== null && event.pool === token.mainPool) noteTradedPrice(token, priceWeth)
  const { amountToken, amountQuote, feeQuote, maker, phase, side, blockNumber, blockHash, txHash, logIndex, timestamp } = event
  const trade: TradeRow = {
    token: token.address,
    pool: event.pool,
    phase,
    side,
    maker,
    amountToken,
    amountWei: inEther ? amountQuote : null,
    feeWei: inEther ? feeQuote : null,
    priceWeth,
    priceAfterWeth: token.priceWeth,
    ethUsd,
    blockNumber,
    blockHash,
    txHash,
    logIndex,
    timestamp,
  }
  const priced = { trade, priceWeth: event.pool === token.mainPool ? priceWeth : token.priceWeth }
  const trades = draft.trades.get(token.address)
  if (trades === undefined) draft.trades.set(token.address, [priced])
  else trades.push(priced)
  token.tradeCount += 1
  // Never back, even if a provider's timestamps go back: splitNewRows relies on no candle beginning after this.
  token.lastTradeAt = Math.max(token.lastTradeAt ?? timestamp, timestamp)
}

/** Brings what follows from the rest up to date: the windows as of `now`, market cap and liquidity. */
export function settleToken(draft: Draft, token: TokenDraft, now: number, weth: Address): void {
  const newTrades = (draft.trades.get(token.address) ?? []).map(({ trade }) => trade)
  const aging = draft.rows.aging.get(token.address) ?? perWindow(() => EMPTY_AGING)
  setWindows(token, rollWindows(windowTotals(token), aging, newTrades, now), now)
  token.windowsAt = now
  token.marketCapWeth = token.priceWeth === null ? null : multiply(token.priceWeth, units(token.totalSupply, token.decimals))
  const pool = token.mainPool === null ? undefined : (draft.pools.get(token.mainPool) ?? draft.rows.pools.get(token.mainPool))
  if (pool !== undefined) token.liquidityWeth = liquidityOf(pool, token.decimals, weth)
}

function windowTotals(token: TokenRow): PerWindow<WindowTotals> {
  return perWindow(window => {
    const { volume, buys, sells } = WINDOW_FIELDS[window]
    return { volumeWei: token[volume], buys: token[buys], sells: token[sells] }
  })
}

/** The token's prices must be up to date. */
function setWindows(token: TokenDraft, { windows, reference, windowsExpireAt }: RolledWindows, now: number): void {
  for (const window of WINDOW_NAMES) {
    const fields = WINDOW_FIELDS[window]
    const { volumeWei, buys, sells } = windows[window]
    token[fields.volume] = volumeWei
    token[fields.buys] = buys
    token[fields.sells] = sells
    const price = priceAtStart(token, reference[window], now - WINDOW_SECONDS[window])
    token[fields.referencePrice] = price
    token[fields.priceChange] = changeFrom(price ?? token.firstPriceWeth, token.priceWeth)
  }
  const { migratedAt } = token
  const leavings = migratedAt === null ? [] : WINDOW_NAMES.map(window => migratedAt + WINDOW_SECONDS[window]).filter(time => time > now)
  const times = windowsExpireAt === null ? leavings : [...leavings, windowsExpireAt]
  token.windowsExpireAt = times.length === 0 ? null : Math.min(...times)
}

/**
 * The market's price at a window's start. Trades move it, and so does a graduation, whose pool may open at another price than the curve
 * ended with.
 */
function priceAtStart(token: TokenDraft, reference: WindowReference | null, start: number): Decimal | null {
  const { migratedAt, graduatedPool, graduatedPriceWeth } = token
  const isOfCurve = migratedAt !== null && (reference === null || (reference.timestamp <= migratedAt && reference.pool !== graduatedPool))
  if (isOfCurve && migratedAt <= start && graduatedPriceWeth !== null) return graduatedPriceWeth
  return reference?.priceWeth ?? null
}

function changeFrom(before: Decimal | null, now: Decimal | null): number | null {
  return before === null || now === null ? null : percentChange(before, now)
}

/** In WETH: both sides of a pool at its price; of a curve only the ETH. `null` when the pool is not quoted in WETH. */
export function liquidityOf(pool: PoolRow, tokenDecimals: number, weth: Address): Decimal | null {
  if (pool.reserveQuote === null || pool.quoteToken !== weth) return null
  const quote = units(pool.reserveQuote, pool.quoteDecimals)
  if (pool.type === 'curve') return quote
  if (pool.priceWeth === null || pool.reserveToken === null) return null
  return (quote + multiply(pool.priceWeth, units(pool.reserveToken, tokenDecimals))) as Decimal
}
