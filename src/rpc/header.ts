import type { Hex } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import { fieldsOf, HEX, parseHash, parseHex, parseQuantity } from './answerFields.ts'
import { headerHash, unknownFieldsOf } from './headerHash.ts'
import { inconsistent, missing } from './rpcFault.ts'

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
