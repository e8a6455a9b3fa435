import type { ZodType } from 'zod'
import type { Address, Hex } from '#domain/address.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'
import type { ClaimScope } from '#domain/claimable.ts'
import type { PositionRewards } from './positionRewards.ts'
import type { PoolFacts, TokenEvent } from './tokenEvent.ts'

/** Why an address is watched, and what its logs need to be understood. */
export type Watched =
  /** `curve`: all of the launchpad's tokens trade in it. */
  | { readonly role: 'contract'; readonly launchpad: string; readonly holds?: 'curve' }
  /** A Uniswap v4 PoolManager: its logs are those of the pools inside it, each found by its id. */
  | { readonly role: 'poolManager'; readonly launchpad: string }
  /** A contract that holds positions: its logs are those of the positions, each found by its number, and its own. */
  | { readonly role: 'locker'; readonly launchpad: string }
  /** A position in a locker, of a token's pool. */
  | { readonly role: 'position'; readonly launchpad: string; readonly token: Address; readonly pool: PoolFacts }
  | { readonly role: 'token'; readonly launchpad: string; readonly token: Address }
  | { readonly role: 'pool'; readonly launchpad: string; readonly token: Address; readonly pool: PoolFacts; readonly tokenDecimals: number }
  /** A token that is its own curve: its contract sells and takes back what it mints. */
  | {
      readonly role: 'tokenCurve'
      readonly launchpad: string
      readonly token: Address
      readonly pool: PoolFacts
      readonly tokenDecimals: number
    }

/** Why an address, a pool inside a PoolManager by its id, or a position by its `positionKey` is watched; `undefined`: it is not. */
export type Lookup = (address: Hex) => Watched | undefined

/**
 * What a launchpad's log adds to what is watched: an address, the id of a pool inside a Uniswap v4 PoolManager, or a position in a locker
 * (`positionKey`).
 */
export interface Discovery {
  readonly address: Hex
  readonly watched: Watched
}

/** The logs of one transaction that come from watched addresses, in order. */
export interface TransactionLogs {
  readonly header: BlockHeader
  readonly txHash: Hex
  readonly logs: readonly WatchedLog[]
}

export interface WatchedLog {
  readonly log: ChainLog
  readonly watched: Watched
}

export interface Decoded {
  readonly events: readonly TokenEvent[]
  /** Logs whose topic is known and whose content does not fit: counted, never guessed at. */
  readonly malformed: readonly ChainLog[]
  /** By the log index of a pool's swap: its maker, for swaps whose transfers lead to the token's own contract and no further. */
  readonly makers?: ReadonlyMap<number, Address>
}

/** What a creator could be owed, for building the call that pays it out. */
export interface ClaimTarget {
  readonly token: Address
  readonly creator: Address
  readonly currency: Address
  readonly scope: ClaimScope
  /** What is owed now, in the currency's raw units; `null` where no event tells. */
  readonly amount: bigint | null
  /** The `claimId` of the fee's events; `null` where they had none. */
  readonly claimId: bigint | null
}

export interface ClaimCall {
  readonly to: Address
  readonly data: Hex
}

/**
 * One launchpad as configured. Pure: the same logs give the same answers, whatever was asked before. Transfers of tokens and logs of
 * Uniswap pools are decoded for all launchpads alike (`decodeLogs.ts`); an adapter decodes what is its own.
 */
export interface LaunchpadAdapter {
  readonly launchpad: string
  /** The contracts whose logs tell of new tokens and pools. */
  readonly contracts: readonly Address[]
  /** Which of `contracts` all tokens trade in before they graduate. Default none. */
  readonly curves?: readonly Address[]
  /** Which of `contracts` is the Uniswap v4 PoolManager; none by default. */
  readonly poolManager?: Address
  /** Of these among `contracts` only logs with these topics tell anything: the others are not fetched where there is a choice. */
  readonly topics?: ReadonlyMap<Address, readonly (readonly Hex[] | null)[]>
  /** Where creators' shares lie in locked positions until they are collected, and how a simulated call tells how much. */
  readonly positions?: PositionRewards
  readonly startBlock: number
  /** The first topics of the logs that announce tokens, curves or pools: blocks without any of them need not be asked about. */
  readonly announcing: ReadonlySet<Hex>
  /**
   * The first topics of all logs that tell it anything, of whatever it watches: of others nobody takes note. Those of ERC-20 transfers and of
   * pools inside a PoolManager need not be among them.
   */
  readonly understood: ReadonlySet<Hex>
  /** The tokens, curves and pools that these logs of `contracts` announce. Logs of other addresses or topics are passed over. */
  discover(logs: readonly ChainLog[], lookup: Lookup): readonly Discovery[]
  /**
   * The addresses that these logs would announce, if they come from where such logs have to come from: of contracts that are announced
   * themselves and not indexed yet. Left out: the launchpad's own contracts announce everything.
   */
  mayAnnounce?(logs: readonly ChainLog[]): readonly Address[]
  /** The events of the transaction's logs that come from the launchpad's contracts and curves. */
  decode(transaction: TransactionLogs): Decoded
  claimCall(target: ClaimTarget): ClaimCall | null
}

/** What a `launchpads.json` entry gives an adapter. */
export interface AdapterOptions {
  readonly launchpad: string
  readonly startBlock: number
  readonly contracts: Readonly<Record<string, Address>>
  readonly weth: Address
  /** What else the entry holds (`AdapterKind.settings`). */
  readonly settings?: Readonly<Record<string, unknown>>
}

export interface EntryProblem {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** Where a contract is learned from: `by` names the contract that tells it, asked as the signature says. */
export interface ToldContract {
  readonly by: string
  readonly getter: string
}

/** A kind of launchpad: what its entry in `launchpads.json` must name, and how it is made. */
export interface AdapterKind {
  /** Names of the contract fields. */
  readonly contracts: readonly string[]
  /** Public addresses on Base of contracts that an entry may leave out. */
  readonly presets?: Readonly<Record<string, Address>>
  /** Contracts that an entry may leave out on any chain, since another one of its contracts tells them. */
  readonly told?: Readonly<Record<string, ToldContract>>
  /** Names of contract fields that an entry may give besides. */
  readonly optionalContracts?: readonly string[]
  /** Further fields that an entry may give, and their shape. */
  readonly settings?: Readonly<Record<string, ZodType>>
  /** What is wrong with an entry of the right shape, each with the steps to its place in the entry. */
  check?(options: Omit<AdapterOptions, 'startBlock'>): readonly EntryProblem[]
  create(options: AdapterOptions): LaunchpadAdapter
}
