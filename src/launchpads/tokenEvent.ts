import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'
import type { ClaimScope } from '#domain/claimable.ts'
import type { CallAnswer, ContractCall } from '#domain/contractCall.ts'
import type { Decimal } from '#domain/decimal.ts'
import type { GraduationStatus, PoolType } from '#domain/token.ts'
import type { TradePhase, TradeSide } from '#domain/trade.ts'

export interface EventPosition {
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly timestamp: number
  readonly txHash: Hex
  /** The index of the transaction in its block. */
  readonly txIndex: number
  readonly logIndex: number
}

export type TokenEventPosition = EventPosition & { readonly token: Address }

/** What never changes about a pool. */
export interface PoolFacts {
  /** The contract, or a Uniswap v4 pool id. */
  readonly address: Hex
  readonly type: PoolType
  readonly quoteToken: Address
  readonly tokenIsToken0: boolean
  /** `null` where it is dynamic or unknown. */
  readonly feeBps: number | null
  /** The locked LP position in this pool whose fees the launchpad distributes. */
  readonly positionId?: bigint
}

/** How the tokens of a trade move. */
export interface TradeSettlement {
  /** The account that the tokens of a buy leave, and those of a sell reach. */
  readonly place: Address
  /**
   * `pool`: before the trade's event, as Uniswap v2 and v3 do. `curve`: before or after it. `poolManager`: at any time in the transaction,
   * perhaps in parts or for several swaps together, and never more than was traded.
   */
  readonly by: 'pool' | 'curve' | 'poolManager'
}

/** A change of a pool's reserves: `set` to amounts (`null`: not known from the event), or, with `move`, changed by signed amounts. */
export type ReserveChange =
  | { readonly mode: 'set'; readonly token: bigint | null; readonly quote: bigint | null }
  | { readonly mode: 'move'; readonly token: bigint; readonly quote: bigint }

/** `null`: not known. */
export interface PoolReserves {
  readonly token: bigint | null
  readonly quote: bigint | null
}

/** Fields of a token that its contract sets anew. Those that are left out stay as they are. */
export interface UpdatedFields {
  readonly name?: string | null
  readonly symbol?: string | null
  readonly metadataUri?: string | null
  /** An image that the contract names beside its metadata. */
  readonly imageUri?: string | null
  /** Who may change the token's metadata. */
  readonly admin?: Address
  /** What was claimed so far of the tokens that vest to the creator's account. A token without it vests nothing. */
  readonly vestingClaimed?: bigint
  /** Unix seconds; `null`: not known. */
  readonly vestingEndsAt?: number | null
}

/**
 * The meaning of a log for a token, in the same terms for every launchpad. Amounts are raw integers; what is paid or raised is in the
 * pool's own currency, whichever that is.
 */
export type TokenEvent = TokenEventPosition &
  (
    | {
        readonly kind: 'launch'
        readonly launchpad: string
        readonly creator: Address
        /** No event names the creator. The transaction's sender is taken as the creator. */
        readonly bySender?: true
        readonly symbol: string | null
        readonly name: string | null
        readonly decimals: number
        readonly metadataUri: string | null
        /** As in `TokenRow`. Left out: the launch does not say. */
        readonly surface?: string | null
        /** The creator's share of a trade. */
        readonly creatorFeeBps: number | null
        /** Whether events report the creator's earnings and claims of this one token, in ether. */
        readonly feesReported: { readonly accrued: boolean; readonly claimed: boolean }
        /** For a token that mints its supply without a Transfer event. Left out: the supply is the sum of transfers. */
        readonly totalSupply?: bigint
        readonly graduation: { readonly status: GraduationStatus; readonly target: bigint | null }
        /** Calls without whose answers the event is not complete. */
        readonly unread?: UnreadLaunch
      }
    | {
        readonly kind: 'poolCreated'
        readonly pool: PoolFacts
        readonly main: boolean
        /** What it holds. Left out: its own events tell. */
        readonly reserves?: PoolReserves
        /** Calls of a pool that is older than its announcement: its balances, and one that only a pool answers. */
        readonly unread?: readonly ContractCall[]
      }
    | {
        readonly kind: 'poolChanged'
        readonly pool: Hex
        readonly reserves: ReserveChange | null
        /** The price of a whole token, in units of 10^18 smallest units of the quote currency. In WETH where the quote currency is WETH. */
        readonly price: Decimal | null
        readonly concentrated: { readonly sqrtPriceX96: bigint; readonly tick: number; readonly liquidity: bigint | null } | null
        /** Liquidity that enters a price range, or leaves it when negative. */
        readonly liquidityChange: { readonly amount: bigint; readonly tickLower: number; readonly tickUpper: number } | null
      }
    | {
        readonly kind: 'trade'
        readonly pool: Hex
        readonly phase: TradePhase
        readonly side: TradeSide
        readonly maker: Address
        /** Where transfers show the maker. `decodeLogs.ts` looks at them once all trades of the transaction are known. */
        readonly settlement?: TradeSettlement
        readonly amountToken: bigint
        /** What the maker paid, fee included, or received, fee taken off. */
        readonly amountQuote: bigint
        /** `null`: unknown. */
        readonly feeQuote: bigint | null
        /** No event or transfer shows the maker, or only a contract that acts for another: it is the transaction's sender. */
        readonly bySender?: true
      }
    | {
        /** Liquidity that entered a pool, or left it when negative. The event's pool change is applied before it. */
        readonly kind: 'joinExit'
        readonly pool: Hex
        /** The owner of the liquidity, by the pool's event. */
        readonly maker: Address
        readonly amountToken: bigint
        readonly amountQuote: bigint
      }
    | { readonly kind: 'transfer'; readonly from: Address; readonly to: Address; readonly amount: bigint }
    | {
        readonly kind: 'curveProgress'
        readonly raised: { readonly mode: 'set' | 'move'; readonly quote: bigint }
        /** For curves whose target is a supply that they mint. Left out: the target is the launch's `target`. */
        readonly targetSupply?: bigint
      }
    | { readonly kind: 'completed'; readonly raised: bigint | null }
    | { readonly kind: 'migrated'; readonly pool: Hex }
    | { readonly kind: 'updated'; readonly fields: UpdatedFields }
    /** The launchpad has moved the market's liquidity into another of the token's pools. */
    | { readonly kind: 'marketMoved'; readonly pool: Hex }
    | {
        /** A change of a creator's account: for this token (`scope` `token`), or for all tokens, with the zero address as the token. */
        readonly kind: 'creatorFee'
        readonly launchpad: string
        readonly creator: Address
        readonly currency: Address
        readonly scope: ClaimScope
        /** Newly earned; `null`: no event reports it, as of fees in an LP position and of vesting. */
        readonly accrued: bigint | null
        readonly claimed: bigint
        /** Claimable after the event, where the event reports it. It overrides what was added up before. */
        readonly balance?: bigint
        /** The rewards of an LP position, or what vests, pass from one creator to another. Each gets an event; the second accrues them. */
        readonly handover?: 'from' | 'to'
        /** Only counts for a token that vests. */
        readonly onlyVesting?: boolean
        /** What the claiming call needs to know: the id of an LP position. */
        readonly claimId?: bigint
        /** Only changes an account that exists: payments between unrelated accounts must not grow the tables. */
        readonly onlyKnown?: boolean
      }
    /** What the creator earned by one trade, where the account itself has scope `creator`. */
    | { readonly kind: 'creatorShare'; readonly accruedWei: bigint }
  )

/** What only calls at the end of the launch's block return of a token. */
export interface UnreadLaunch {
  readonly calls: readonly ContractCall[]
  /**
   * The events that take the place of the launch.
   *
   * @param answers in the order of `calls`
   * @param minted what transfers of the block mint, less what they burn
   * @returns empty where the token can't be indexed without an answer
   */
  complete(answers: readonly CallAnswer[], minted: bigint): readonly TokenEvent[]
}

export type TokenEventOf<K extends TokenEvent['kind']> = Extract<TokenEvent, { readonly kind: K }>

export function eventPosition(log: ChainLog, { header }: { readonly header: BlockHeader }): EventPosition {
  const { blockNumber, blockHash, txHash, txIndex, logIndex } = log
  return { blockNumber, blockHash, timestamp: header.timestamp, txHash, txIndex, logIndex }
}

/** A pool of a launchpad's token. */
export function poolFacts(
  address: Hex,
  type: PoolType,
  { token, quoteToken, feeBps }: { readonly token: Address } & Pick<PoolFacts, 'quoteToken' | 'feeBps'>,
): PoolFacts {
  // Uniswap sorts a pair by address.
  return { address, type, quoteToken, tokenIsToken0: token < quoteToken, feeBps }
}

const UNCHANGED = { reserves: null, price: null, concentrated: null, liquidityChange: null } as const

export type PoolChange = Partial<Pick<TokenEventOf<'poolChanged'>, keyof typeof UNCHANGED>>

export function poolChanged(at: TokenEventPosition, pool: Hex, change: PoolChange): TokenEventOf<'poolChanged'> {
  return { ...at, kind: 'poolChanged', pool, ...UNCHANGED, ...change }
}

type CreatorFee = TokenEventOf<'creatorFee'>

/** A change of a creator's account in an escrow that keeps one sum per creator and currency for all tokens. */
export function escrowChange(
  position: EventPosition,
  change: Pick<CreatorFee, 'launchpad' | 'creator' | 'currency'> &
    Partial<Pick<CreatorFee, 'accrued' | 'claimed' | 'balance' | 'onlyKnown'>>,
): CreatorFee {
  return { ...position, token: ZERO_ADDRESS, kind: 'creatorFee', scope: 'creator', accrued: 0n, claimed: 0n, ...change }
}
