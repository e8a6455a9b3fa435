import type { Address, Hex } from '#domain/address.ts'
import type { TokenLink } from '#domain/metadata.ts'
import type { PoolType } from '#domain/token.ts'

/* What market-data sites are shown, from final blocks only: pairs of a token and its pool's quote currency, and the events of pairs. */

/** A block that can't be replaced any more. */
export interface FinalBlock {
  readonly number: number
  /** Unix seconds. */
  readonly timestamp: number
}

/** A pool or curve, by facts that never change. */
export interface ListedPair {
  readonly id: Hex
  readonly type: PoolType
  readonly token: Address
  /** The chain's wrapped native currency where the pool takes the native one. */
  readonly quoteToken: Address
  readonly launchpad: string
  readonly creator: Address
  /** `null`: dynamic or unknown. */
  readonly feeBps: number | null
  readonly createdBlock: number
  /** Unix seconds. */
  readonly createdAt: number
  readonly creationTxHash: Hex
}

/** A launchpad's token, or a currency in which tokens are quoted. */
export interface ListedAsset {
  readonly id: Address
  /** Untrusted text, never empty: without a name the symbol, without both the address. */
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  /** Plain decimals in whole units; `null`: not a launchpad's token. */
  readonly totalSupply: string | null
  readonly circulatingSupply: string | null
  readonly holderCount: number | null
  /** Untrusted. Empty for a currency. */
  readonly links: readonly TokenLink[]
}

/** `timestamp`: Unix seconds. */
export type BlockPlace = { readonly number: number } | { readonly timestamp: number }

export interface PairEventPlace {
  readonly blockNumber: number
  /** Unix seconds. */
  readonly timestamp: number
  readonly txHash: Hex
  readonly txIndex: number
  readonly logIndex: number
  readonly pair: Hex
  readonly pairType: PoolType
  /** The account behind the event; for a creation, the token's creator. */
  readonly maker: Address
}

/** Plain decimals in whole units of each side. */
export interface SideAmounts {
  readonly token: string
  readonly quote: string
}

/** An event of a pair, ordered by (block, log index). `reserves` are those after it; `null`: not known. */
export type PairEvent = PairEventPlace &
  (
    | { readonly kind: 'creation' }
    | {
        readonly kind: 'swap'
        readonly side: 'buy' | 'sell'
        /** Both above zero: what the maker paid, fee included, and got. */
        readonly amounts: SideAmounts
        /** The pair's price after the event: quote per token, above zero, at most 50 decimal places. */
        readonly price: string
        readonly reserves: SideAmounts | null
      }
    | { readonly kind: 'join' | 'exit'; readonly amounts: SideAmounts; readonly reserves: SideAmounts | null }
  )

/** `tooMany`: more events than the limit. `unread`: the decimals of a quote currency have not been read from the chain yet. */
export type PairEvents = readonly PairEvent[] | 'tooMany' | 'unread'

/** What a token's main pool did in the last 24 hours. */
export interface DayTotals {
  readonly token: Address
  readonly pair: Hex
  /** Plain decimals in whole units. */
  readonly volume: SideAmounts
  /** Prices after trades: quote per token. */
  readonly high: string
  readonly low: string
}

export interface BlockRange {
  /** Both inclusive. */
  readonly fromBlock: number
  readonly toBlock: number
}

/** Raw amounts. */
export interface Supply {
  readonly total: bigint
  /** What burn addresses hold. */
  readonly burned: bigint
  /** What lockers hold. */
  readonly locked: bigint
  readonly decimals: number
}
