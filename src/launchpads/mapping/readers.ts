import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { ClaimScope } from '#domain/claimable.ts'
import { cleanText } from '#domain/text.ts'
import type { EntryProblem, TransactionLogs } from '#launchpads/adapter.ts'
import type { DiscoveredSource, LogSourceOf, SourceLookup } from '#launchpads/logSource.ts'
import type { EventPosition, TokenEvent } from '#launchpads/tokenEvent.ts'
import { addressOf, MalformedLogError } from '#launchpads/words.ts'
import type { Field, Fields } from './kinds.ts'
import { type CallMapping, type EventMapping, expectation, type FieldValue, type PoolMapping } from './schema.ts'

export type Reader<T> = (log: ChainLog) => T

/** Readers of the fields of an event, `null` for fields that the mapping leaves out. Readers throw MalformedLogError. */
export interface Readers {
  has(field: string): boolean
  address(field: string): Reader<Address> | null
  /** Reads an address, or the parameter of this name. */
  addressOf(value: string): Reader<Address>
  /** The id of a pool inside a PoolManager. */
  id(field: string): Reader<Hex> | null
  amount(field: string): Reader<bigint> | null
  bps(field: string): Reader<number> | null
  text(field: string, limitCodePoints: number): Reader<string | null> | null
  flag(field: string): Reader<boolean> | null
  /** The one of the field's words that stands in place of a parameter, if any. */
  choice(field: string): string | null
  /** The call that stands in place of a parameter, if any. */
  call(field: string): CallMapping | null
  /** What tells the pool in place of a parameter, if anything. */
  made(field: string): PoolMapping | null
}

/** Bounds the cost of a hostile text: a creator may pay for a name of a megabyte. */
const MAX_TEXT_BYTES = 65_536
const MAX_BPS = 10_000n
/** The largest amount in a log, and the largest sum of amounts. */
export const MAX_AMOUNT = 2n ** 256n - 1n

const SUITS: Readonly<Record<Exclude<Field['holds'], 'choice'>, { readonly type: RegExp; readonly cannot: string }>> = {
  address: { type: /^address$/, cannot: 'cannot hold an address' },
  id: { type: /^bytes32$/, cannot: 'cannot hold the id of a pool, expected bytes32' },
  amount: { type: /^uint\d*$/, cannot: 'cannot hold an amount, expected an unsigned integer' },
  bps: { type: /^uint\d*$/, cannot: 'cannot hold basis points, expected an unsigned integer' },
  text: { type: /^(string|bytes\d*)$/, cannot: 'cannot hold a text, expected string, bytes or bytes1 to bytes32' },
  flag: { type: /^(bool|uint\d*)$/, cannot: 'cannot hold a flag, expected bool or an unsigned integer' },
}

const NO_PARAMETER = 'the event has no parameter'
const ADDRESS: Field = { holds: 'address', about: '' }

export function fieldProblems(
  mapping: EventMapping,
  fields: Fields,
  parameters: ReadonlyMap<string, EventParameter>,
  callProblems: (call: CallMapping, field: Field) => readonly EntryProblem[],
): readonly EntryProblem[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const value = mapping[name]
    if (value === undefined || field.holds === 'choice') return []
    if (isCall(value)) return callProblems(value, field).map(({ path, message }) => ({ path: [name, ...path], message }))
    if (isMade(value)) {
      const { hook = '0x' } = value
      const problem = hook.startsWith('0x') ? null : parameterProblem(hook, ADDRESS, parameters, NO_PARAMETER)
      return problem === null ? [] : [{ path: [name, 'hook'], message: problem }]
    }
    if (typeof value === 'object') {
      const names = value
      const repeated = names.findIndex((one, index) => names.indexOf(one) !== index)
      if (repeated !== -1) return [{ path: [name, repeated], message: `"${names[repeated]}" is in the list already` }]
      return names.flatMap((one, index) => valueProblems(one, field, parameters).map(message => ({ path: [name, index], message })))
    }
    return valueProblems(value, field, parameters).map(message => ({ path: [name], message }))
  })
}

function valueProblems(value: string | number, field: Field, parameters: ReadonlyMap<string, EventParameter>): readonly string[] {
  if (isNumber(value)) return field.holds === 'bps' && BigInt(value) > MAX_BPS ? ['expected at most 10000 basis points'] : []
  const name = String(value)
  if (field.takesAddress === true && name.startsWith('0x')) return []
  if (field.words?.includes(name) === true) {
    return parameters.has(name) ? [`"${name}" means ${name} here and is a parameter of the event too: give the parameter another name`] : []
  }
  const problem = parameterProblem(name, field, parameters, NO_PARAMETER)
  return problem === null ? [] : [problem]
}

/** Why a parameter can't hold a field; `null`: it can. @param absent how to say that there is none of this name */
export function parameterProblem(
  name: string,
  field: Field,
  parameters: ReadonlyMap<string, EventParameter>,
  absent: string,
): string | null {
  if (field.holds === 'choice') return null
  const { type, cannot } = SUITS[field.holds]
  const parameter = parameters.get(name)
  if (parameter === undefined) {
    const suitable = [...parameters.values()].filter(one => type.test(one.type) && isReadable(one)).map(one => one.name)
    const others =
      suitable.length === 0 ? `: no parameter of it could be one (${expectation(field)})` : `, expected ${suitable.join(' or ')}`
    return `${absent} "${name}"${others}`
  }
  if (!type.test(parameter.type)) return `"${name}" is of type ${parameter.type} and ${cannot}`
  return isReadable(parameter) ? null : `"${name}" is indexed, so a log holds only the hash of its ${parameter.type}: leave the field out`
}

function isReadable({ indexed, isWord }: EventParameter): boolean {
  return isWord || !indexed
}

/** The readers of a mapping whose fields have no problems. */
export function createReaders(mapping: EventMapping, fields: Fields, parameters: ReadonlyMap<string, EventParameter>): Readers {
  const parameter = (name: string): EventParameter => {
    const found = parameters.get(name)
    if (found === undefined) throw new TypeError(`the event has no parameter ${name}`)
    return found
  }
  const amountOf = (value: string | number): Reader<bigint> => {
    if (!isNumber(value)) return unsigned(parameter(value))
    const fixed = BigInt(value)
    return () => fixed
  }
  const amount = (field: string) => {
    const value = mapping[field]
    if (value === undefined || choice(field) !== null) return null
    if (isCall(value) || isMade(value)) return null
    if (typeof value === 'string' || typeof value === 'number') return amountOf(value)
    const parts = value.map(amountOf)
    return (log: ChainLog) => {
      const sum = parts.reduce((total, part) => total + part(log), 0n)
      if (sum > MAX_AMOUNT) throw new MalformedLogError('the sum is more than a uint256')
      return sum
    }
  }
  const choice = (field: string) => {
    const value = mapping[field]
    return typeof value === 'string' && fields[field]?.words?.includes(value) === true ? value : null
  }
  const addressReader = (value: string): Reader<Address> => {
    const fixed = value.startsWith('0x') ? toAddress(value) : null
    if (fixed !== null) return () => fixed
    const { word } = parameter(value)
    return log => addressOf(word(log))
  }
  return {
    has: field => mapping[field] !== undefined,
    amount,
    addressOf: addressReader,
    address: field => {
      const value = mapping[field]
      return typeof value !== 'string' || choice(field) !== null ? null : addressReader(value)
    },
    id: field => {
      const value = mapping[field]
      return typeof value === 'string' ? parameter(value).word : null
    },
    bps: field => {
      const read = amount(field)
      return read === null ? null : log => basisPoints(read(log))
    },
    text: (field, limitCodePoints) => {
      const value = mapping[field]
      return typeof value === 'string' ? textReader(parameter(value), limitCodePoints) : null
    },
    flag: field => {
      const value = mapping[field]
      return typeof value === 'string' ? flagReader(parameter(value)) : null
    },
    choice,
    call: field => {
      const value = mapping[field]
      return isCall(value) ? value : null
    },
    made: field => {
      const value = mapping[field]
      return isMade(value) ? value : null
    },
  }
}

export function isCall(value: FieldValue): value is CallMapping {
  return typeof value === 'object' && 'function' in value
}

export function isMade(value: FieldValue): value is PoolMapping {
  return typeof value === 'object' && ('factory' in value || 'hook' in value)
}

export function isNumber(value: FieldValue): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))
}

function unsigned({ word, type }: EventParameter): Reader<bigint> {
  const bits = BigInt(type.slice('uint'.length) || '256')
  const limit = 1n << bits
  return log => {
    const value = BigInt(word(log))
    if (value >= limit) throw new MalformedLogError(`expected a ${type}`)
    return value
  }
}

function basisPoints(value: bigint): number {
  if (value > MAX_BPS) throw new MalformedLogError('expected at most 10000 basis points')
  return Number(value)
}

function flagReader(parameter: EventParameter): Reader<boolean> {
  const { word, type } = parameter
  if (type !== 'bool') {
    const amount = unsigned(parameter)
    return log => amount(log) !== 0n
  }
  return log => {
    const value = BigInt(word(log))
    if (value > 1n) throw new MalformedLogError('expected a bool')
    return value === 1n
  }
}

function textReader({ isWord, type, word, bytes }: EventParameter, limitCodePoints: number): Reader<string | null> {
  // A text in a word is padded with NULs, which `cleanText` removes.
  const width = isWord ? Number(type.slice('bytes'.length)) * 2 : 0
  return log => {
    const digits = isWord ? word(log).slice(2, 2 + width) : bytes(log, MAX_TEXT_BYTES)
    return cleanText(new TextDecoder().decode(Buffer.from(digits, 'hex')), limitCodePoints)
  }
}

/** @throws `TypeError` for a required field without a reader, which the checks of the mapping exclude */
export function requireReader<T>(reader: T | null): T {
  if (reader === null) throw new TypeError('a required field has no reader')
  return reader
}

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
  /** All logs of its transaction that are watched. */
  ofTransaction(): readonly ChainLog[]
}

/** A log that may announce something, before it is decoded. */
export type LogInTransaction = Pick<MappedLog, 'log' | 'tokenSource' | 'lookup' | 'ofTransaction'>

/** A mapped event of one kind. All methods throw MalformedLogError. */
export interface MappedEvent {
  decode(mapped: MappedLog): readonly TokenEvent[]
  /** Its token events belong to the trade before it, and take effect with that trade. */
  readonly followsTrade?: true
  /** The sources that it adds. Left out: none. */
  discover?(mapped: LogInTransaction): readonly DiscoveredSource[]
  /** The addresses and pool ids that it adds if its emitter turns out to be a known source. */
  discoverFromUnknown?(mapped: Pick<MappedLog, 'log' | 'ofTransaction'>): readonly Hex[]
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

/*
 * Where parameters stand in a log (Solidity ABI specification, "Formal Specification of the Encoding"), computed once per event. A general
 * decoder would decode everything, even a hostile megabyte, for one word.
 */

export interface EventParameter {
  /** Inside a tuple, the names joined by dots. */
  readonly name: string
  readonly type: string
  readonly indexed: boolean
  /** Whether its value is one word: a number, an address, a flag or short bytes. */
  readonly isWord: boolean
  /** The word. @throws MalformedLogError */
  word(log: ChainLog): Hex
  /** At most `maxBytes` of a `string` or `bytes`, as hex digits. @throws MalformedLogError */
  bytes(log: ChainLog, maxBytes: number): string
}
