import { toRlp } from 'viem/utils'
import type { Hex } from '#domain/address.ts'
import { fieldsOf, HEX, parseHash, parseHex, parseQuantity } from '#rpc/answerFields.ts'
import { rlpQuantity } from '#rpc/headerHash.ts'
import { garbled } from '#rpc/rpcFault.ts'
import type { RlpItem } from './trieRoot.ts'

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
