import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { fieldsOf, HEX, parseHash, parseHex, parseQuantity } from '#rpc/answerFields.ts'
import { garbled, inconsistent } from '#rpc/rpcFault.ts'

const MAX_TOPICS = 4

/**
 * Reads the answer to `eth_getLogs`.
 *
 * @throws `RpcError` `garbled` for anything that is no list of logs, `inconsistent` for a log that is marked as removed
 */
export function parseLogs(raw: unknown): ChainLog[] {
  if (!Array.isArray(raw)) throw garbled('logs: not a list')
  return raw.map(parseLog)
}

function parseLog(raw: unknown): ChainLog {
  const fields = fieldsOf(raw, 'log')
  if (fields['removed'] === true) throw inconsistent('a log is marked as removed')
  return {
    address: interned(fields['address'], addresses),
    topics: parseTopics(fields['topics']),
    data: parseHex(fields['data'], HEX.bytes, 'log: data'),
    blockNumber: parseQuantity(fields['blockNumber'], 'log: blockNumber'),
    blockHash: interned(fields['blockHash'], hashes),
    txHash: interned(fields['transactionHash'], hashes),
    txIndex: parseQuantity(fields['transactionIndex'], 'log: transactionIndex'),
    logIndex: parseQuantity(fields['logIndex'], 'log: logIndex'),
  }
}

function parseTopics(raw: unknown): readonly Hex[] {
  if (!Array.isArray(raw) || raw.length > MAX_TOPICS) throw garbled('log: topics')
  return raw.map(topic => interned(topic, topics))
}

/** The last texts of one kind: one string for each, by the text as it stands in answers. */
interface Interned<T extends Hex> {
  readonly parse: (raw: unknown) => T
  readonly texts: Map<unknown, T>
}

/** Bounds the memory: some 2 MiB each. */
const MAX_INTERNED = 16_384

const addresses: Interned<Address> = { parse: raw => parseHex(raw, HEX.address, 'log: address') as Address, texts: new Map() }
const topics: Interned<Hex> = { parse: raw => parseHash(raw, 'log: topic'), texts: new Map() }
/** Hashes of blocks and transactions: consecutive logs share them. */
const hashes: Interned<Hex> = { parse: raw => parseHash(raw, 'log: hash'), texts: new Map() }

/**
 * The same few addresses, topics and hashes fill most of an answer. One string for each is checked once, and compared and looked up faster.
 */
function interned<T extends Hex>(raw: unknown, { parse, texts }: Interned<T>): T {
  const known = texts.get(raw)
  if (known !== undefined) return known
  const text = parse(raw)
  if (texts.size >= MAX_INTERNED) texts.clear()
  texts.set(raw, text)
  return text
}
