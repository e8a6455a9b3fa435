import { beforeEach, expect, test } from 'vitest'
import { ZERO_ADDRESS } from '#domain/address.ts'
import type { ActorState } from '#resources/actors.ts'
import type { Claimable } from '#resources/claimable.ts'
import { addressOf, tokenOf } from '#test/support/snapshots.ts'
import { aClaimable } from '#test/support/walletRows.ts'
import { startGateway, TOKEN } from '../startGateway.ts'
import { expectProblem } from './expectProblem.ts'

const gateway = await startGateway()
const [conditions, stored] = [{ ...gateway.conditions }, { ...gateway.reads.stored }]
beforeEach(() => {
  Object.assign(gateway.conditions, conditions)
  Object.assign(gateway.reads.stored, stored)
})

const CREATOR = addressOf(0xc0)

const CLAIMABLE: Claimable = { token: TOKEN, creator: CREATOR, asOfBlock: '456', claimable: [aClaimable()] }

test('gives what a creator can claim, with its USD value', async () => {
  gateway.reads.stored.claimables = [CLAIMABLE]
  const response = await gateway.get(`/api/tokens/${TOKEN}/claimable?creator=${CREATOR}`)
  expect(await response.json()).toEqual({ ...CLAIMABLE, claimable: [{ ...CLAIMABLE.claimable[0], amountUsd: '930' }] })
})

test('prices ETH and WETH by address, whatever a creator calls a token', async () => {
  const [weth] = CLAIMABLE.claimable
  if (weth === undefined) expect.unreachable()
  const claimable = [
    weth,
    { ...weth, currency: ZERO_ADDRESS, symbol: 'ETH' },
    { ...weth, currency: TOKEN, symbol: 'ETH' },
    { ...weth, currency: addressOf(0xef), symbol: 'WETH' },
    { ...weth, currency: ZERO_ADDRESS, symbol: 'ETH', amount: null },
  ]
  gateway.reads.stored.claimables = [{ ...CLAIMABLE, claimable }]
  const answer = (await (await gateway.get(`/api/tokens/${TOKEN}/claimable?creator=${CREATOR}`)).json()) as Claimable
  expect(answer.claimable.map(({ amountUsd }) => amountUsd)).toEqual(['930', '930', null, null, null])
})

test('asks for the creator of a claim', async () => {
  expect(await expectProblem(await gateway.get(`/api/tokens/${TOKEN}/claimable`), 400, 'invalid_parameter')).toBe(
    'creator is required: it must be an address (0x and 40 hex digits)',
  )
})

test('searches with the text as typed, plus signs being spaces, and fills in USD', async () => {
  gateway.reads.stored.tokens = [tokenOf(TOKEN, 1, { name: 'Döner & Co 😀' })]
  const response = await gateway.get('/api/search?q=d%C3%B6ner+%26+co+%F0%9F%98%80&limit=50')
  expect(await response.json()).toMatchObject({ data: [{ address: TOKEN, market: { priceUsd: '0.00003702' } }], nextCursor: null })
})

test.for([
  ['', 'q is required: it must be 1 to 100 characters, not only spaces and no control characters'],
  ['q=', 'q must be 1 to 100 characters, not only spaces and no control characters, got ""'],
  ['q=%20+', 'q must be 1 to 100 characters, not only spaces and no control characters, got " "'],
  ['q=a%00b', 'q must be 1 to 100 characters, not only spaces and no control characters, got "a b"'],
  [`q=${'a'.repeat(101)}`, `q must be 1 to 100 characters, not only spaces and no control characters, got "${'a'.repeat(63)}…"`],
  ['q=%ed%a0%80', 'the query must be percent-encoded UTF-8, got "q=%ed%a0%80"'],
  ['q=a&limit=51', 'limit must be an integer from 1 to 50, got "51"'],
] as const)('refuses to search for ?%s', async ([query, detail]) => {
  expect(await expectProblem(await gateway.get(`/api/search?${query}`), 400, 'invalid_parameter')).toBe(detail)
})

test('counts characters as people do: a hundred emoji can be searched for', async () => {
  expect((await gateway.get(`/api/search?q=${encodeURIComponent('😀'.repeat(100))}`)).status).toBe(200)
})

test('gives the ETH/USD price, and 503 with nothing of the providers when there is none', async () => {
  const { price } = gateway.conditions
  expect(await (await gateway.get('/api/market/eth-usd')).json()).toEqual(price)
  gateway.conditions.price = null
  const detail = await expectProblem(await gateway.get('/api/market/eth-usd'), 503, 'price_unavailable')
  expect(detail).not.toContain('CG-secret')
})

test('completes the chain stats with what the chain and the price say', async () => {
  const stats = await (await gateway.get('/api/chain-stats')).json()
  expect(stats).toEqual({
    ...gateway.reads.stored.chainStats,
    headBlock: '470',
    blockTimeMs: 2_000,
    baseFeeGwei: '0.01',
    volumeUsd24h: '37500',
  })
  expect(Object.keys(stats as object).join(' ')).toBe(
    'chainId headBlock indexedBlock blockTimeMs baseFeeGwei tokens tokens24h bonding completed migrated trades24h traders24h volumeWeth24h ' +
      'volumeUsd24h liquidityWeth asOfBlock updatedAt',
  )
  gateway.conditions.chain = { headBlock: null, blockTimeMs: null, baseFeeGwei: null }
  gateway.conditions.price = null
  expect(await (await gateway.get('/api/chain-stats')).json()).toMatchObject({ headBlock: null, blockTimeMs: null, volumeUsd24h: null })
})

test('answers chain stats with 503 while nothing is indexed', async () => {
  gateway.reads.stored.chainStats = null
  expect(await expectProblem(await gateway.get('/api/chain-stats'), 503, 'data_unavailable')).toBe('nothing is indexed yet')
})

const ACTOR: ActorState = {
  token: TOKEN,
  state: 'live',
  sequence: 1_795_000_000_123,
  subscribers: { webSocket: 40, eventStream: 2, lagging: 1 },
  lastUpdateAt: '2026-01-02T03:04:08.123Z',
  lastBlock: '456',
  frameBytes: 3_120,
  activatedAt: '2026-01-02T03:04:05.000Z',
  eventsHandled: 88,
  conflated: 12,
}

test('shows operators the actors and one of them', async () => {
  gateway.conditions.actors = [ACTOR, { ...ACTOR, token: addressOf(7), state: 'resyncing' }]
  expect(await (await gateway.get('/api/indexer/health/actors')).json()).toEqual({ data: gateway.conditions.actors, nextCursor: null })
  expect(await (await gateway.get('/api/indexer/health/actors?state=live&sort=sequence&limit=500')).json()).toEqual({
    data: [ACTOR],
    nextCursor: null,
  })
  const one = await gateway.get(`/api/indexer/health/actors/${TOKEN}`)
  expect(one.headers.get('cache-control')).toBe('no-store')
  expect(await one.json()).toEqual(ACTOR)
})

test('refuses unknown actors and malformed questions about them', async () => {
  await expectProblem(await gateway.get(`/api/indexer/health/actors/${TOKEN}`), 404, 'not_found')
  await expectProblem(await gateway.get('/api/indexer/health/actors/xyz'), 400, 'invalid_parameter')
  await expectProblem(await gateway.get('/api/indexer/health/actors?state=dead'), 400, 'invalid_parameter')
  await expectProblem(await gateway.get('/api/indexer/health/actors?sort=token'), 400, 'invalid_parameter')
  await expectProblem(await gateway.get('/api/indexer/health/actors?limit=501'), 400, 'invalid_parameter')
})
