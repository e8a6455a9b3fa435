import { beforeEach, expect, test } from 'vitest'
import type { HolderType } from '#domain/holder.ts'
import type { Holder } from '#resources/holders.ts'
import { NOT_INDEXED, startGateway, TOKEN } from '#test/gateway/startGateway.ts'
import { holdersOf, tokenOf } from '#test/support/snapshots.ts'
import { expectProblem } from './expectProblem.ts'

const TYPES: readonly HolderType[] = ['curve', 'creator', 'wallet', 'burn', 'wallet', 'wallet']
const holders = holdersOf(6).map((holder, index) => ({ ...holder, type: TYPES[index] ?? 'wallet' }))
const gateway = await startGateway()
beforeEach(() => {
  gateway.reads.stored.holders = new Map([[TOKEN, [...holders]]])
})

const list = (query: string) => gateway.list<Holder>(`/api/tokens/${TOKEN}/holders?${query}`)
const refusal = async (query: string) => expectProblem(await gateway.get(`/api/tokens/${TOKEN}/holders?${query}`), 400, 'invalid_parameter')

test('gives holders by rank', async () => {
  expect(await list('')).toEqual({ data: holders, nextCursor: null, asOfBlock: '456' })
})

test('pages by cursor, which the order of excluded types does not change', async () => {
  const first = await list('limit=2&excludeType=curve,burn')
  const second = await list(`limit=2&excludeType=burn,curve&cursor=${first.nextCursor}`)
  expect([...first.data, ...second.data].map(holder => holder.rank)).toEqual([2, 3, 5, 6])
  expect(second.nextCursor).toBeNull()
  await refusal(`excludeType=curve&cursor=${first.nextCursor}`)
})

test('refuses unknown types', async () => {
  expect(await refusal('excludeType=curve,whale')).toBe(
    'excludeType must be 1 to 7 of wallet, creator, pool, curve, locker, burn, contract, separated by commas, got "curve,whale"',
  )
})

test.for([
  ['total', '1000.5'],
  ['circulating', '900.25'],
] as const)('the %s supply is a plain number of whole tokens', async ([name, expected]) => {
  const { stored } = gateway.reads
  stored.tokens = [tokenOf(TOKEN, 1, { totalSupply: '1000500000000000000000', decimals: 18 })]
  const types: readonly HolderType[] = ['burn', 'locker', 'pool']
  const balances = ['100000000000000000000', '250000000000000000', '300000000000000000000']
  const held = holdersOf(3).map((holder, index) => ({ ...holder, type: types[index] ?? 'wallet', balance: balances[index] ?? '0' }))
  stored.holders = new Map([[TOKEN, held]])
  const response = await gateway.get(`/api/tokens/${TOKEN}/supply/${name}`)
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await response.text()).toBe(expected)
})

test('an address that is not indexed, and a malformed one, have no supply', async () => {
  await expectProblem(await gateway.get(`/api/tokens/${NOT_INDEXED}/supply/total`), 404, 'token_not_found')
  await expectProblem(await gateway.get('/api/tokens/0x12/supply/circulating'), 400, 'invalid_parameter')
})
