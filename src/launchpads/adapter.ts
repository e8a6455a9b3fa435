import type { ZodType } from 'zod'
import type { Address, Hex } from '#domain/address.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'
import type { ClaimCall, ClaimTarget } from '#domain/claimable.ts'
import type { DiscoveredSource, LogSource, LogSourceOf, SourceLookup } from './logSource.ts'
import type { LpPositionFees } from './lpPositionFees.ts'
import type { TokenEvent } from './tokenEvent.ts'

/** The logs of one transaction that have a source, in order. */
export interface TransactionLogs {
  readonly header: BlockHeader
  readonly txHash: Hex
  readonly logs: readonly SourcedLog[]
}

export interface SourcedLog {
  readonly log: ChainLog
  readonly source: LogSource
}

export interface DecodedLogs {
  readonly events: readonly TokenEvent[]
  /** Logs whose first topic is known and whose content does not fit: they are counted and give no events. */
  readonly malformed: readonly ChainLog[]
  /** Makers by the log index of a pool's swap, for swaps through the token's own contract, at which the transfers end. */
  readonly makers?: ReadonlyMap<number, Address>
}

/** One of the launchpad's own contracts. */
export interface LaunchpadContract {
  readonly address: Address
  readonly role: LogSourceOf<'contract' | 'sharedCurve' | 'poolManager' | 'locker'>['role']
  /** Only logs with these topics, by position, matter (`null`: any). Left out: every log of a known first topic. */
  readonly topics?: LogTopics
}

export type LogTopics = readonly (readonly Hex[] | null)[]

/**
 * One launchpad of the configuration. Pure: the same logs give the same result, whatever was decoded before. ERC-20 transfers and the logs
 * of Uniswap pools are decoded in one place for all launchpads (`decodeLogs.ts`); an adapter decodes the launchpad's own events.
 */
export interface LaunchpadAdapter {
  readonly launchpad: string
  readonly startBlock: number
  readonly contracts: readonly LaunchpadContract[]
  /** How to read the creator's share of the fees that locked LP positions have earned, for launchpads that lock positions. */
  readonly lpPositions?: LpPositionFees
  /** First topics of the logs that add sources. Blocks without any of them are never passed to `discover`. */
  readonly discoveryTopics: ReadonlySet<Hex>
  /** First topics of all logs that are decoded, but for ERC-20 transfers and Uniswap v4 pools. Logs with other topics are not fetched. */
  readonly decodedTopics: ReadonlySet<Hex>
  /** The tokens, curves, pools and positions that these logs add. Logs that do not come from where they have to add nothing. */
  discover(logs: readonly ChainLog[], lookup: SourceLookup): readonly DiscoveredSource[]
  /**
   * The addresses that these logs would add if their emitters were known sources. A range is fetched before the emitters in it are known.
   * Left out: only the launchpad's own contracts add sources.
   */
  discoverFromUnknown?(logs: readonly ChainLog[]): readonly Address[]
  /** The launchpad's own events in a transaction. */
  decode(transaction: TransactionLogs): DecodedLogs
  /** The call that pays the creator out; `null` where there is none, or nothing to pay. */
  claimCall(target: ClaimTarget): ClaimCall | null
}

/** An entry of `launchpads.json`, as an adapter gets it. */
export interface AdapterOptions {
  readonly launchpad: string
  readonly startBlock: number
  readonly contracts: Readonly<Record<string, Address>>
  readonly weth: Address
  /** The values of the fields in `AdapterKind.settings`. */
  readonly settings?: Readonly<Record<string, unknown>>
}

/** A mistake in an entry, and the path to it within the entry. */
export interface EntryProblem {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** A contract whose address another one of the entry returns. */
export interface DerivedContract {
  /** The contract field that names the other one. */
  readonly from: string
  /** Signature of the function that returns the address. */
  readonly getter: string
}

/** A kind of launchpad: the contract fields of its entries in `launchpads.json`, and how to make an adapter of an entry. */
export interface AdapterKind {
  readonly contracts: readonly string[]
  /** Addresses on Base, for contracts that an entry may leave out there. */
  readonly presets?: Readonly<Record<string, Address>>
  /** Contracts that an entry may leave out on any chain. */
  readonly derivedContracts?: Readonly<Record<string, DerivedContract>>
  readonly optionalContracts?: readonly string[]
  /** Further optional fields and their schemas. */
  readonly settings?: Readonly<Record<string, ZodType>>
  /** Mistakes that the schema of an entry cannot find. */
  check?(options: Omit<AdapterOptions, 'startBlock'>): readonly EntryProblem[]
  create(options: AdapterOptions): LaunchpadAdapter
}

/**
 * The named contracts of an entry.
 *
 * @throws `TypeError` when the entry has not got one of them, which validation excludes
 */
export function contractsOf<Name extends string>(
  { launchpad, contracts }: Pick<AdapterOptions, 'launchpad' | 'contracts'>,
  names: readonly Name[],
): Readonly<Record<Name, Address>> {
  const missing = names.filter(name => contracts[name] === undefined)
  if (missing.length > 0) throw new TypeError(`launchpad ${launchpad} has no ${missing.join(', ')}`)
  return contracts
}
