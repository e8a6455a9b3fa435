import { type Address, type Hex, parseAddress } from '#domain/address.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'
import type { LogTest } from './logFilter.ts'
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
  return parseSomeLogs(raw, () => true).logs
}

/**
 * Reads those of the logs that are wanted, by their address and topics; of the others nothing else is looked at or kept.
 *
 * @throws as `parseLogs`
 */
export function parseSomeLogs(raw: unknown, isWanted: LogTest): { readonly logs: ChainLog[]; readonly all: number } {
  if (!Array.isArray(raw)) throw new RpcError({ kind: 'garbled', what: 'logs: not a list' })
  const texts = new LogTexts()
  const logs: ChainLog[] = []
  for (const one of raw) {
    const fields = recordOf(one, 'log')
    const address = texts.address(fields['address'])
    const topics: unknown = fields['topics']
    if (!Array.isArray(topics) || topics.length > 4) throw new RpcError({ kind: 'garbled', what: 'log: topics' })
    if (isWanted(address, position => (position < topics.length ? texts.topic(topics[position]) : undefined)))
      logs.push(parseLog(fields, address, topics, texts))
  }
  return { logs, all: raw.length }
}

/**
 * The checked texts of one answer. It holds few addresses and topics, again and again: each is kept once, so that the same text is the same string,
 * which is compared and looked up at once. Hashes of blocks and transactions are those of the log before or new.
 */
class LogTexts {
  readonly #topics = new Map<unknown, Hex>()
  readonly #addresses = new Map<unknown, Address>()
  readonly #last: Record<'blockHash' | 'transactionHash', Hex | null> = { blockHash: null, transactionHash: null }

  topic(raw: unknown): Hex {
    const known = this.#topics.get(raw)
    if (known !== undefined) return known
    const topic = parseHash(raw, 'log: topic')
    this.#topics.set(raw, topic)
    return topic
  }

  address(raw: unknown): Address {
    const known = this.#addresses.get(raw)
    if (known !== undefined) return known
    const address = parseAddress(raw)
    if (address === undefined) throw new RpcError({ kind: 'garbled', what: 'log: address' })
    this.#addresses.set(raw, address)
    return address
  }

  hash(fields: Readonly<Record<string, unknown>>, name: 'blockHash' | 'transactionHash'): Hex {
    const last = this.#last[name]
    if (last !== null && fields[name] === last) return last
    const hash = parseHash(fields[name], `log: ${name}`)
    this.#last[name] = hash
    return hash
  }
}

function parseLog(fields: Readonly<Record<string, unknown>>, address: Address, topics: readonly unknown[], texts: LogTexts): ChainLog {
  if (fields['removed'] === true) throw new RpcError({ kind: 'inconsistent', what: 'a log is marked as removed' })
  const data = match(fields['data'], BYTES, 'log: data')
  if (data.length % 2 !== 0) throw new RpcError({ kind: 'garbled', what: 'log: data' })
  return {
    address,
    topics: topics.map(topic => texts.topic(topic)),
    data,
    blockNumber: parseQuantity(fields['blockNumber'], 'log: blockNumber'),
    blockHash: texts.hash(fields, 'blockHash'),
    txHash: texts.hash(fields, 'transactionHash'),
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
