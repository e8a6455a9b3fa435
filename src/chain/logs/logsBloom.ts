import { bytesToHex, keccak256 } from 'viem/utils'
import type { Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'

const BLOOM_BYTES = 256

/**
 * How a header's bloom and some logs go together. `lacks`: the bloom does not hold all of the logs. `exceeds`: it holds them and more, so
 * logs may be missing.
 */
export type BloomFit = 'fits' | 'lacks' | 'exceeds'

/** @param bloom `null`: the header has none */
export function bloomFit(bloom: Hex | null, logs: readonly Pick<ChainLog, 'address' | 'topics'>[]): BloomFit {
  if (bloom === null) return 'lacks'
  const held = logsBloom(logs)
  if (held === bloom) return 'fits'
  return (BigInt(held) & ~BigInt(bloom)) === 0n ? 'exceeds' : 'lacks'
}

/**
 * The 2048-bit bloom filter of a block's logs, as its header has it: three bits for each address and topic of a log.
 * Source: the Yellow Paper, section 4.4.1 (M3:2048). Costs one keccak-256 per address and topic that is not cached.
 */
export function logsBloom(logs: readonly Pick<ChainLog, 'address' | 'topics'>[]): Hex {
  const items = new Set<Hex>()
  for (const log of logs) {
    items.add(log.address)
    for (const topic of log.topics) items.add(topic)
  }
  const bloom = new Uint8Array(BLOOM_BYTES)
  for (const item of items) {
    for (const bit of bitsOf(item)) {
      const index = BLOOM_BYTES - 1 - (bit >> 3)
      bloom[index] = (bloom[index] ?? 0) | (1 << (bit & 7))
    }
  }
  return bytesToHex(bloom)
}

/** The bits of the last addresses and topics: the next block holds many of them again. */
const knownBits = new Map<Hex, readonly number[]>()
const MAX_KNOWN = 20_000

function bitsOf(item: Hex): readonly number[] {
  const known = knownBits.get(item)
  if (known !== undefined) return known
  const hash = keccak256(item, 'bytes')
  const bits = [0, 2, 4].map(at => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2_047)
  if (knownBits.size >= MAX_KNOWN) knownBits.clear()
  knownBits.set(item, bits)
  return bits
}
