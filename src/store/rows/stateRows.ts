import type { Hex } from '#domain/address.ts'
import { type Decimal, parseDecimal } from '#domain/decimal.ts'
import type { GraduationStatus, PoolType } from '#domain/token.ts'
import type { PoolState, TokenState } from '#domain/tokenState.ts'
import { perWindow, type WindowName } from '#domain/windows.ts'
import { bytesToAddress, toHex } from './bytes.ts'

/** `select * from pool`. */
export interface PoolRow {
  readonly address: Buffer
  readonly token: Buffer
  readonly launchpad: string
  readonly type: PoolType
  readonly quote_token: Buffer
  readonly quote_decimals: number
  readonly token_is_token0: boolean
  readonly fee_bps: number | null
  readonly reserve_token: string | null
  readonly reserve_quote: string | null
  readonly sqrt_price_x96: string | null
  readonly tick: number | null
  readonly liquidity: string | null
  readonly price_weth: string | null
  readonly position_id: string | null
  readonly created_block: string
  readonly last_changed_block: string | null
}

/** The columns of `select * from token` that projection needs. */
export type TokenStateRow = {
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
  readonly main_pool: Buffer | null
  readonly price_weth: string | null
  readonly first_price_weth: string | null
  readonly ath_price_weth: string | null
  readonly market_cap_weth: string | null
  readonly liquidity_weth: string | null
  readonly trade_count: number
  readonly holder_count: number
  readonly last_trade_at: string | null
  readonly windows_at: string
  readonly windows_expire_at: string | null
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
  readonly as_of_block: string
} & { readonly [K in `volume_${WindowName}`]: string } & { readonly [K in `buys_${WindowName}` | `sells_${WindowName}`]: number } & {
  readonly [K in `reference_price_${WindowName}`]: string | null
}

export function toTokenState(row: TokenStateRow): TokenState {
  return {
    address: bytesToAddress(row.address),
    launchpad: row.launchpad,
    symbol: row.symbol,
    name: row.name,
    decimals: row.decimals,
    totalSupply: BigInt(row.total_supply),
    creator: bytesToAddress(row.creator),
    createdAt: Number(row.created_at),
    createdBlock: Number(row.created_block),
    createdTxHash: toHex(row.created_tx_hash),
    metadataUri: row.metadata_uri,
    mainPool: hexOrNull(row.main_pool),
    priceWeth: toDecimal(row.price_weth),
    firstPriceWeth: toDecimal(row.first_price_weth),
    athPriceWeth: toDecimal(row.ath_price_weth),
    marketCapWeth: toDecimal(row.market_cap_weth),
    liquidityWeth: toDecimal(row.liquidity_weth),
    tradeCount: row.trade_count,
    holderCount: row.holder_count,
    lastTradeAt: numberOrNull(row.last_trade_at),
    windows: perWindow(name => ({ volumeWei: BigInt(row[`volume_${name}`]), buys: row[`buys_${name}`], sells: row[`sells_${name}`] })),
    referencePrice: perWindow(name => toDecimal(row[`reference_price_${name}`])),
    windowsAt: Number(row.windows_at),
    windowsExpireAt: numberOrNull(row.windows_expire_at),
    creatorFeeBps: row.creator_fee_bps,
    feesAccruedWei: bigintOrNull(row.fees_accrued),
    feesClaimedWei: bigintOrNull(row.fees_claimed),
    graduationStatus: row.graduation_status,
    graduationPercent: row.graduation_percent,
    raisedWei: bigintOrNull(row.raised),
    targetWei: bigintOrNull(row.target),
    completedAt: numberOrNull(row.completed_at),
    migratedAt: numberOrNull(row.migrated_at),
    graduatedPool: hexOrNull(row.graduated_pool),
    graduationTxHash: hexOrNull(row.graduation_tx_hash),
    asOfBlock: Number(row.as_of_block),
  }
}

export function toPoolState(row: PoolRow): PoolState {
  return {
    address: toHex(row.address),
    token: bytesToAddress(row.token),
    launchpad: row.launchpad,
    type: row.type,
    quoteToken: bytesToAddress(row.quote_token),
    quoteDecimals: row.quote_decimals,
    tokenIsToken0: row.token_is_token0,
    feeBps: row.fee_bps,
    reserveToken: bigintOrNull(row.reserve_token),
    reserveQuote: bigintOrNull(row.reserve_quote),
    sqrtPriceX96: bigintOrNull(row.sqrt_price_x96),
    tick: row.tick,
    liquidity: bigintOrNull(row.liquidity),
    priceWeth: toDecimal(row.price_weth),
    positionId: bigintOrNull(row.position_id),
    createdBlock: Number(row.created_block),
    lastChangedBlock: numberOrNull(row.last_changed_block),
  }
}

/** A `numeric` column as a decimal. */
export function toDecimal(value: string | null): Decimal | null {
  return value === null ? null : parseDecimal(value)
}

function bigintOrNull(value: string | null): bigint | null {
  return value === null ? null : BigInt(value)
}

function numberOrNull(value: string | null): number | null {
  return value === null ? null : Number(value)
}

function hexOrNull(value: Buffer | null): Hex | null {
  return value === null ? null : toHex(value)
}
