import type { Address, Hex } from '#domain/address.ts'
import type { ClaimScope } from '#domain/claimable.ts'
import type { Decimal } from '#domain/decimal.ts'
import type { GraduationStatus, PoolType } from '#domain/token.ts'
import type { TradePhase, TradeSide } from '#domain/trade.ts'

/** Where in the chain an event stands. */
export interface EventPosition {
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly timestamp: number
  readonly txHash: Hex
  readonly logIndex: number
}

/** What is fixed about a pool when it is made. */
export interface PoolFacts {
  readonly address: Hex
  readonly type: PoolType
  readonly quoteToken: Address
  readonly quoteDecimals: number
  readonly tokenIsToken0: boolean
  readonly feeBps: number | null
  /** The number of the locked position whose fees the launchpad shares out, where it lies in this pool. */
  readonly positionId?: bigint
}

/** A change of a pool's amounts: replaced by what the event says (`null`: it does not say), or moved by what it says. */
export type ReserveChange =
  | { readonly mode: 'set'; readonly token: bigint | null; readonly quote: bigint | null }
  | { readonly mode: 'move'; readonly token: bigint; readonly quote: bigint }

/** A position's liquidity entering (or, negative, leaving) a price range. */
export interface LiquidityChange {
  readonly amount: bigint
  readonly tickLower: number
  readonly tickUpper: number
}

/**
 * What a log means for a token, the same for every launchpad. Adapters and pool decoders turn logs into these; projection turns these into
 * rows. Amounts are raw integers.
 */
export type TokenEvent = EventPosition & { readonly token: Address } & (
    | {
        readonly kind: 'launch'
        readonly launchpad: string
        readonly creator: Address
        readonly symbol: string | null
        readonly name: string | null
        readonly decimals: number
        readonly metadataUri: string | null
        readonly creatorFeeBps: number | null
        /** Whether events tell what of this token's trades, in WETH or ETH, the creator has earned, and what was paid out of that. */
        readonly feesTold: { readonly accrued: boolean; readonly claimed: boolean }
        /** Minted without a Transfer event. Default: transfers tell. */
        readonly totalSupply?: bigint
        readonly graduation: { readonly status: GraduationStatus; readonly targetWei: bigint | null }
      }
    /** Empty, unless nothing is known of what it holds. */
    | { readonly kind: 'poolCreated'; readonly pool: PoolFacts; readonly main: boolean; readonly reserves?: 'unknown' }
    | {
        readonly kind: 'poolChanged'
        readonly pool: Hex
        readonly reserves: ReserveChange | null
        /** WETH per whole token. */
        readonly priceWeth: Decimal | null
        readonly concentrated: { readonly sqrtPriceX96: bigint; readonly tick: number; readonly liquidity: bigint | null } | null
        readonly liquidityChange: LiquidityChange | null
      }
    | {
        readonly kind: 'trade'
        readonly pool: Hex
        readonly phase: TradePhase
        readonly side: TradeSide
        readonly maker: Address
        readonly amountToken: bigint
        /** `null` when the pool is not quoted in WETH. */
        readonly amountWei: bigint | null
        readonly feeWei: bigint | null
      }
    | { readonly kind: 'transfer'; readonly from: Address; readonly to: Address; readonly amount: bigint }
    | {
        readonly kind: 'curveProgress'
        readonly raised: { readonly mode: 'set' | 'move'; readonly wei: bigint }
        /** Where the target is a number of tokens that the curve mints: that number. Left out: the target is `targetWei`. */
        readonly targetSupply?: bigint
      }
    /** `raisedWei` is `null` where the event does not say. */
    | { readonly kind: 'completed'; readonly raisedWei: bigint | null }
    | { readonly kind: 'migrated'; readonly pool: Hex }
    | {
        /** What moved a creator's account: of this token, or of all in one escrow, where `token` is the zero address. */
        readonly kind: 'creatorFee'
        readonly launchpad: string
        readonly creator: Address
        readonly currency: Address
        readonly scope: ClaimScope
        /** So much more was earned; `null`: it is not told, since it lies in a position until it is collected. */
        readonly accrued: bigint | null
        readonly claimed: bigint
        /** What can be claimed after it, all told, where the event says so: it settles what was earned, whatever was known before. */
        readonly balance?: bigint
        /**
         * The rewards of a position are handed over: `from` this creator, whose last word is what was claimed, or `to` this one, for whom they
         * lie in the position from now on.
         */
        readonly handover?: 'from' | 'to'
        /** Set where the call that pays it out is made with it: a Uniswap v3 position's number. */
        readonly claimId?: bigint
        /** Counts for those only who have an account already: what strangers pay to strangers must not grow the tables. */
        readonly onlyKnown?: boolean
      }
    /** The creator's share of a trade in wei where it goes to an escrow of scope `creator`; a `creatorFee` says so of the escrow. */
    | { readonly kind: 'creatorShare'; readonly accruedWei: bigint }
  )

export type TokenEventOf<K extends TokenEvent['kind']> = Extract<TokenEvent, { readonly kind: K }>
