import { type Hex, parseAddress } from '#domain/address.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'
import { RpcError } from './rpcFault.ts'

/** A header with what checking its logs and reporting the chain's condition need beside. */
export interface ChainHeader extends BlockHeader {
  readonly logsBloom: Hex
  /** `null` on a chain without EIP-1559. */
  readonly baseFeeWei: bigint | null
}

const QUANTITY = /^0x[0-9a-f]{1,14}$/i
const WIDE_QUANTITY = /^0x[0-9a-f]{1,64}$/i
const HASH = /^0x[0-9a-f]{64}$/i
const BLOOM = /^0x[0-9a-f]{512}$/i
const BYTES = /^0x[0-9a-f]*$/i

/**
 * Reads the answer to `eth_getBlockByNumber` or `eth_getBlockByHash`.
 *
 * @param what names the block in an error: "block 12", "the head"
 * @throws `RpcError` `missing` for `null`, `garbled` for anything that is no block
 */
export function parseHeader(raw: unknown, what: string): ChainHeader {
  if (raw === null) throw new RpcError({ kind: 'missing', what })
  const fields = recordOf(raw, what)
  return {
    number: parseQuantity(fields['number'], `${what}: number`),
    hash: parseHash(fields['hash'], `${what}: hash`),
    parentHash: parseHash(fields['parentHash'], `${what}: parentHash`),
    timestamp: parseQuantity(fields['timestamp'], `${what}: timestamp`),
    logsBloom: match(fields['logsBloom'], BLOOM, `${what}: logsBloom`),
    baseFeeWei:
      fields['baseFeePerGas'] === undefined || fields['baseFeePerGas'] === null
        ? null
        : BigInt(match(fields['baseFeePerGas'], WIDE_QUANTITY, `${what}: baseFeePerGas`)),
  }
}

/**
 * Reads the answer to `eth_getLogs`.
 *
 * @throws `RpcError` `garbled` for anything that is no list of logs, `inconsistent` for a log that is marked as removed
 */
export function parseLogs(raw: unknown): ChainLog[] {
  if (!Array.isArray(raw)) throw new RpcError({ kind: 'garbled', what: 'logs: not a list' })
  return raw.map(parseLog)
}

function parseLog(raw: unknown): ChainLog {
  const fields = recordOf(raw, 'log')
  if (fields['removed'] === true) throw new RpcError({ kind: 'inconsistent', what: 'a log is marked as removed' })
  const address = parseAddress(fields['address'])
  if (address === undefined) throw new RpcError({ kind: 'garbled', what: 'log: address' })
  const topics: unknown = fields['topics']
  if (!Array.isArray(topics) || topics.length > 4) throw new RpcError({ kind: 'garbled', what: 'log: topics' })
  const data = match(fields['data'], BYTES, 'log: data')
  if (data.length % 2 !== 0) throw new RpcError({ kind: 'garbled', what: 'log: data' })
  return {
    address,
    topics: topics.map(topic => parseHash(topic, 'log: topic')),
    data,
    blockNumber: parseQuantity(fields['blockNumber'], 'log: blockNumber'),
    blockHash: parseHash(fields['blockHash'], 'log: blockHash'),
    txHash: parseHash(fields['transactionHash'], 'log: transactionHash'),
    txIndex: parseQuantity(fields['transactionIndex'], 'log: transactionIndex'),
    logIndex: parseQuantity(fields['logIndex'], 'log: logIndex'),
  }
}

/** @throws `RpcError` `garbled` when it is not a hex quantity that a number holds exactly */
export function parseQuantity(raw: unknown, what: string): number {
  const value = Number(match(raw, QUANTITY, what))
  if (!Number.isSafeInteger(value)) throw new RpcError({ kind: 'garbled', what })
  return value
}

function parseHash(raw: unknown, what: string): Hex {
  return match(raw, HASH, what)
}

function match(raw: unknown, pattern: RegExp, what: string): Hex {
  if (typeof raw !== 'string' || !pattern.test(raw)) throw new RpcError({ kind: 'garbled', what })
  return raw.toLowerCase() as Hex
}

function recordOf(raw: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof raw !== 'object' || raw === null) throw new RpcError({ kind: 'garbled', what: `${what}: not an object` })
  return raw as Readonly<Record<string, unknown>>
}
