import type { Hex } from '#domain/address.ts'
import { garbled } from './rpcFault.ts'

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
