import { describe, expect, it } from 'vitest'
import { fetchSenders } from '#chain/transactionSenders.ts'
import type { Hex } from '#domain/address.ts'
import type { RpcProvider } from '#rpc/rpc.ts'
import { testAddress } from '#test/support/simulatedChain.ts'

const hash = (digit: string): Hex => `0x${digit.repeat(64)}`
const asked = { txHash: hash('a'), blockHash: hash('b') }
const transaction = { hash: asked.txHash, blockHash: asked.blockHash, from: testAddress(7) }
const sendersIn = (...answers: readonly unknown[]) => {
  const provider = { calls: async () => answers } as unknown as RpcProvider
  return fetchSenders(
    provider,
    answers.map(() => asked),
  )
}

describe('the senders of transactions', () => {
  it('are read in the order in which they were asked for, whatever the letter case', async () => {
    const shouted = { ...transaction, hash: `0x${'A'.repeat(64)}`, from: testAddress(8) }
    expect(await sendersIn(transaction, shouted)).toEqual([testAddress(7), testAddress(8)])
  })

  it.each([
    ['nothing', null, 'missing'],
    ['a pending transaction', { ...transaction, blockHash: null }, 'missing'],
    ['another transaction', { ...transaction, hash: hash('c') }, 'inconsistent'],
    ['a transaction of another block', { ...transaction, blockHash: hash('c') }, 'inconsistent'],
    ['no sender', { ...transaction, from: '0x12' }, 'garbled'],
    ['no object', 'yes', 'garbled'],
  ])('are not taken from %s', async (_, answer, kind) => {
    await expect(sendersIn(answer)).rejects.toMatchObject({ fault: { kind } })
  })
})
