import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { comparePlaces } from '#domain/eventPlace.ts'
import { fieldsOf, HEX, parseHash, parseHex, parseQuantity } from '#rpc/header.ts'
import { garbled, inconsistent, type RpcError } from '#rpc/rpcFault.ts'

const MAX_TOPICS = 4

/** The logs of an answer. */
export interface AnsweredLogs {
  readonly logs: readonly ChainLog[]
  /** Logs that are marked as removed, and that no other log of the answer takes the place of. */
  readonly removed: readonly ChainLog[]
}

/**
 * Reads the answer to `eth_getLogs`. Some nodes add logs of replaced blocks, marked as removed, to those of the chain. Such a log is left
 * out where the answer has the log unmarked as well, or logs of another block of that number. `null` is how some nodes say that there are
 * no logs.
 *
 * @throws `RpcError` `garbled` for anything that is no list of logs
 */
export function readLogs(raw: unknown): AnsweredLogs {
  if (raw === null) return { logs: [], removed: [] }
  if (!Array.isArray(raw)) throw garbled('logs: not a list')
  const logs: ChainLog[] = []
  const removed: ChainLog[] = []
  for (const one of raw) {
    const fields = fieldsOf(one, 'log')
    ;(fields['removed'] === true ? removed : logs).push(parseLog(fields))
  }
  if (removed.length === 0) return { logs, removed }
  const current = new Map(logs.map(({ blockNumber, blockHash }) => [blockNumber, blockHash]))
  const places = new Set(logs.map(placeOf))
  const isReplaced = (log: ChainLog) => places.has(placeOf(log)) || (current.get(log.blockNumber) ?? log.blockHash) !== log.blockHash
  return { logs, removed: removed.filter(log => !isReplaced(log)) }
}

function placeOf({ blockHash, logIndex }: ChainLog): string {
  return `${blockHash} ${logIndex}`
}

/**
 * The logs of one block, or of receipts, from the answer.
 *
 * @param blockHash the block that was asked for; left out: no log may be marked as removed
 * @throws `RpcError` as `readLogs`, and `inconsistent` for a log of the block that is marked as removed
 */
export function parseLogs(raw: unknown, blockHash?: Hex): readonly ChainLog[] {
  const { logs, removed } = readLogs(raw)
  if (removed.some(log => blockHash === undefined || log.blockHash === blockHash)) throw markedAsRemoved()
  return logs
}

export function markedAsRemoved(): RpcError {
  return inconsistent('a log is marked as removed')
}

function parseLog(fields: Readonly<Record<string, unknown>>): ChainLog {
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
  // Of a log without topics, which has no list at some nodes. It may be anybody's, in any block.
  if (raw === null) return []
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

/**
 * The logs by their place in the chain, each once: some providers send a log twice. Log indexes need not be consecutive: on public chains
 * they have gaps, and begin with any number.
 *
 * @throws `RpcError` `inconsistent` when a block has two hashes: then the answers are of different chains
 */
export function orderLogs(logs: readonly ChainLog[]): readonly ChainLog[] {
  const ordered: ChainLog[] = []
  for (const log of logs.toSorted(inPlaces)) {
    const before = ordered.at(-1)
    if (before?.blockNumber === log.blockNumber && before.blockHash !== log.blockHash)
      throw inconsistent(`logs of two blocks ${log.blockNumber}`)
    if (before === undefined || !isSameLog(before, log)) ordered.push(log)
  }
  return ordered
}

/** Orders logs by place, and those of one place, of which some may be equal, by content. */
function inPlaces(a: ChainLog, b: ChainLog): number {
  return comparePlaces(a, b) || (contentOf(a) < contentOf(b) ? -1 : 1)
}

/** The second of two different logs in one place; `undefined`: each has its own. Some nodes give such places to logs of the system. */
export function logInTakenPlace(ordered: readonly ChainLog[]): ChainLog | undefined {
  return ordered.find(({ blockNumber, logIndex }, at) => {
    const before = ordered[at - 1]
    return before?.blockNumber === blockNumber && before.logIndex === logIndex
  })
}

/**
 * To be called with the logs that are indexed, since their places are their keys.
 *
 * @throws `RpcError` `inconsistent` for two logs in one place
 */
export function assertOwnPlaces(ordered: readonly ChainLog[]): void {
  const log = logInTakenPlace(ordered)
  if (log !== undefined) throw inconsistent(`two logs ${log.logIndex} of block ${log.blockNumber}`)
}

/** Whether all fields are the same. */
function isSameLog(a: ChainLog, b: ChainLog): boolean {
  return (
    a.blockNumber === b.blockNumber &&
    a.blockHash === b.blockHash &&
    a.logIndex === b.logIndex &&
    a.txIndex === b.txIndex &&
    hasSameContent(a, b)
  )
}

/** Whether they are the same logs, whatever their indexes: nodes may number the logs of an answer and those of receipts differently. */
export function areSameLogs(a: readonly ChainLog[], b: readonly ChainLog[]): boolean {
  const [one, other] = [a, b].map(logs => logs.map(contentOf).toSorted())
  return a.length === b.length && one?.every((content, at) => content === other?.[at]) === true
}

/** Whether two logs are the same but for their indexes. */
export function hasSameContent(a: ChainLog, b: ChainLog): boolean {
  return contentOf(a) === contentOf(b)
}

function contentOf({ txHash, address, topics, data }: ChainLog): string {
  return `${txHash} ${address} ${topics.join()} ${data}`
}
