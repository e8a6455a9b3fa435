import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { ClaimScope } from '#domain/claimable.ts'
import type { TransactionLogs } from '#launchpads/adapter.ts'
import type { DiscoveredSource, LogSourceOf, SourceLookup } from '#launchpads/logSource.ts'
import { MalformedLogError } from '#launchpads/malformedLog.ts'
import type { EventPosition, TokenEvent } from '#launchpads/tokenEvent.ts'
import type { Readers } from './readers.ts'

/**
 * Where tokens trade before they graduate: each in a contract of its `own`, each in the `token` itself, or all in one `shared` contract.
 */
export type CurvePlace = 'own' | 'token' | 'shared'

export interface MappingContext {
  readonly launchpad: string
  readonly weth: Address
  /** The currency of the curves whose launch names none, with WETH for ETH. */
  readonly quoteToken: Address
  /** Whether launches name the currencies of their curves. */
  readonly quotePerLaunch: boolean
  readonly curvePlace: CurvePlace
  readonly contracts: Readonly<Record<string, Address>>
  readonly moreFactories: readonly Address[]
  /** The decimals of all tokens; `null` where each launch event says them. */
  readonly decimals: number | null
  readonly isGraduating: boolean
  /** `null` where no creator fees are mapped. */
  readonly feeScope: ClaimScope | null
  readonly feesNameToken: boolean
  /** Whether creators are paid in ETH or WETH, whatever the currency of their token's curve. */
  readonly feesInEther: boolean
  /** Whether a `state` event tells the price. */
  readonly pricedByState: boolean
}

export interface MappedLog {
  readonly log: ChainLog
  readonly at: EventPosition
  /** The token or curve that emitted it; `null`: a contract that serves all tokens. */
  readonly tokenSource: LogSourceOf<'token' | 'tokenCurve' | 'pool'> | null
  readonly transaction: TransactionLogs
  readonly lookup: SourceLookup
}

/** A mapped event of one kind. All methods throw MalformedLogError. */
export interface MappedEvent {
  decode(mapped: MappedLog): readonly TokenEvent[]
  /** Its token events belong to the trade before it, and take effect with that trade. */
  readonly followsTrade?: true
  /** The sources that it adds. Left out: none. */
  discover?(mapped: Pick<MappedLog, 'log' | 'tokenSource' | 'lookup'>): readonly DiscoveredSource[]
  /** The addresses that it adds if its emitter turns out to be a known source. */
  discoverFromUnknown?(mapped: Pick<MappedLog, 'log'>): readonly Address[]
}

/** Reads the token of a log: the emitter's, or the one that the event names. */
export function tokenReader(readers: Readers): (mapped: Pick<MappedLog, 'log' | 'tokenSource'>) => Address {
  const named = readers.address('token')
  return ({ log, tokenSource }) => {
    const token = named?.(log) ?? tokenSource?.token
    if (token === undefined) throw new TypeError('an event of a contract that serves all tokens must name the token')
    if (tokenSource !== null && token !== tokenSource.token) throw new MalformedLogError("expected the emitter's token, got another one")
    return token
  }
}

/** The decimals of a log's token. @throws MalformedLogError when the log's emitter is no curve */
export function decimalsOf({ decimals }: MappingContext, tokenSource: MappedLog['tokenSource']): number {
  if (decimals !== null) return decimals
  if (tokenSource !== null && 'tokenDecimals' in tokenSource) return tokenSource.tokenDecimals
  throw new MalformedLogError('the decimals of the token are not known')
}

/** The address of a token, curve or pool. @throws MalformedLogError when it is the zero address */
export function nonZero(address: Address): Address {
  if (address === ZERO_ADDRESS) throw new MalformedLogError('expected a contract, got the zero address')
  return address
}
