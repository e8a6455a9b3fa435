import type { Hex } from '#domain/address.ts'
import { RpcError } from './rpcFault.ts'

const QUANTITY = /^0x[0-9a-f]{1,14}$/i
const HASH = /^0x[0-9a-f]{64}$/i

/** @throws `RpcError` `garbled` when it is not an object */
export function fieldsOf(raw: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof raw !== 'object' || raw === null) throw new RpcError({ kind: 'garbled', what: `${what}: not an object` })
  return raw as Readonly<Record<string, unknown>>
}

/** @throws `RpcError` `garbled` when it is not a hex quantity that a number holds exactly */
export function parseQuantity(raw: unknown, what: string): number {
  const value = Number(parseHex(raw, QUANTITY, what))
  if (!Number.isSafeInteger(value)) throw new RpcError({ kind: 'garbled', what })
  return value
}

export function parseHash(raw: unknown, what: string): Hex {
  return parseHex(raw, HASH, what)
}

/** @throws `RpcError` `garbled` when it is not of the pattern */
export function parseHex(raw: unknown, pattern: RegExp, what: string): Hex {
  if (typeof raw !== 'string' || !pattern.test(raw)) throw new RpcError({ kind: 'garbled', what })
  return raw.toLowerCase() as Hex
}
