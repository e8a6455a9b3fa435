import type { ZodType } from 'zod'
import type { Address, Hex } from '#domain/address.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'
import type { ClaimCall, ClaimTarget } from '#domain/claimable.ts'
import type { LpPositionFees } from '#launchpads/pools/lpPositionFees.ts'
import type { DiscoveredSource, LogSource, LogSourceOf, QuotePoolSource, SourceLookup } from './logSource.ts'
import type { TokenEvent } from './tokenEvent.ts'
import { MalformedLogError } from './words.ts'

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
  /** Logs that do not fit the event of their first topic. They are counted and give no events. */
  readonly malformed: readonly ChainLog[]
}

export interface DecodedTransaction extends DecodedLogs {
  /** Makers by the log index of a pool's swap, for swaps whose transfers show no maker, or end in the token's own contract. */
  readonly makers?: ReadonlyMap<number, Address>
  /** Log indexes of swaps in v4 pools of which only a part went through the pool: their whole trades are among the events. */
  readonly partialSwaps?: ReadonlySet<number>
}

export interface LaunchpadContract {
  readonly address: Address
  readonly role: LogSourceOf<'contract' | 'sharedCurve' | 'poolManager' | 'locker'>['role']
  /** Only logs with these topics, by position, matter (`null`: any). Left out: every log of a known first topic. */
  readonly topics?: LogTopics
}

/** Unix seconds. */
export interface Vesting {
  readonly createdAt: number
  /** When all has vested. */
  readonly endsAt: number
  readonly at: number
}

export type LogTopics = readonly (readonly Hex[] | null)[]

/**
 * One launchpad of the configuration. Pure: the same logs give the same result, whatever was decoded before. An adapter decodes only the
 * launchpad's own events; `decodeLogs.ts` decodes ERC-20 transfers and Uniswap pools for all launchpads.
 */
export interface LaunchpadAdapter {
  readonly launchpad: string
  readonly startBlock: number
  readonly contracts: readonly LaunchpadContract[]
  /** The pool that prices a quote currency, if the entry is for such a pool. */
  readonly quotePool?: QuotePoolSource
  /** A quote currency whose contract pays out a wei of ETH for each of its units, so that amounts in it are ether. */
  readonly etherWrapper?: Address
  /** How to read the creator's share of uncollected fees, for launchpads that lock LP positions. */
  readonly lpPositions?: LpPositionFees
  /** First topics of the logs that add sources. Blocks without any of them are never passed to `discover`. */
  readonly discoveryTopics: ReadonlySet<Hex>
  /**
   * First topics of all logs that are decoded, except those of ERC-20 transfers and Uniswap v4 pools. Logs with other topics are not
   * fetched.
   */
  readonly decodedTopics: ReadonlySet<Hex>
  /** The tokens, curves, pools and positions that these logs add. Logs of an emitter that may not announce them add nothing. */
  discover(logs: readonly ChainLog[], lookup: SourceLookup): readonly DiscoveredSource[]
  /**
   * What these logs would add if their emitters were known: in a range, an emitter may become known later. Left out: only the launchpad's
   * own contracts add sources.
   *
   * @param all the watched logs of their blocks
   */
  discoverFromUnknown?(logs: readonly ChainLog[], all: readonly ChainLog[]): readonly Hex[]
  /** @param lookup must also find the sources that the logs of the batch add */
  decode(transaction: TransactionLogs, lookup: SourceLookup): DecodedTransaction
  /** What has vested by a time of a token whose creator's rewards vest, in raw units. Left out: nothing vests. */
  vestedOf?(vesting: Vesting): bigint
  /** The call that pays the creator out; `null` where there is none, or nothing to pay. */
  claimCall(target: ClaimTarget): ClaimCall | null
}

/** An entry of `launchpads.json`, as an adapter gets it. */
export interface AdapterOptions {
  readonly launchpad: string
  readonly startBlock: number
  readonly contracts: Readonly<Record<string, Address>>
  readonly weth: Address
  readonly settings?: Readonly<Record<string, unknown>>
}

export interface EntryProblem {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** A kind of launchpad: the fields of its entries in `launchpads.json`, and how to make an adapter of an entry. */
export interface AdapterKind {
  /** Raised when the same logs give other rows than before, so that operators learn what they can build anew. Left out: 1. */
  readonly version?: number
  readonly contracts: readonly string[]
  /** Addresses on Base, for contracts that an entry may leave out there. */
  readonly presets?: Readonly<Record<string, Address>>
  /** Contracts that an entry may leave out on any chain: their addresses are read from its factory at the start. */
  readonly derivedContracts?: Readonly<Record<string, GetterPaths>>
  readonly optionalContracts?: readonly string[]
  readonly settings?: Readonly<Record<string, ZodType>>
  /** Mistakes that the schema of an entry cannot find. */
  check?(options: Omit<AdapterOptions, 'startBlock'>): readonly EntryProblem[]
  /** What the events of an entry do not tell, in words of an operator. Left out: nothing that others tell. */
  untold?(options: Omit<AdapterOptions, 'startBlock'>): readonly string[]
  create(options: AdapterOptions): LaunchpadAdapter
}

/**
 * Paths of getters that lead to a contract, tried in order. The first getter of a path is called on the factory, each next one on the
 * address that the last one returned.
 */
export type GetterPaths = readonly (readonly string[])[]

/** The named contracts of an entry. @throws `TypeError` when one is missing, which validation excludes */
export function contractsOf<Name extends string>(
  { launchpad, contracts }: Pick<AdapterOptions, 'launchpad' | 'contracts'>,
  names: readonly Name[],
): Readonly<Record<Name, Address>> {
  const missing = names.filter(name => contracts[name] === undefined)
  if (missing.length > 0) throw new TypeError(`launchpad ${launchpad} has no ${missing.join(', ')}`)
  return contracts
}

/** Decodes the logs of a transaction one by one. A malformed log gives no events and is reported. */
export function decodeEach({ logs }: Pick<TransactionLogs, 'logs'>, decode: (entry: SourcedLog) => readonly TokenEvent[]): DecodedLogs {
  const events: TokenEvent[] = []
  const malformed: ChainLog[] = []
  for (const entry of logs) {
    try {
      for (const event of decode(entry)) events.push(event)
    } catch (error) {
      if (!(error instanceof MalformedLogError)) throw error
      malformed.push(entry.log)
    }
  }
  return { events, malformed }
}
