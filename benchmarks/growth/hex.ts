import type { Address, Hex } from '#domain/address.ts'
import { createRandom } from './random.ts'

const HEX16 = Array.from({ length: 65_536 }, (_, value) => value.toString(16).padStart(4, '0'))

/** Namespaces, so that no two kinds of things share an address or a hash. */
export const SPACES = { token: 1, pool: 2, graduated: 3, wallet: 4, creator: 5, contract: 6, block: 7, transaction: 8 } as const
export type Space = keyof typeof SPACES

/** The n-th address of a namespace, pseudo-random. */
export function addressOf(space: Space, n: number): Address {
  return `0x${digits(space, n, 5)}` as Address
}

/** The n-th 32-byte hash of a namespace. */
export function hashOf(space: Space, n: number): Hex {
  return `0x${digits(space, n, 8)}`
}

function digits(space: Space, n: number, words: number): string {
  const random = createRandom(Math.imul(SPACES[space], 0x5bd1e995) ^ Math.imul(n, 0x2545f491) ^ Math.floor(n / 2 ** 32))
  let text = ''
  for (let index = 0; index < words; index++) {
    const word = random.word()
    text += `${HEX16[word >>> 16]}${HEX16[word & 0xffff]}`
  }
  return text
}
