import { parseEther } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { buyOnCurve, sellOnCurve } from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import type { IndexerHealth } from '#resources/health.ts'
import type { Token } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import { readRecentBlocks } from '#store/rows/cursor.ts'
import { startTestChain } from '#test/support/chain.ts'
import { balanceOf } from '#test/support/chainReads.ts'
import { useDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { type FeedClient, openFeed } from '#test/support/feedClient.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { launchToken, type TradedToken } from '#test/support/launchToken.ts'
import { type Service, serviceFolder } from '#test/support/service.ts'
import { TradeFold } from '#test/support/tradeFold.ts'

/* The whole service as a process, on a chain with reorgs. */

const database = await useDatabase({ migrated: false })
const fresh = await useDatabase()
const chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 7_200 })
const alpha = await launchToken(chain, { firstBuyWei: parseEther('0.05') })
const folder = await serviceFolder(chain)
const alice = chain.account(2)
let service: Service
let feed: FeedClient
/** Read over REST with the first update. */
let firstTrades: readonly Trade[]

beforeAll(async () => {
  await chain.mined(buy('0.4'))
  await chain.mine(3)
  await start()
})

const buy = (paid: string) => buyOnCurve(chain, { from: alice, curve: alpha.curve, paidWei: parseEther(paid) })
const tokenOf = (address: Address) => service.get<Token>(`/api/tokens/${address}`)
const tradesOf = async (address: Address) =>
  (await service.get<{ readonly data: readonly Trade[] }>(`/api/tokens/${address}/trades?order=asc&limit=500`)).data
const health = () => service.get<IndexerHealth>('/api/indexer/health')
const statusOf = async ({ token }: TradedToken) => (await fetch(`${service.url}/api/tokens/${token}`)).status

test('a reorg sends subscribers the state of the new branch and removes tokens of the old one', async () => {
  feed.send({ type: 'subscribe', token: alpha.token })
  await feed.next(({ type, token }) => type === 'token.update' && (token as Token).address === alpha.token)
  expect(feed.updates(alpha.token)[0]?.trades).toBeNull()
  firstTrades = await tradesOf(alpha.token)
  const beta = await launchToken(chain, { from: alice, name: 'Beta', symbol: 'BET' })
  for (const paid of ['0.1', '0.2', '0.3']) await chain.mined(buy(paid))
  await newestUpdate()
  expect(await statusOf(beta)).toBe(200)
  const before = feed.updates(alpha.token).at(-1)

  await chain.reorg(4)
  const held = await balanceOf(chain, alpha.token, alice)
  await chain.mined(sellOnCurve(chain, { from: alice, token: alpha.token, curve: alpha.curve, amount: held / 2n }))
  await newestUpdate()

  const last = feed.updates(alpha.token).at(-1)
  expect(last?.token).toEqual(await tokenOf(alpha.token))
  expect(last?.sequence).toBeGreaterThan(before?.sequence ?? Number.POSITIVE_INFINITY)
  expect(feed.updates(alpha.token).filter(({ replacedFrom }) => replacedFrom !== undefined)).toHaveLength(1)
  await expectFoldedTrades()
  expect(last?.token.market.tradeCount).toBe((before?.token.market.tradeCount ?? 0) - 2)
  expect(await statusOf(beta)).toBe(404)
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

async function start(): Promise<void> {
  service = await folder.start({ DATABASE_URL: database.url })
  // By its hash: a service that was down may have the blocks of an earlier branch up to the same number.
  const { hash } = await chain.client.getBlock({ blockTag: 'latest' })
  await eventually(async () => (await readRecentBlocks(database.kysely, 1)).at(-1)?.hash === hash)
  feed = await openFeed(service.url)
}

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
