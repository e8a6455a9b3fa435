import { parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buyOnCurve, type Launched, launch, readLaunched, sellOnCurve } from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import type { IndexerHealth } from '#resources/health.ts'
import type { Token } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import { readRecentBlocks } from '#store/rows/cursor.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { type FeedClient, openFeed } from '#test/support/feedClient.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { type Service, type ServiceFolder, serviceFolder } from '#test/support/service.ts'
import { TradeFold } from '#test/support/tradeFold.ts'

/* The whole service as a process, on a chain with reorgs. */

const database = await useDatabase({ migrated: false })
const fresh = await useDatabase()
let chain: TestChain
let folder: ServiceFolder
let service: Service
let feed: FeedClient
let alpha: Launched
let creator: Address
let alice: Address
/** Read over REST with the first update. */
let firstTrades: readonly Trade[]

beforeAll(async () => {
  chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 7_200 })
  ;[, creator, alice] = chain.accounts as unknown as [Address, Address, Address]
  alpha = readLaunched(await chain.mined(launch(chain, { from: creator, name: 'Alpha', symbol: 'ALP', firstBuyWei: parseEther('0.05') })))
  await chain.mined(buy('0.4'))
  await chain.mine(3)
  folder = await serviceFolder(chain)
  await start()
})

afterAll(async () => {
  feed?.close()
  await service?.stop()
  await chain?.stop()
  await folder?.remove()
})

async function start(): Promise<void> {
  service = await folder.start({ DATABASE_URL: database.url })
  // By its hash: a service that was down may have the blocks of an earlier branch up to the same number.
  const { hash } = await chain.client.getBlock({ blockTag: 'latest' })
  await eventually(async () => (await readRecentBlocks(database.kysely, 1)).at(-1)?.hash === hash)
  feed = await openFeed(service.url)
}

const buy = (paid: string) => buyOnCurve(chain, { from: alice, curve: alpha.curve, paidWei: parseEther(paid) })
const get = (path: string) => fetch(`${service.url}${path}`)
const tokenOf = async (address: Address) => (await (await get(`/api/tokens/${address}`)).json()) as Token
const tradesOf = async (address: Address) =>
  ((await (await get(`/api/tokens/${address}/trades?order=asc&limit=500`)).json()) as { readonly data: readonly Trade[] }).data
const health = async () => (await (await get('/api/indexer/health')).json()) as IndexerHealth

/** Waits for the update of alpha's newest event, which is in the newest block. */
async function newestUpdate(): Promise<void> {
  const block = String(await chain.head())
  await feed.next(
    ({ type, sourceBlock, token }) => type === 'token.update' && sourceBlock === block && (token as Token).address === alpha.token,
  )
}

/** The first trades and the updates since then give the trades that REST has. */
async function expectFoldedTrades(): Promise<void> {
  const fold = new TradeFold()
  fold.read(firstTrades)
  for (const update of feed.updates(alpha.token).slice(1)) fold.apply(update)
  expect(fold.isBehind).toBe(false)
  expect(fold.held).toEqual(await tradesOf(alpha.token))
}

async function expectTablesOfFreshIndex(): Promise<void> {
  await fresh.clear()
  await (await openChainIndex(chain, fresh)).indexRange(chain.deployment.startBlock)
  expect(await dumpTables(database.kysely)).toEqual(await dumpTables(fresh.kysely))
}

test('a reorg sends subscribers the state of the new branch and removes tokens of the old one', async () => {
  feed.send({ type: 'subscribe', token: alpha.token })
  await feed.next(({ type, token }) => type === 'token.update' && (token as Token).address === alpha.token)
  expect(feed.updates(alpha.token)[0]?.trades).toBeNull()
  firstTrades = await tradesOf(alpha.token)
  const beta = readLaunched(await chain.mined(launch(chain, { from: alice, name: 'Beta', symbol: 'BET' })))
  for (const paid of ['0.1', '0.2', '0.3']) await chain.mined(buy(paid))
  await newestUpdate()
  expect((await get(`/api/tokens/${beta.token}`)).status).toBe(200)
  const before = feed.updates(alpha.token).at(-1)

  await chain.reorg(4)
  const held = await chain.client.readContract({
    address: alpha.token,
    abi: chain.deployment.abis.token,
    functionName: 'balanceOf',
    args: [alice],
  })
  await chain.mined(sellOnCurve(chain, { from: alice, token: alpha.token, curve: alpha.curve, amount: held / 2n }))
  await newestUpdate()

  const last = feed.updates(alpha.token).at(-1)
  expect(last?.token).toEqual(await tokenOf(alpha.token))
  expect(last?.sequence).toBeGreaterThan(before?.sequence ?? Number.POSITIVE_INFINITY)
  expect(feed.updates(alpha.token).filter(({ replacedFrom }) => replacedFrom !== undefined)).toHaveLength(1)
  await expectFoldedTrades()
  expect(last?.token.market.tradeCount).toBe((before?.token.market.tradeCount ?? 0) - 2)
  expect((await get(`/api/tokens/${beta.token}`)).status).toBe(404)
  feed.send({ type: 'subscribe', token: beta.token })
  expect(await feed.next(({ type, token }) => type === 'subscribed' && token === beta.token)).toMatchObject({ sequence: null })
  await expect.poll(health).toMatchObject({ status: 'ok', reorgs: { count: 1, lastDepth: expect.any(Number) as unknown } })
  await expectTablesOfFreshIndex()
})

test('several reorgs in a row end with the tables of a fresh index', async () => {
  for (const [depth, paid] of [
    [2, '0.11'],
    [5, '0.12'],
    [1, '0.13'],
  ] as const) {
    await chain.mined(buy(paid))
    await newestUpdate()
    await chain.reorg(depth)
    await chain.mined(buy(paid))
    await newestUpdate()
  }
  expect(feed.updates(alpha.token).at(-1)?.token).toEqual(await tokenOf(alpha.token))
  await expectFoldedTrades()
  const sequences = feed.updates(alpha.token).map(({ sequence }) => sequence)
  expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b))
  await expectTablesOfFreshIndex()
})

test('a reorg while the service is down is replaced at its next start', async () => {
  await chain.mined(buy('0.21'))
  await newestUpdate()
  const { sequence } = await tokenOf(alpha.token)
  feed.close()
  await service.stop()
  await chain.reorg(3)
  await chain.mined(buy('0.22'))
  await start()
  feed.send({ type: 'subscribe', token: alpha.token, sequence })
  const update = await feed.next(({ type }) => type === 'token.update')
  expect(update).toMatchObject({ token: await tokenOf(alpha.token) })
  expect(Number(update['sequence'])).toBeGreaterThan(sequence)
  await expectTablesOfFreshIndex()
})
