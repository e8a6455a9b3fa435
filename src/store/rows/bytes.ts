import type { Address, Hex } from '#domain/address.ts'

/** Hex with `0x` as the `bytea` parameter of a statement. */
export function toBytes(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}

/** A `bytea` column as lower-case hex with `0x`. */
export function toHex(bytes: Buffer): Hex {
  return `0x${bytes.toString('hex')}`
}

/** A `bytea` column that the schema keeps to 20 bytes. */
export function bytesToAddress(bytes: Buffer): Address {
  return toHex(bytes) as Address
}
