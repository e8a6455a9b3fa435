import { beforeAll, describe, expect, test } from 'vitest'
import { parseLaunchpads } from '#configuration/launchpads.ts'
import { launchpadsFile } from '#devchain/dev/launchpadsFile.ts'
import { createRandom } from '#devchain/traders/random.ts'
import { auctionAbi } from '#devchain/v4Abis.ts'
import { toAddress } from '#domain/address.ts'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import type { Holder } from '#resources/holders.ts'
import type { Token } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { addFactories, type FactoriesChain } from '#test/support/factories.ts'
import { type FactoryMarket, openFactoryMarket } from '#test/support/factoryMarket.ts'
import { type FeedClient, openFeed } from '#test/support/feedClient.ts'
import { dumpWithoutRates, openChainIndex } from '#test/support/indexChain.ts'
import { type Service, serviceFolder } from '#test/support/service.ts'
import { FactoryComparison } from './factoryComparison.ts'

/*
 * The launchpads of the development chain beside the reference launchpad: curves in dollars, and tokens of Clanker's kind in Uniswap v4,
 * paired with WETH, dollars and each other, with extensions and an auction of their first swaps. The whole service follows them.
 */

const ACTIONS = 300
const ACTIONS_PER_BLOCK = 4
const REORG_DEPTH = 20
const NAMES = ['first', 'second', 'graduated', 'wrapped', 'behind', 'dollars', 'dollars behind', 'paired', 'paired behind']

const live = await useDatabase({ migrated: false })
const backfilled = await useDatabase()
let chain: FactoriesChain
let market: FactoryMarket
let service: Service
let feed: FeedClient
let comparison: FactoryComparison

beforeAll(followMarket)

const named = (name: string) => market.tokens.get(name) ?? expect.unreachable()

describe('launchpads in dollars and in Uniswap v4', () => {
  test.each(NAMES)('every answer about a token agrees with the chain (%s)', async name => {
    const token = await comparison.expectAsOnChain(named(name))
    expect(token.launchpad).toBe(named(name).curve === null ? 'reference-v4' : 'reference-dollar')
    expect(token.market.tradeCount).toBeGreaterThan(5)
  })

  test('a backfill gives the tables that the service has live, through a reorg', async () => {
    const parsed = parseLaunchpads(launchpadsFile(chain.deployment, chain.factories), ADAPTER_KINDS)
    const { launchpads, pegUsd } = parsed.kind === 'valid' ? parsed.value : expect.unreachable()
    const open = () => openChainIndex(chain, backfilled, null, launchpads, undefined, undefined, { ...(pegUsd && { pegUsd }) })
    await (await open()).indexRange(1, 60)
    await (await open()).indexRange(61)
    expect(await dumpWithoutRates(live.kysely)).toEqual(await dumpWithoutRates(backfilled.kysely))
    const { reorgs } = await get<{ reorgs: { count: number; lastDepth: number | null } }>('/api/indexer/health')
    expect(reorgs).toMatchObject({ count: 1, lastDepth: REORG_DEPTH })
  })

  test('the auction of the first swaps is paid to the creator, in no trade', async () => {
    const { auction } = chain.factories.v4
    const logs = await chain.client.getContractEvents({ address: auction, abi: auctionAbi, eventName: 'AuctionWon', fromBlock: 0n })
    expect(logs.length).toBeGreaterThan(7)
    expect(logs.filter(({ args }) => (args.paymentAmount ?? 0n) > 0n).length).toBeGreaterThan(5)
    // Their trades and their payments are compared with the chain above: those have the swap's amounts, these are in the escrow.
    const { data: trades } = await get<{ data: Trade[] }>(`/api/tokens/${named('wrapped').token}/trades?limit=500`)
    const inAuction = trades.filter(({ txHash }) => logs.some(({ transactionHash }) => transactionHash === txHash))
    expect(inAuction.map(({ amountWeth }) => amountWeth).filter(amount => amount !== '0.2994012')).toEqual([])
  })

  test('extensions are lockers, and hook and auction are contracts', async () => {
    const { hook, auction, locker, poolManager } = chain.factories.v4
    const { vault, airdrop, presale } = market.extensions
    const typesOf = async (name: string) => {
      const { data } = await get<{ data: Holder[] }>(`/api/tokens/${named(name).token}/holders?limit=500`)
      return new Map(data.map(({ address, type }) => [address, type]))
    }
    for (const [name, extensions] of [
      ['wrapped', [vault]],
      ['dollars', [vault, airdrop]],
      ['dollars behind', [presale]],
    ] as const) {
      const types = await typesOf(name)
      for (const extension of extensions) expect([name, types.get(extension)]).toEqual([name, 'locker'])
      expect(types.get(poolManager)).toBe('pool')
      for (const contract of [hook, auction]) expect(types.get(contract) ?? 'contract').toBe('contract')
      expect(types.get(locker) ?? 'locker').toBe('locker')
    }
  })

  test('channels tell of every trade, launch and graduation that REST knows', async () => {
    const { data: trades } = await get<{ data: Trade[] }>('/api/trades?order=asc&limit=500')
    const { data: tokens } = await get<{ data: Token[] }>('/api/tokens?order=asc&limit=100')
    const told = <T>(type: string) => feed.messages.filter(message => message.type === type).flatMap(({ data }) => data as T[])
    // Channels do not wait for each other.
    const untold = () => {
      const kept = new Set(told<Trade>('trades').map(({ id }) => id))
      const launched = new Set(told<Token>('launches').map(({ address }) => address))
      return [trades.filter(({ id }) => !kept.has(id)), tokens.filter(({ address }) => !launched.has(address))]
    }
    await expect.poll(untold).toEqual([[], []])
    const graduated = () => told<Token>('graduations').map(({ address }) => toAddress(address))
    await expect.poll(graduated).toContain(named('graduated').token)
  })
})

async function launchAll(): Promise<void> {
  const { weth } = chain.deployment
  const { dollar } = chain.factories
  const { launchV4, auctionOff, extensions } = market
  await market.launchForDollars('first', 0n)
  await market.launchForDollars('second', 1_500_000_000n)
  await market.launchForDollars('graduated', 2_500_000_000n)
  await auctionOff(await launchV4('wrapped', weth, true, extensions.of(['vault', 'devBuy'])), 5)
  const behind = await launchV4('behind', weth, false)
  await auctionOff(await launchV4('dollars', dollar, true, extensions.of(['vault', 'airdrop'])), 3)
  await market.buyIntoPresale(market.account(5), 3n)
  await market.buyIntoPresale(market.account(6), 2n)
  await launchV4('dollars behind', dollar, false, extensions.of(['presale']))
  await launchV4('paired', behind.token, true)
  await launchV4('paired behind', behind.token, false)
}

async function get<T>(asked: string): Promise<T> {
  const response = await fetch(`${service.url}${asked}`)
  expect([asked, response.status]).toEqual([asked, 200])
  return (await response.json()) as T
}

/** A service follows a market through a reorg. */
async function followMarket(): Promise<void> {
  const random = createRandom(47)
  chain = await addFactories(await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 7_200 }), { dollarTarget: 2_000_000_000n })
  market = await openFactoryMarket(chain, random)
  const folder = await serviceFolder(chain, { launchpads: launchpadsFile(chain.deployment, chain.factories) })
  service = await folder.start({ DATABASE_URL: live.url })
  comparison = new FactoryComparison(chain, market, get)
  feed = await openFeed(service.url)
  for (const channel of ['trades', 'launches', 'graduations']) feed.send({ type: 'subscribe', channel, after: '0-0', reorgs: 0 })

  await launchAll()
  for (let count = 0; count < ACTIONS; count++) {
    await market.act()
    if (count % ACTIONS_PER_BLOCK === 0) await chain.mine()
    if (count !== ACTIONS / 2) continue
    await service.indexed(await chain.head())
    await chain.reorg(REORG_DEPTH)
  }
  for (const name of NAMES) {
    await market.trade(name)
    await chain.mine()
  }
  await service.indexed(await chain.head())
}
