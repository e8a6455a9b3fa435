import type { Hex } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import { fieldsOf, HEX, parseHash, parseHex, parseQuantity } from './answerFields.ts'
import { headerHash } from './headerHash.ts'
import { inconsistent, missing } from './rpcFault.ts'

/** A header with the further fields that indexing needs. */
export interface ChainHeader extends BlockHeader {
  readonly logsBloom: Hex
  /** The root of the trie of the block's receipts. */
  readonly receiptsRoot: Hex
  /** `null` on a chain without EIP-1559. */
  readonly baseFeeWei: bigint | null
  /** Whether `hash` is the hash of the header's fields. Always `false` on a chain whose headers have other fields than Ethereum's. */
  readonly isProven: boolean
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
  return {
    number,
    hash,
    parentHash: parseHash(fields['parentHash'], `${what}: parentHash`),
    timestamp: parseQuantity(fields['timestamp'], `${what}: timestamp`),
    logsBloom: parseHex(fields['logsBloom'], HEX.bloom, `${what}: logsBloom`),
    receiptsRoot: parseHash(fields['receiptsRoot'], `${what}: receiptsRoot`),
    baseFeeWei:
      fields['baseFeePerGas'] === undefined || fields['baseFeePerGas'] === null
        ? null
        : BigInt(parseHex(fields['baseFeePerGas'], HEX.quantity, `${what}: baseFeePerGas`)),
    isProven: headerHash(fields) === hash,
  }
}

/** Refuses headers whose hash is not the hash of their fields, on a chain where it is known to be. */
export interface HeaderCheck {
  /** @throws `RpcError` `inconsistent` for an unproven header, once the chain has shown a proven one */
  check(header: ChainHeader): void
  /** Whether the chain has shown a proven header. */
  provesHeaders(): boolean
}

export function createHeaderCheck(): HeaderCheck {
  let proves = false
  return {
    check: ({ number, isProven }) => {
      if (proves && !isProven) throw inconsistent(`the hash of block ${number} is not that of its fields`)
      proves ||= isProven
    },
    provesHeaders: () => proves,
  }
}
