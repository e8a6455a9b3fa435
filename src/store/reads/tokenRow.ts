import { sql } from 'kysely'
import { formatUnits } from '#domain/decimal.ts'
import type { GraduationStatus, PerWindow, Pool, PoolType, Token } from '#domain/token.ts'
import { bytesToAddress, toHex } from '#store/rows/bytes.ts'

const WETH_DECIMALS = 18

/** What a statement with `TOKEN_COLUMNS` gives per token: `bigint` and `numeric` as text, so that nothing passes through a float. */
export interface TokenRow {
  readonly address: Buffer
  readonly launchpad: string
  readonly symbol: string | null
  readonly name: string | null
  readonly decimals: number
  readonly total_supply: string
  readonly creator: Buffer
  readonly created_at: string
  readonly created_block: string
  readonly created_tx_hash: Buffer
  readonly metadata_uri: string | null
  readonly image_url: string | null
  readonly description: string | null
  readonly price_weth: string | null
  readonly first_price_weth: string | null
  readonly ath_price_weth: string | null
  readonly market_cap_weth: string | null
  readonly liquidity_weth: string | null
  readonly trade_count: number
  readonly holder_count: number
  readonly last_trade_at: string | null
  readonly volume_m5: string
  readonly volume_h1: string
  readonly volume_h6: string
  readonly volume_h24: string
  readonly buys_m5: number
  readonly buys_h1: number
  readonly buys_h6: number
  readonly buys_h24: number
  readonly sells_m5: number
  readonly sells_h1: number
  readonly sells_h6: number
  readonly sells_h24: number
  readonly price_change_m5: number | null
  readonly price_change_h1: number | null
  readonly price_change_h6: number | null
  readonly price_change_h24: number | null
  readonly creator_fee_bps: number | null
  readonly fees_accrued: string | null
  readonly fees_claimed: string | null
  readonly graduation_status: GraduationStatus
  readonly graduation_percent: number | null
  readonly raised: string | null
  readonly target: string | null
  readonly completed_at: string | null
  readonly migrated_at: string | null
  readonly graduated_pool: Buffer | null
  readonly graduation_tx_hash: Buffer | null
  readonly sequence: string
  readonly as_of_block: string
  readonly updated_at_ms: string
  readonly pool_address: Buffer | null
  readonly pool_type: PoolType | null
  readonly pool_quote_token: Buffer | null
  readonly pool_fee_bps: number | null
  readonly pool_reserve_token: string | null
  readonly pool_reserve_quote: string | null
  readonly pool_sqrt_price_x96: string | null
  readonly pool_tick: number | null
  readonly pool_liquidity: string | null
}

/** The columns of a `TokenRow`, to be selected from `token` left-joined by `MAIN_POOL`. */
export const TOKEN_COLUMNS = sql`token.address, token.launchpad, token.symbol, token.name, token.decimals, token.total_supply, token.creator,
  token.created_at, token.created_block, token.created_tx_hash, token.metadata_uri, token.image_url, token.description,
  token.price_weth, token.first_price_weth, token.ath_price_weth, token.market_cap_weth, token.liquidity_weth,
  token.trade_count, token.holder_count, token.last_trade_at,
  token.volume_m5, token.volume_h1, token.volume_h6, token.volume_h24,
  token.buys_m5, token.buys_h1, token.buys_h6, token.buys_h24, token.sells_m5, token.sells_h1, token.sells_h6, token.sells_h24,
  token.price_change_m5, token.price_change_h1, token.price_change_h6, token.price_change_h24,
  token.creator_fee_bps, token.fees_accrued, token.fees_claimed,
  token.graduation_status, token.graduation_percent, token.raised, token.target, token.completed_at, token.migrated_at,
  token.graduated_pool, token.graduation_tx_hash, token.sequence, token.as_of_block, token.updated_at_ms,
  main_pool.address as pool_address, main_pool.type as pool_type, main_pool.quote_token as pool_quote_token,
  main_pool.fee_bps as pool_fee_bps, main_pool.reserve_token as pool_reserve_token, main_pool.reserve_quote as pool_reserve_quote,
  main_pool.sqrt_price_x96 as pool_sqrt_price_x96, main_pool.tick as pool_tick, main_pool.liquidity as pool_liquidity`

/** Joins the pool in which the token trades now. */
export const MAIN_POOL = sql`left join pool as main_pool on main_pool.address = token.main_pool`

/** A stored token as it goes over the wire. USD values stay `null`: the price is not chain state and the gateway fills them in. */
export function toToken(row: TokenRow, chainId: number): Token {
  return {
    chainId,
    address: bytesToAddress(row.address),
    symbol: row.symbol,
    name: row.name,
    decimals: row.decimals,
    totalSupply: row.total_supply,
    creator: bytesToAddress(row.creator),
    launchpad: row.launchpad,
    createdAt: secondsToIso(row.created_at),
    createdBlock: row.created_block,
    createdTxHash: toHex(row.created_tx_hash),
    metadataUri: row.metadata_uri,
    imageUrl: row.image_url,
    description: row.description,
    market: {
      priceWeth: toDecimal(row.price_weth),
      priceUsd: null,
      marketCapWeth: toDecimal(row.market_cap_weth),
      marketCapUsd: null,
      liquidityWeth: toDecimal(row.liquidity_weth),
      liquidityUsd: null,
      volumeWeth: toVolumes(row),
      priceChange: { m5: row.price_change_m5, h1: row.price_change_h1, h6: row.price_change_h6, h24: row.price_change_h24 },
      trades: {
        m5: { buys: row.buys_m5, sells: row.sells_m5 },
        h1: { buys: row.buys_h1, sells: row.sells_h1 },
        h6: { buys: row.buys_h6, sells: row.sells_h6 },
        h24: { buys: row.buys_h24, sells: row.sells_h24 },
      },
      tradeCount: row.trade_count,
      holderCount: row.holder_count,
      lastTradeAt: optionalIso(row.last_trade_at),
      athPriceWeth: toDecimal(row.ath_price_weth),
    },
    pool: toPool(row),
    fees: {
      creatorFeeBps: row.creator_fee_bps,
      accruedWeth: weiToWeth(row.fees_accrued),
      claimedWeth: weiToWeth(row.fees_claimed),
      claimableWeth: claimableWeth(row),
    },
    graduation: {
      status: row.graduation_status,
      percent: row.graduation_percent,
      raisedWeth: weiToWeth(row.raised),
      targetWeth: weiToWeth(row.target),
      completedAt: optionalIso(row.completed_at),
      migratedAt: optionalIso(row.migrated_at),
      poolAddress: row.graduated_pool === null ? null : toHex(row.graduated_pool),
      txHash: row.graduation_tx_hash === null ? null : toHex(row.graduation_tx_hash),
    },
    sequence: Number(row.sequence),
    asOfBlock: row.as_of_block,
    updatedAt: new Date(Number(row.updated_at_ms)).toISOString(),
  }
}

const ZERO = 0x30
const POINT = 0x2e

/** A `numeric` column as a plain decimal string without trailing zeros. */
export function toDecimal(numeric: string): string
export function toDecimal(numeric: string | null): string | null
export function toDecimal(numeric: string | null): string | null {
  // PostgreSQL prints neither exponents nor a sign on zero; what is left to take off are zeros at the end of a fraction.
  if (numeric === null || !numeric.includes('.')) return numeric
  // A regular expression begins anew at every run of zeros, and a page of candles has thousands of numbers.
  let end = numeric.length
  while (numeric.charCodeAt(end - 1) === ZERO) end--
  if (numeric.charCodeAt(end - 1) === POINT) end--
  return numeric.slice(0, end)
}

/** A `numeric` column that holds wei as a plain decimal string in WETH. */
export function weiToWeth(wei: string): string
export function weiToWeth(wei: string | null): string | null
export function weiToWeth(wei: string | null): string | null {
  if (wei === null || wei.startsWith('-')) return wei === null ? null : formatUnits(BigInt(wei), WETH_DECIMALS)
  const digits = wei.padStart(WETH_DECIMALS + 1, '0')
  return toDecimal(`${digits.slice(0, -WETH_DECIMALS)}.${digits.slice(-WETH_DECIMALS)}`)
}

/** A `bigint` column of Unix seconds as ISO 8601 UTC with milliseconds. */
export function secondsToIso(seconds: string): string {
  return new Date(Number(seconds) * 1000).toISOString()
}

function optionalIso(seconds: string | null): string | null {
  return seconds === null ? null : secondsToIso(seconds)
}

/** The stored volumes add up what is known: where a token has traded and never had a price in WETH, that is nothing, not zero. */
function toVolumes(row: TokenRow): PerWindow<string | null> {
  if (row.trade_count > 0 && row.first_price_weth === null) return { m5: null, h1: null, h6: null, h24: null }
  return { m5: weiToWeth(row.volume_m5), h1: weiToWeth(row.volume_h1), h6: weiToWeth(row.volume_h6), h24: weiToWeth(row.volume_h24) }
}

function claimableWeth(row: TokenRow): string | null {
  if (row.fees_accrued === null || row.fees_claimed === null) return null
  return formatUnits(BigInt(row.fees_accrued) - BigInt(row.fees_claimed), WETH_DECIMALS)
}

function toPool(row: TokenRow): Pool | null {
  if (row.pool_address === null || row.pool_type === null || row.pool_quote_token === null) return null
  return {
    address: toHex(row.pool_address),
    type: row.pool_type,
    quoteToken: bytesToAddress(row.pool_quote_token),
    feeBps: row.pool_fee_bps,
    reserveToken: row.pool_reserve_token,
    reserveQuote: row.pool_reserve_quote,
    sqrtPriceX96: row.pool_sqrt_price_x96,
    tick: row.pool_tick,
    liquidity: row.pool_liquidity,
  }
}
