import type { Address, Hex } from './address.ts'
import type { ClaimScope } from './claimable.ts'
import type { Decimal } from './decimal.ts'
import type { HolderType } from './holder.ts'
import type { GraduationStatus, PerWindow, PoolType } from './token.ts'
import type { TradePhase, TradeSide } from './trade.ts'

/*
 * The rows that projection reads and writes, one type per table. Amounts are raw integers (wei, token units), times Unix seconds of the
 * block, decimals exact. Nothing here depends on when or in which batches blocks were indexed, except `sequence` and `updatedAtMs`,
 * which the commit gives and projection never sees.
 */

export interface WindowTotals {
  readonly volumeWei: bigint
  readonly buys: number
  readonly sells: number
}

export interface TokenState {
  readonly address: Address
  readonly launchpad: string
  readonly symbol: string | null
  readonly name: string | null
  readonly decimals: number
  readonly totalSupply: bigint
  readonly creator: Address
  readonly createdAt: number
  readonly createdBlock: number
  readonly createdTxHash: Hex
  readonly metadataUri: string | null

  readonly mainPool: Hex | null
  readonly priceWeth: Decimal | null
  /** The first price that the token ever had: the base of the change over windows that are longer than its life. */
  readonly firstPriceWeth: Decimal | null
  readonly athPriceWeth: Decimal | null
  readonly marketCapWeth: Decimal | null
  readonly liquidityWeth: Decimal | null
  readonly tradeCount: number
  readonly holderCount: number
  readonly lastTradeAt: number | null

  readonly windows: PerWindow<WindowTotals>
  /** The price at each window's start; `null`: the token had none yet, or has none now. */
  readonly referencePrice: PerWindow<Decimal | null>
  /** The block timestamp for which the windows are right. */
  readonly windowsAt: number
  /** The first timestamp at which a trade leaves a window: the windows are right until then. `null`: never. */
  readonly windowsExpireAt: number | null

  readonly creatorFeeBps: number | null
  readonly feesAccruedWei: bigint | null
  readonly feesClaimedWei: bigint | null

  readonly graduationStatus: GraduationStatus
  /** 0 to 100; `null` where there is no graduation or nothing is known of its target. */
  readonly graduationPercent: number | null
  readonly raisedWei: bigint | null
  readonly targetWei: bigint | null
  readonly completedAt: number | null
  readonly migratedAt: number | null
  readonly graduatedPool: Hex | null
  readonly graduationTxHash: Hex | null

  readonly asOfBlock: number
}

export interface PoolState {
  readonly address: Hex
  readonly token: Address
  readonly launchpad: string
  readonly type: PoolType
  readonly quoteToken: Address
  readonly quoteDecimals: number
  readonly tokenIsToken0: boolean
  readonly feeBps: number | null
  readonly reserveToken: bigint | null
  readonly reserveQuote: bigint | null
  readonly sqrtPriceX96: bigint | null
  readonly tick: number | null
  readonly liquidity: bigint | null
  /** WETH per whole token as the pool's state says; `null` when it is not quoted in WETH or not initialised. */
  readonly priceWeth: Decimal | null
  /** The number of the locked position whose fees the launchpad shares out; `null` where it is not of this pool, or nothing is known of it. */
  readonly positionId: bigint | null
  readonly createdBlock: number
  /** The last block with an event that moved it; `null`: it was before that was noted. */
  readonly lastChangedBlock: number | null
}

/** A balance as the sum of its Transfer events: negative where a token's balances change without events. */
export interface BalanceState {
  readonly token: Address
  readonly holder: Address
  readonly balance: bigint
  readonly type: HolderType
  readonly lastChangedBlock: number
}

/** What one creator earned and took in one currency, of one token or (`scope: creator`) of all of them in one launchpad. */
export interface CreatorFeeState {
  readonly launchpad: string
  readonly creator: Address
  readonly currency: Address
  readonly scope: ClaimScope
  /** The zero address when the scope is `creator`. */
  readonly token: Address
  /** `null` for whom it lies in a position until it is collected: then events tell only what was claimed. */
  readonly accrued: bigint | null
  readonly claimed: bigint
  /** What the call that pays it out is made with, where it needs more than who and what: a Uniswap v3 position's number. */
  readonly claimId: bigint | null
  readonly lastChangedBlock: number
}

export interface TradeRow {
  readonly token: Address
  readonly pool: Hex
  readonly phase: TradePhase
  readonly side: TradeSide
  readonly maker: Address
  readonly amountToken: bigint
  readonly amountWei: bigint | null
  readonly feeWei: bigint | null
  readonly priceWeth: Decimal | null
  /** The price of the token's market after this trade: what a price change is measured from. */
  readonly priceAfterWeth: Decimal | null
  /** USD per ETH when the block was indexed live and the price was fresh. */
  readonly ethUsd: Decimal | null
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly txHash: Hex
  readonly logIndex: number
  readonly timestamp: number
}

/** What one batch adds to a candle; the commit merges it into the stored one. */
export interface CandleDelta {
  readonly token: Address
  readonly intervalSeconds: number
  readonly time: number
  readonly open: Decimal
  readonly high: Decimal
  readonly low: Decimal
  readonly close: Decimal
  readonly volumeWei: bigint
  readonly trades: number
  readonly usd: {
    readonly open: Decimal
    readonly high: Decimal
    readonly low: Decimal
    readonly close: Decimal
    readonly volume: Decimal
    /** How many of the trades they are of: those whose USD price was known. */
    readonly trades: number
  } | null
}
