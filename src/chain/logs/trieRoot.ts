import { bytesToHex, keccak256, toRlp } from 'viem/utils'
import type { Hex } from '#domain/address.ts'

/** What RLP encodes: bytes, or a list of items. */
export type RlpItem = Hex | RlpItem[]

interface Entry {
  /** The half-bytes of the key. */
  readonly path: readonly number[]
  readonly value: Hex
}

/** A parent holds the hash of a child node, but the node itself if its RLP is shorter than a hash. */
const HASH_BYTES = 32

/**
 * The root of the Merkle-Patricia trie that holds each value under the RLP of its index, as a header commits to its block's receipts.
 * Source: the Yellow Paper, section 4.4.3 and appendix D.
 */
export function trieRoot(values: readonly Hex[]): Hex {
  const entries = values.map((value, index): Entry => ({ path: halfBytes(toRlp(indexItem(index), 'bytes')), value }))
  return keccak256(toRlp(nodeOf(entries, 0)))
}

/** The node of the entries whose paths agree up to `depth`. No path is a prefix of another. */
function nodeOf(entries: readonly Entry[], depth: number): RlpItem {
  const [first] = entries
  if (first === undefined) return '0x'
  if (entries.length === 1) return [packedPath(first.path.slice(depth), 'leaf'), first.value]
  const shared = sharedDepth(entries, first, depth)
  if (shared > depth) return [packedPath(first.path.slice(depth, shared), 'extension'), referenceTo(nodeOf(entries, shared))]
  const children = Map.groupBy(entries, ({ path }) => path[depth])
  return [...Array.from({ length: 16 }, (_, branch) => referenceTo(nodeOf(children.get(branch) ?? [], depth + 1))), '0x']
}

function sharedDepth(entries: readonly Entry[], first: Entry, depth: number): number {
  let shared = depth
  while (entries.every(({ path }) => path[shared] === first.path[shared])) shared++
  return shared
}

function referenceTo(node: RlpItem): RlpItem {
  const encoded = toRlp(node, 'bytes')
  return encoded.length < HASH_BYTES ? node : keccak256(encoded)
}

/** Hex-prefix encoding: a flag for the node's kind and for an odd length, then the half-bytes. */
function packedPath(path: readonly number[], kind: 'leaf' | 'extension'): Hex {
  const isOdd = path.length % 2
  const mark = (kind === 'leaf' ? 2 : 0) + isOdd
  return `0x${[mark, ...(isOdd ? [] : [0]), ...path].map(half => half.toString(16)).join('')}`
}

function halfBytes(bytes: Uint8Array): readonly number[] {
  return Array.from(bytesToHex(bytes).slice(2), digit => Number.parseInt(digit, 16))
}

function indexItem(index: number): Hex {
  if (index === 0) return '0x'
  const digits = index.toString(16)
  return digits.length % 2 === 0 ? `0x${digits}` : `0x0${digits}`
}
