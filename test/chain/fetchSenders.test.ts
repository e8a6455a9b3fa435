import { describe, expect, it } from 'vitest'
import { fetchSenders } from '#chain/chainSource.ts'
import type { Hex } from '#domain/address.ts'
import type { RpcProvider } from '#rpc/provider.ts'
import type { RpcCall } from '#rpc/rpcEndpoint.ts'
import { RpcError, type RpcFault } from '#rpc/rpcFault.ts'
import { testAddress } from '#test/support/simulatedChain.ts'

const hash = (digit: string): Hex => `0x${digit.repeat(64)}`
const BLOCK = hash('b')
const asked = { txHash: hash('a'), blockHash: BLOCK, txIndex: 7 }
const transaction = { hash: asked.txHash, blockHash: BLOCK, from: testAddress(7) }
const another = { ...transaction, hash: hash('c'), from: testAddress(9) }
const refused: RpcFault = { kind: 'node', code: -32_000, text: 'transaction indexing is in progress' }

/** A provider with these answers to the transaction at the index, and to its block. */
const senderIn = async (atPlace: unknown, block: unknown) => {
  const call = async ({ method }: RpcCall) => {
    const answer = method === 'eth_getBlockByHash' ? block : atPlace
    if (answer === refused) throw new RpcError(refused)
    return answer
  }
  const provider = { call, calls: (calls: readonly RpcCall[]) => Promise.all(calls.map(call)) } as unknown as RpcProvider
  return (await fetchSenders(provider, [asked]))[0]
}

describe('the senders of transactions', () => {
  it('are those at the index in the block, whatever the letter case', async () => {
    const shouted = { hash: `0x${'A'.repeat(64)}`, blockHash: `0x${'B'.repeat(64)}`, from: testAddress(8) }
    expect(await senderIn(shouted, null)).toBe(testAddress(8))
  })

  // Indexing stopped before the first block whose transactions the node no longer knew by hash.
  it.each([
    ['lacks the transaction at the index', null],
    ['does not answer by index', refused],
    ['has another transaction at the index, since indexes have gaps', another],
    ['has one of another block there', { ...transaction, blockHash: hash('d') }],
  ])('are read from the whole block where the provider %s', async (_, atPlace) => {
    expect(await senderIn(atPlace, { hash: BLOCK, transactions: [another, transaction] })).toBe(testAddress(7))
  })

  it.each([
    ['a block that is not there', null, 'missing'],
    ['a block without the transaction', { hash: BLOCK, transactions: [another] }, 'missing'],
    ['another block', { hash: hash('d'), transactions: [transaction] }, 'inconsistent'],
    ['a block without transactions', { hash: BLOCK }, 'garbled'],
    ['no sender', { hash: BLOCK, transactions: [{ ...transaction, from: '0x12' }] }, 'garbled'],
    ['no objects', { hash: BLOCK, transactions: [asked.txHash] }, 'garbled'],
  ])('are not taken from %s', async (_, block, kind) => {
    await expect(senderIn(null, block)).rejects.toMatchObject({ fault: { kind } })
  })
})
