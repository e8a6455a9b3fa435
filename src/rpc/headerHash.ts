import { keccak256, toRlp } from 'viem/utils'
import type { Hex } from '#domain/address.ts'
import { HEX } from './answerFields.ts'

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
export function unknownFieldsOf(fields: Readonly<Record<string, unknown>>): readonly string[] {
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
