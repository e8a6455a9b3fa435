import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { ClaimScope } from '#domain/claimable.ts'
import type { Discovery, TransactionLogs, Watched } from '#launchpads/adapter.ts'
import type { EventPosition, PoolFacts, TokenEvent } from '#launchpads/tokenEvent.ts'
import { MalformedLogError } from '#launchpads/words.ts'
import type { Readers } from './readers.ts'

/** Where tokens trade before they graduate: each in a contract of its own, each in its own contract, or all in one contract. */
export type CurvePlace = 'own' | 'token' | 'shared'

/** What holds for a whole mapping. */
export interface MappingContext {
  readonly launchpad: string
  readonly weth: Address
  /** What curves are paid in; ETH counts as WETH. */
  readonly quoteToken: Address
  readonly curvePlace: CurvePlace
  /** The contracts that the entry names. */
  readonly contracts: readonly Address[]
  /** `null`: each token's launch says it. */
  readonly decimals: number | null
  readonly isGraduating: boolean
  /** `null`: no event tells of creators' fees. */
  readonly feeScope: ClaimScope | null
  /** Whether accruals say of which token they are. */
  readonly feesNameToken: boolean
}

/** A mapped event's log: the log, where it stands, and the token's entry of the directory that emitted it; `null`: a contract for all tokens. */
export interface MappedLog {
  readonly log: ChainLog
  readonly at: EventPosition
  readonly source: Extract<Watched, { readonly token: Address }> | null
  readonly transaction: TransactionLogs
}

/** What one kind of mapped event means. Both throw MalformedLogError. */
export interface MappedEvent {
  decode(mapped: MappedLog): readonly TokenEvent[]
  /** What it adds to what is watched. Left out: nothing. */
  discover?(mapped: Pick<MappedLog, 'log' | 'source'>): readonly Discovery[]
  /** The addresses of what it adds, told without knowing the emitter. */
  announce?(log: ChainLog): readonly Address[]
}

/** The token that a log is about: the one whose contract emitted it, or the one that it names. */
export function tokenReader(readers: Readers): (mapped: Pick<MappedLog, 'log' | 'source'>) => Address {
  const named = readers.address('token')
  return ({ log, source }) => {
    const token = named?.(log) ?? source?.token
    if (token === undefined) throw new TypeError('a contract for all tokens must name the token')
    if (source !== null && token !== source.token) throw new MalformedLogError('the event names another token than the one that emitted it')
    return token
  }
}

/** Decimals of the token that a log is about. @throws MalformedLogError when its emitter is not known for a curve */
export function decimalsOf({ decimals }: MappingContext, source: MappedLog['source']): number {
  if (decimals !== null) return decimals
  if (source !== null && 'tokenDecimals' in source) return source.tokenDecimals
  throw new MalformedLogError('nothing tells the decimals of the token')
}

export function isWethQuoted({ quoteToken, weth }: Pick<MappingContext, 'quoteToken' | 'weth'>): boolean {
  return quoteToken === weth || quoteToken === ZERO_ADDRESS
}

export function curveFacts(address: Hex, token: Address, feeBps: number | null, { quoteToken, weth }: MappingContext): PoolFacts {
  const quote = quoteToken === ZERO_ADDRESS ? weth : quoteToken
  return { address, type: 'curve', quoteToken: quote, quoteDecimals: 18, tokenIsToken0: token < quote, feeBps }
}

/** A contract that is there: a token, curve or pool at the zero address is none. */
export function nonZero(address: Address): Address {
  if (address === ZERO_ADDRESS) throw new MalformedLogError('expected a contract, got the zero address')
  return address
}
