import { expect, test } from 'vitest'
import { type Address, toAddress } from '#domain/address.ts'
import { findMissingContracts } from '#worker/openIndexing.ts'

const FACTORY = toAddress(`0x${'1'.repeat(40)}`)
const NOBODY = toAddress(`0x${'2'.repeat(40)}`)

test('names the contracts that the chain does not have', async () => {
  const asked: unknown[] = []
  const rpc = {
    async request(call: { readonly method: string; readonly params?: unknown }) {
      asked.push(call)
      return JSON.stringify(call.params).includes(FACTORY) ? '0x6000' : '0x'
    },
  }
  const contract = (address: Address) => ({ address, role: 'contract' }) as const
  const adapters = [
    { launchpad: 'right', contracts: [contract(FACTORY)] },
    { launchpad: 'wrong', contracts: [contract(FACTORY), contract(NOBODY)] },
  ]
  expect(await findMissingContracts(rpc, adapters)).toEqual([{ launchpad: 'wrong', address: NOBODY }])
  expect(asked).toContainEqual({ method: 'eth_getCode', params: [NOBODY, 'latest'] })
})
