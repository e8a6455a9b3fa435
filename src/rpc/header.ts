import { keccak256, toRlp } from 'viem/utils'
import type { Hex } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import { garbled, inconsistent, missing } from './rpcFault.ts'

/** A header with the further fields that indexing needs. */
export interface ChainHeader extends BlockHeader {
  /** `null` on a chain that leaves it out, or has another kind of bloom. */
  readonly logsBloom: Hex | null
  /** The root of the trie of the block's receipts; `null` on a chain that leaves it out. */
  readonly receiptsRoot: Hex | null
  /** `null` on a chain without EIP-1559. */
  readonly baseFeeWei: bigint | null
  /** Whether `hash` is the hash of the fields. Never so where a chain or a fork has fields that `headerHash` does not know. */
  readonly isProven: boolean
  /** The names in the answer that may be such fields; empty when it is proven. */
  readonly unknownFields: readonly string[]
}

/**
 * Reads the answer to `eth_getBlockByNumber` or `eth_getBlockByHash`.
 *
 * @param what names the block in an error: "block 12", "the head"
 * @param asked the number that was asked for. Default: any
 * @throws `RpcError` `missing` for `null`, `garbled` for anything that is no block, `inconsistent` for a block of another number
 */
export function parseHeader(raw: unknown, what: string, asked?: number): ChainHeader {
  if (raw === null) throw missing(what)
  const fields = fieldsOf(raw, what)
  const number = parseQuantity(fields['number'], `${what}: number`)
  if (asked !== undefined && number !== asked) throw inconsistent(`block ${number} in answer to ${what}`)
  const hash = parseHash(fields['hash'], `${what}: hash`)
  const isProven = headerHash(fields) === hash
  return {
    number,
    hash,
    parentHash: parseHash(fields['parentHash'], `${what}: parentHash`),
    timestamp: parseQuantity(fields['timestamp'], `${what}: timestamp`),
    logsBloom: hexOrNull(fields['logsBloom'], HEX.bloom),
    receiptsRoot: hexOrNull(fields['receiptsRoot'], HEX.hash),
    baseFeeWei:
      fields['baseFeePerGas'] === undefined || fields['baseFeePerGas'] === null
        ? null
        : BigInt(parseHex(fields['baseFeePerGas'], HEX.quantity, `${what}: baseFeePerGas`)),
    isProven,
    unknownFields: isProven ? [] : unknownFieldsOf(fields),
  }
}

function hexOrNull(value: unknown, pattern: RegExp): Hex | null {
  return typeof value === 'string' && pattern.test(value) ? (value.toLowerCase() as Hex) : null
}

/** Whether all that is stored of a header, or checked against it, is the same. */
export function isSameHeader(a: ChainHeader, b: ChainHeader): boolean {
  return a.hash === b.hash && a.parentHash === b.parentHash && a.timestamp === b.timestamp && a.receiptsRoot === b.receiptsRoot
}

/** The patterns of the hex values in answers. */
export const HEX = {
  address: /^0x[0-9a-f]{40}$/i,
  hash: /^0x[0-9a-f]{64}$/i,
  bloom: /^0x[0-9a-f]{512}$/i,
  bytes: /^0x(?:[0-9a-f]{2})*$/i,
  /** Up to 256 bits. */
  quantity: /^0x[0-9a-f]{1,64}$/i,
} as const

/** @throws `RpcError` `garbled` when it is not an object */
export function fieldsOf(raw: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof raw !== 'object' || raw === null) throw garbled(`${what}: not an object`)
  return raw as Readonly<Record<string, unknown>>
}

/** @throws `RpcError` `garbled` when it is not a hex quantity that a number holds exactly */
export function parseQuantity(raw: unknown, what: string): number {
  const value = Number(parseHex(raw, HEX.quantity, what))
  if (!Number.isSafeInteger(value)) throw garbled(what)
  return value
}

export function parseHash(raw: unknown, what: string): Hex {
  return parseHex(raw, HEX.hash, what)
}

/** @throws `RpcError` `garbled` when it is not of the pattern */
export function parseHex(raw: unknown, pattern: RegExp, what: string): Hex {
  if (typeof raw !== 'string' || !pattern.test(raw)) throw garbled(what)
  return raw.toLowerCase() as Hex
}

/** The fields of every header, in the order of its RLP. Source: the Yellow Paper, section 4.4. */
const FRONTIER_FIELDS = [
  'parentHash',
  'sha3Uncles',
  'miner',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'logsBloom',
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'extraData',
  'mixHash',
  'nonce',
]
/** Fields that forks have added at the end: London, Shanghai, Cancun (three), Prague, Amsterdam (two). */
const FORK_FIELDS = [
  'baseFeePerGas',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
  'blockAccessListHash',
  'slotNumber',
]
const QUANTITIES: ReadonlySet<string> = new Set([
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'baseFeePerGas',
  'blobGasUsed',
  'excessBlobGas',
  'slotNumber',
])

/** What an answer has of a block besides its header. */
const OTHER_FIELDS = ['hash', 'size', 'totalDifficulty', 'transactions', 'uncles', 'withdrawals']
const KNOWN_FIELDS: ReadonlySet<string> = new Set([...FRONTIER_FIELDS, ...FORK_FIELDS, ...OTHER_FIELDS])

/** The names in an answer that may be fields of the header which `headerHash` does not know. */
function unknownFieldsOf(fields: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(fields).filter(name => !KNOWN_FIELDS.has(name))
}

/**
 * The hash of a header, computed from its fields: keccak-256 of their RLP. This is the block's hash on Ethereum and on chains with the same
 * header fields.
 *
 * @param fields the answer to `eth_getBlockByNumber`
 * @returns `null` when a field is missing or is no hex
 */
export function headerHash(fields: Readonly<Record<string, unknown>>): Hex | null {
  const present = FORK_FIELDS.filter(name => fields[name] !== undefined && fields[name] !== null)
  const encoded = [...FRONTIER_FIELDS, ...present].map(name => (QUANTITIES.has(name) ? quantity(fields[name]) : bytes(fields[name])))
  return encoded.every(value => value !== null) ? keccak256(toRlp(encoded, 'bytes')) : null
}

function bytes(value: unknown): Hex | null {
  return typeof value === 'string' && HEX.bytes.test(value) ? (value as Hex) : null
}

function quantity(value: unknown): Hex | null {
  return typeof value === 'string' && HEX.quantity.test(value) ? rlpQuantity(value as Hex) : null
}

/** RLP encodes a number as its bytes without leading zeros, so zero as no bytes. */
export function rlpQuantity(value: Hex): Hex {
  const digits = value.slice(2).replace(/^0+/, '')
  return digits.length % 2 === 0 ? `0x${digits}` : `0x0${digits}`
}
