import type { Hex } from '#domain/address.ts'

/** Hex with `0x` as a `bytea` parameter. */
export function toBytes(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}
