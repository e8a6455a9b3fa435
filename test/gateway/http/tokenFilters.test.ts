import { expect, test } from 'vitest'
import type { Token } from '#resources/token.ts'
import { addressOf, tokenOf } from '#test/support/snapshots.ts'
import { type Gateway, startGateway } from '../startGateway.ts'
import { expectProblem } from './expectProblem.ts'

let gateway: Gateway

function sixTokens(): Token[] {
  return [1, 2, 3, 4, 5, 6].map(n => {
    const token = tokenOf(addressOf(n), 1_000 + n, { createdAt: new Date(1_795_000_000_000 + n * 1_000).toISOString() })
    return {
      ...token,
      launchpad: n % 2 === 0 ? 'wow' : 'clanker',
      market: { ...token.market, marketCapWeth: n === 6 ? null : `${n}.5`, holderCount: n * 10 },
      graduation: { ...token.graduation, status: n === 1 ? 'migrated' : 'bonding', percent: n * 10 },
    } satisfies Token
  })
}

const LAUNCHPADS = ['wow', 'clanker'].map(name => ({ name, adapter: name, startBlock: 0, contracts: {} }))

const startWith = async () =>
  (gateway = await startGateway({
    stored: { tokens: sixTokens() },
    config: { launchpads: { weth: addressOf(0xee), launchpads: LAUNCHPADS } },
  }))

test.each([
  ['status=migrated', [1]],
  ['status=bonding,migrated&launchpad=clanker', [1, 3, 5]],
  ['launchpad=wow,clanker', [1, 2, 3, 4, 5, 6]],
  ['minMarketCap=3.5', [3, 4, 5]],
  ['minMarketCap=3.5&minHolders=50', [5]],
  ['minGraduation=40.5', [5, 6]],
  ['minLiquidity=4.3', []],
  ['minVolume24h=40', [1, 2, 3, 4, 5, 6]],
  ['createdAfter=1795000002&createdBefore=1795000005', [3, 4]],
])('lists only tokens that fit: %s', async (query, numbers) => {
  await startWith()
  const response = await gateway.get(`/api/tokens?order=asc&${query}`)
  expect(response.status).toBe(200)
  const { data } = (await response.json()) as { data: readonly Token[] }
  expect(data.map(({ address }) => address)).toEqual(numbers.map(addressOf))
})

test.each([
  ['launchpad=wow,moon', 'launchpad must be of wow, clanker, got "moon"'],
  ['status=bonding,dead', 'status must be 1 to 4 of none, bonding, completed, migrated, separated by commas, got "bonding,dead"'],
  ['minGraduation=100.1', 'minGraduation must be a number from 0 to 100, got "100.1"'],
  ['minMarketCap=-1', 'minMarketCap must be a decimal number of at most 18 digits on each side of the point, got "-1"'],
])('refuses %s', async (query, detail) => {
  await startWith()
  expect(await expectProblem(await gateway.get(`/api/tokens?${query}`), 400, 'invalid_parameter')).toBe(detail)
})

test('goes on only in the list with the same filters, in any order of their items', async () => {
  await startWith()
  const { nextCursor } = (await (await gateway.get('/api/tokens?limit=2&status=bonding,migrated')).json()) as { nextCursor: string }
  expect((await gateway.get(`/api/tokens?limit=2&status=migrated,bonding&cursor=${nextCursor}`)).status).toBe(200)
  expect((await gateway.get(`/api/tokens?limit=2&status=bonding&cursor=${nextCursor}`)).status).toBe(400)
  expect((await gateway.get(`/api/tokens?limit=2&status=bonding,migrated&minHolders=1&cursor=${nextCursor}`)).status).toBe(400)
})
