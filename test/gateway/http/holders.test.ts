import { expect, test } from 'vitest'
import type { HolderType } from '#domain/holder.ts'
import type { Holder } from '#resources/holders.ts'
import { holdersOf } from '#test/support/snapshots.ts'
import { type Gateway, startGateway, TOKEN } from '../startGateway.ts'
import { expectProblem } from './expectProblem.ts'

let gateway: Gateway

const TYPES: readonly HolderType[] = ['curve', 'creator', 'wallet', 'burn', 'wallet', 'wallet']

function list(query: string) {
  return gateway.list<Holder>(`/api/tokens/${TOKEN}/holders?${query}`)
}

async function start(): Promise<readonly Holder[]> {
  const holders = holdersOf(6).map((holder, index) => ({ ...holder, type: TYPES[index] ?? 'wallet' }))
  gateway = await startGateway({ stored: { holders: new Map([[TOKEN, holders]]) } })
  return holders
}

test('gives holders by rank', async () => {
  const holders = await start()
  expect(await list('')).toEqual({ data: holders, nextCursor: null, asOfBlock: '456' })
})

test('pages by cursor, which the order of excluded types does not change', async () => {
  await start()
  const first = await list('limit=2&excludeType=curve,burn')
  const second = await list(`limit=2&excludeType=burn,curve&cursor=${first.nextCursor}`)
  expect([...first.data, ...second.data].map(holder => holder.rank)).toEqual([2, 3, 5, 6])
  expect(second.nextCursor).toBeNull()
})

test('refuses unknown types and a cursor of a list with other types', async () => {
  await start()
  expect(await expectProblem(await gateway.get(`/api/tokens/${TOKEN}/holders?excludeType=curve,whale`), 400, 'invalid_parameter')).toBe(
    'excludeType must be 1 to 7 of wallet, creator, pool, curve, locker, burn, contract, separated by commas, got "curve,whale"',
  )
  const { nextCursor } = await list('limit=2')
  await expectProblem(await gateway.get(`/api/tokens/${TOKEN}/holders?excludeType=curve&cursor=${nextCursor}`), 400, 'invalid_parameter')
})
