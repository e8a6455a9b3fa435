import { bytesToHex, keccak256, toRlp } from 'viem/utils'
import { mapBounded } from '#async/turns.ts'
import { readHeader } from '#chain/block.ts'
import type { Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { type ChainHeader, fieldsOf, HEX, parseHash, parseHex, parseQuantity, rlpQuantity } from '#rpc/header.ts'
import type { RpcProvider } from '#rpc/provider.ts'
import { blockByHash, isAboutCall, receiptOf, receiptsOfBlock } from '#rpc/rpcCalls.ts'
import type { RpcCall } from '#rpc/rpcEndpoint.ts'
import { faultOf, garbled, inconsistent, missing } from '#rpc/rpcFault.ts'
import { hasSameContent, orderLogs, parseLogs } from './parseLogs.ts'

type Fields = Readonly<Record<string, unknown>>

/** The largest type of a typed receipt. Source: EIP-2718. */
const MAX_TYPE = 0x7f
/**
 * Receipts of deposits on OP Stack chains have two more fields. Before Canyon they have the nonce and no version, and the trie has neither.
 */
const DEPOSIT_TYPE = 0x7e
const DEPOSIT_FIELDS = ['depositNonce', 'depositReceiptVersion']

/**
 * A receipt as its block's trie holds it: its type, unless that is 0, and then the RLP of its fields.
 * Source: EIP-658, EIP-2718, and the OP Stack's specification of deposits.
 *
 * @param raw a receipt as nodes answer it
 * @throws `RpcError` `garbled`
 */
export function encodeReceipt(raw: unknown): Hex {
  const fields = fieldsOf(raw, 'receipt')
  const type = isPresent(fields['type']) ? parseQuantity(fields['type'], 'receipt: type') : 0
  if (type > MAX_TYPE) throw garbled('receipt: type')
  const added = type === DEPOSIT_TYPE && isPresent(fields['depositReceiptVersion']) ? DEPOSIT_FIELDS : []
  const encoded = toRlp([
    isPresent(fields['status']) ? quantity(fields, 'status') : parseHash(fields['root'], 'receipt: root'),
    quantity(fields, 'cumulativeGasUsed'),
    parseHex(fields['logsBloom'], HEX.bloom, 'receipt: logsBloom'),
    logItems(fields['logs']),
    ...added.map(name => quantity(fields, name)),
  ])
  return type === 0 ? encoded : `0x${type.toString(16).padStart(2, '0')}${encoded.slice(2)}`
}

function logItems(raw: unknown): RlpItem[] {
  return listOf(raw, 'receipt: logs').map(log => {
    const { address, topics, data } = fieldsOf(log, 'log')
    return [
      parseHex(address, HEX.address, 'log: address'),
      listOf(topics, 'log: topics').map(topic => parseHash(topic, 'log: topic')),
      parseHex(data, HEX.bytes, 'log: data'),
    ]
  })
}

function listOf(raw: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(raw)) throw garbled(what)
  return raw
}

function quantity(fields: Fields, name: string): Hex {
  return rlpQuantity(parseHex(fields[name], HEX.quantity, `receipt: ${name}`))
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** What RLP encodes: bytes, or a list of items. */
type RlpItem = Hex | RlpItem[]

interface Entry {
  /** The half-bytes of the key. */
  readonly path: readonly number[]
  readonly value: Hex
}

/** A parent holds the hash of a child node, but the node itself if its RLP is shorter than a hash. */
const HASH_BYTES = 32

/**
 * The root of the Merkle-Patricia trie that holds each value under the RLP of its index, as a header commits to its block's receipts.
 * Source: the Yellow Paper, section 4.4.3 and appendix D.
 */
export function trieRoot(values: readonly Hex[]): Hex {
  const entries = values.map((value, index): Entry => ({ path: halfBytes(toRlp(indexItem(index), 'bytes')), value }))
  return keccak256(toRlp(nodeOf(entries, 0)))
}

/** The node of the entries whose paths agree up to `depth`. No path is a prefix of another. */
function nodeOf(entries: readonly Entry[], depth: number): RlpItem {
  const [first] = entries
  if (first === undefined) return '0x'
  if (entries.length === 1) return [packedPath(first.path.slice(depth), 'leaf'), first.value]
  const shared = sharedDepth(entries, first, depth)
  if (shared > depth) return [packedPath(first.path.slice(depth, shared), 'extension'), referenceTo(nodeOf(entries, shared))]
  const children = Map.groupBy(entries, ({ path }) => path[depth])
  return [...Array.from({ length: 16 }, (_, branch) => referenceTo(nodeOf(children.get(branch) ?? [], depth + 1))), '0x']
}

function sharedDepth(entries: readonly Entry[], first: Entry, depth: number): number {
  let shared = depth
  while (entries.every(({ path }) => path[shared] === first.path[shared])) shared++
  return shared
}

function referenceTo(node: RlpItem): RlpItem {
  const encoded = toRlp(node, 'bytes')
  return encoded.length < HASH_BYTES ? node : keccak256(encoded)
}

/** Hex-prefix encoding: a flag for the node's kind and for an odd length, then the half-bytes. */
function packedPath(path: readonly number[], kind: 'leaf' | 'extension'): Hex {
  const isOdd = path.length % 2
  const mark = (kind === 'leaf' ? 2 : 0) + isOdd
  return `0x${[mark, ...(isOdd ? [] : [0]), ...path].map(half => half.toString(16)).join('')}`
}

function halfBytes(bytes: Uint8Array): readonly number[] {
  return Array.from(bytesToHex(bytes).slice(2), digit => Number.parseInt(digit, 16))
}

function indexItem(index: number): Hex {
  if (index === 0) return '0x'
  const digits = index.toString(16)
  return digits.length % 2 === 0 ? `0x${digits}` : `0x0${digits}`
}

/** Blocks whose receipts are fetched at the same time: an answer may have megabytes. */
const BLOCKS_AT_ONCE = 4

/** The receipts root of a block without transactions. */
const EMPTY_ROOT = trieRoot([])

/**
 * All logs of a block from its receipts, which the header commits to: no provider can change, add or leave out one of them. The receipts
 * prove the order of the logs, but neither the numbers of their indexes nor the hashes of their transactions.
 *
 * @throws `RpcError` `inconsistent` when the receipts are not those of the header
 */
export async function fetchProvenLogs(provider: RpcProvider, header: ChainHeader): Promise<readonly ChainLog[]> {
  if (header.isProven && header.receiptsRoot === EMPTY_ROOT) return []
  const { isProven, logs } = logsOf(header, await fetchReceipts(provider, header.hash))
  if (isProven) return logs
  const sentence = `the receipts of block ${header.number} do not have the root that its header states`
  throw inconsistent(`${sentence}; a chain whose blocks all do so can not be indexed with VERIFY_LOGS=receipts`)
}

/**
 * What the receipts say of a block's logs, and whether the header commits to them. `null`: the provider does not give them.
 *
 * @param oneByOne whether receipts are asked for one by one from a provider that does not give those of a block in one answer, or none
 */
export async function readReceiptLogs(
  provider: RpcProvider,
  header: ChainHeader,
  oneByOne: boolean,
): Promise<{ readonly isProven: boolean; readonly logs: readonly ChainLog[] } | null> {
  try {
    const receipts = oneByOne ? await fetchReceipts(provider, header.hash) : await fetchReceiptsAtOnce(provider, header.hash)
    // They contradict nothing where they are asked for as a second source of logs that are there.
    return receipts.length === 0 && !oneByOne ? null : logsOf(header, receipts)
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null || !isAboutCall(fault)) throw error
    return null
  }
}

function logsOf(header: ChainHeader, receipts: readonly RawReceipt[]) {
  const { number, hash, receiptsRoot } = header
  const logs = logsOfReceipts(receipts).map(log => ({ ...log, blockNumber: number, blockHash: hash }))
  return { isProven: rootOf(receipts) === receiptsRoot && isAscending(logs), logs }
}

/** `null`: they have other fields than Ethereum's. */
function rootOf(receipts: readonly RawReceipt[]): Hex | null {
  try {
    return trieRoot(receipts.map(encodeReceipt))
  } catch (error) {
    if (faultOf(error)?.kind !== 'garbled') throw error
    return null
  }
}

/** Whether indexes of logs rise from log to log, and those of transactions from one transaction to the next. */
function isAscending(logs: readonly ChainLog[]): boolean {
  return logs.every((log, index) => {
    const before = logs[index - 1]
    if (before === undefined) return true
    return before.logIndex < log.logIndex && (before.txHash === log.txHash ? before.txIndex === log.txIndex : before.txIndex < log.txIndex)
  })
}

/**
 * Compares logs of some blocks with the receipts of these blocks. Finds changed and added logs, not missing ones.
 *
 * @throws `RpcError` `inconsistent` for a log that differs from its block's receipts
 */
export async function assertProven(provider: RpcProvider, logs: readonly ChainLog[]): Promise<void> {
  const byBlock = [...Map.groupBy(logs, ({ blockHash }) => blockHash)]
  await mapBounded(byBlock, BLOCKS_AT_ONCE, async ([hash, given]) => {
    const header = await readHeader(provider, await provider.call(blockByHash(hash)), `block ${hash}`)
    if (header.hash !== hash) throw inconsistent(`block ${header.hash} in answer to block ${hash}`)
    const proven = await fetchProvenLogs(provider, header)
    let at = 0
    for (const log of orderLogs(given)) {
      const place = proven.findIndex((one, index) => index >= at && hasSameContent(one, log))
      if (place < 0) throw inconsistent(`log ${log.logIndex} of block ${header.number} is not in the block's receipts, or in another order`)
      at = place + 1
    }
  })
}

type RawReceipt = Readonly<Record<string, unknown>>

/**
 * The receipts of a block, one by one in the order of its transactions: for a provider that does not give all of them in one answer.
 *
 * @param block the call for the block, by its number or hash
 * @throws `RpcError`, `inconsistent` when a receipt is of another block
 */
export async function fetchReceiptsOneByOne(provider: RpcProvider, block: RpcCall): Promise<readonly RawReceipt[]> {
  const raw = await provider.call(block)
  if (raw === null) throw missing('a block')
  const { hash, transactions } = fieldsOf(raw, 'block')
  const blockHash = parseHash(hash, 'block: hash')
  if (!Array.isArray(transactions)) throw garbled('block: transactions')
  const answers = await provider.calls(transactions.map(transaction => receiptOf(parseHash(transaction, 'transaction: hash'))))
  return answers.map(answer => {
    if (answer === null) throw missing('a receipt')
    const receipt = fieldsOf(answer, 'receipt')
    if (parseHash(receipt['blockHash'], 'receipt: blockHash') !== blockHash) throw inconsistent('a receipt of another block')
    return receipt
  })
}

/**
 * The receipts of the block with this hash: in one answer, or one by one where the provider gives none, since it lacks the method, they are
 * too many, or there is no transaction.
 *
 * @throws as `fetchReceiptsOneByOne`
 */
export async function fetchReceipts(provider: RpcProvider, hash: Hex): Promise<readonly RawReceipt[]> {
  try {
    const receipts = await fetchReceiptsAtOnce(provider, hash)
    // Some nodes have none in one answer for a block with transactions.
    if (receipts.length > 0) return receipts
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null || !(isAboutCall(fault) || fault.kind === 'cut-off')) throw error
  }
  return fetchReceiptsOneByOne(provider, blockByHash(hash))
}

/**
 * The receipts of the block with this hash, in one answer.
 *
 * @throws `RpcError`, also when the provider lacks the method
 */
async function fetchReceiptsAtOnce(provider: RpcProvider, hash: Hex): Promise<readonly RawReceipt[]> {
  const raw = await provider.call(receiptsOfBlock(hash))
  if (raw === null) throw missing(`the receipts of block ${hash}`)
  if (!Array.isArray(raw)) throw garbled('receipts: not a list')
  return raw.map(receipt => fieldsOf(receipt, 'receipt'))
}

/**
 * What the receipts of a block say in place of a query of that one block's logs, which failed with this error. Nodes fail at the logs of
 * single blocks forever: of transactions that their logs do not know, of events that they did not store.
 *
 * @throws the query's error where that is no fault of the node, or the receipts can't be read either
 */
export async function insteadOfQuery<T>(error: unknown, fetchFromReceipts: () => Promise<T>): Promise<T> {
  const kind = faultOf(error)?.kind
  if (kind !== 'node' && kind !== 'rejected' && kind !== 'http') throw error
  try {
    return await fetchFromReceipts()
  } catch (failure) {
    throw faultOf(failure) === null ? failure : error
  }
}

/** All logs of a block, ascending by log index, from its receipts in their order. */
export function logsOfReceipts(receipts: readonly RawReceipt[]): ChainLog[] {
  const logs: ChainLog[] = []
  for (const receipt of receipts) for (const log of parseLogs(receipt['logs'])) logs.push(log)
  return logs
}
