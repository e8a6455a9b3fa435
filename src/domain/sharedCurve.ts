import type { Address, Hex } from './address.ts'

const PADDING = '0'.repeat(24)

/** The key of a token's curve where one contract holds the curves of all tokens: the token's address in 32 bytes. */
export function sharedCurveOf(token: Address): Hex {
  return `0x${PADDING}${token.slice(2)}`
}

/** The key of a pool as the API shows it: the token's address for a curve in a shared contract, else the key itself. */
export function shownPool(key: Hex): Hex {
  return key.length === 66 && key.startsWith(PADDING, 2) ? `0x${key.slice(2 + PADDING.length)}` : key
}
