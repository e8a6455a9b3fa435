import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { formatUnits, getAddress, pad, parseEther, parseUnits } from 'viem'
import { expect, test } from 'vitest'
import type { Address } from '#domain/address.ts'
import { type Bazaar, MAPPED_CONTRACTS, openBazaar, PAIR_ABI } from '#test/support/bazaar.ts'
import { startTestChain } from '#test/support/chain.ts'
import { chainService } from '#test/support/chainService.ts'
import { contractAt } from '#test/support/contractAt.ts'
import { useDatabase } from '#test/support/database.ts'
import { deployContract, deployUniswapV2 } from '#test/support/deployContract.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'
import { SiteConsumer, type SiteEvent } from './siteConsumer.ts'

/*
 * What market-data sites are served of Uniswap v2 pairs with Uniswap's own bytecode, in WETH and in a currency of six decimals, and what
 * they are answered where an answer would be doubtful or too long.
 */

const REORG_DEPTH = 2
const QUOTE_DECIMALS = 6

const database = await useDatabase({ migrated: false })
const folder = await makeTemporaryFolder()
const chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 7_200 })
let quote: Address
let coin: Address
/** Each pair with its token and what it is quoted in. */
let pairs: ReadonlyMap<Address, readonly [token: Address, quote: Address]>

const { weth, startBlock } = chain.deployment
const bazaar = await openBazaar(chain)
await play(bazaar)
const launchpadsFile = path.join(folder.path, 'launchpads.json')
await writeFile(launchpadsFile, JSON.stringify({ weth, launchpads: [bazaar.entry] }))
const services = await chainService(chain, database.url, { LAUNCHPADS_FILE: launchpadsFile, MAX_REORG_DEPTH: String(REORG_DEPTH) })
const service = await services.start()
await chain.mine(REORG_DEPTH)
await service.indexed(await chain.head())
const consumer = new SiteConsumer(query => fetch(`${service.url}${query}`).then(response => response.json()), {
  launchpad: 'bazaar',
  from: startBlock,
  blocksPerRequest: 7,
})
await consumer.poll()

test('after the last event of each block, reserves are what the pairs answer to eth_call at it', async () => {
  let compared = 0
  for (const [number, events] of consumer.blocks) {
    for (const [pair, [token, quoteToken]] of pairs) {
      const last = events.findLast(({ pairId }) => pairId === getAddress(pair))
      if (last === undefined) continue
      const [reserve0, reserve1] = await contractAt(chain, pair, PAIR_ABI).read('getReserves', [], BigInt(number))
      const [tokens, quotes] = token < quoteToken ? [reserve0, reserve1] : [reserve1, reserve0]
      const decimals = quoteToken === quote ? QUOTE_DECIMALS : 18
      expect([number, last.reserves]).toEqual([number, { asset0: formatUnits(tokens, 18), asset1: formatUnits(quotes, decimals) }])
      if (last.eventType !== 'swap') continue
      const price = Number(formatUnits(quotes, decimals)) / Number(formatUnits(tokens, 18))
      expect(Number(last.priceNative) / price).toBeCloseTo(1, 12)
      compared++
    }
  }
  const ofType = Object.groupBy(consumer.events, ({ eventType }) => eventType)
  expect([compared, ofType.swap?.length, ofType.join?.length, ofType.exit?.length]).toEqual([11, 12, 4, 1])
})

test('trades in a currency of six decimals have its exact amounts, and it can be looked up', async () => {
  const [pair = expect.unreachable()] = [...pairs].flatMap(([address, [, quoteToken]]) =>
    quoteToken === quote ? [getAddress(address)] : [],
  )
  const ofPair = consumer.events.filter(({ pairId }) => pairId === pair)
  expect(ofPair.map(event => (event.eventType === 'swap' ? event.asset1In : event.amount1))).toEqual(['5', '0.25', '0.000001'])
  expect(consumer.pairs.get(pair)).toMatchObject({ asset0Id: getAddress(coin), asset1Id: getAddress(quote), feeBps: 30 })
  // Its contract has neither a name nor a symbol.
  const shown = { id: getAddress(quote), name: quote, symbol: quote }
  expect(consumer.assets.get(getAddress(quote))).toEqual({ ...shown, decimals: QUOTE_DECIMALS })
  for (const site of ['dexscreener', 'dextools']) {
    expect(await answer(site, `asset?id=${quote}`)).toEqual({ asset: shown })
    const { events } = await answer<{ events: readonly SiteEvent[] }>(site, `events?fromBlock=1&toBlock=${consumer.latest}`)
    const told = events.flatMap(event => (event.pairId === pair ? [event.eventType === 'swap' ? event.asset1In : event.eventType] : []))
    expect(told).toEqual([...(site === 'dextools' ? ['creation'] : []), 'join', '0.25', '0.000001'])
  }
})

test('a curve of which no event tells reserves is read by DEX Screener alone', async () => {
  const curve = pad(coin, { size: 32 })
  const { events } = await answer<{ events: readonly SiteEvent[] }>('dexscreener', `events?fromBlock=1&toBlock=${consumer.latest}`)
  const ofCurve = events.filter(({ pairId }) => pairId === curve)
  expect(ofCurve.length).toBeGreaterThan(1)
  for (const event of ofCurve) expect(event).not.toHaveProperty('reserves')
  expect(consumer.events.some(({ pairId }) => pairId === curve)).toBe(false)
})

test('trades of nothing or without a price are left out, and an answer has at most 10,000 events', async () => {
  const maxEvents = 10_000
  const [first] = consumer.blocks.keys()
  const empty = (first ?? expect.unreachable()) + 1
  expect(consumer.blocks.get(empty)).toEqual([])
  const insert = (from: number, to: number, changes: Readonly<Record<string, unknown>>) =>
    sql`insert into trade select changed.* from (select to_jsonb(trade) as row from trade where pool_price is null limit 1) as one,
      generate_series(${from}::int, ${to}::int) as log_index,
      jsonb_populate_record(null::trade, one.row || jsonb_build_object('log_index', log_index, 'block_number', ${empty}::int) || ${JSON.stringify(changes)}::jsonb)
      as changed`.execute(database.kysely)
  const range = `events?fromBlock=${empty}&toBlock=${empty}`
  await insert(1, 1, { amount_quote: 0, amount_wei: 0 })
  await insert(2, 2, { price_after_weth: null, pool_price: null })
  await insert(3, maxEvents, {})
  const { events } = await answer<{ events: readonly SiteEvent[] }>('dexscreener', range)
  expect([events.length, events[0]?.eventIndex]).toEqual([maxEvents - 2, 3])
  await insert(maxEvents + 1, maxEvents + 1, {})
  // Another spelling of the same range: its answer is kept until the next commit.
  const refused = await ask('dexscreener', `events?toBlock=${empty}&fromBlock=${empty}`)
  expect(refused.status).toBe(400)
  expect(await refused.json()).toMatchObject({ detail: `the range has more than ${maxEvents} events; ask for fewer blocks` })
})

test('a range with a currency whose decimals are not read yet is no answer', async () => {
  await sql`update currency set is_read = false, decimals = null where address = ${Buffer.from(quote.slice(2), 'hex')}`.execute(
    database.kysely,
  )
  for (const site of ['dexscreener', 'geckoterminal', 'dextools']) {
    const refused = await ask(site, `events?fromBlock=${consumer.latest - 5}&toBlock=${consumer.latest}`)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await refused.json()).toMatchObject({
      code: 'data_unavailable',
      detail: 'the decimals of a quote currency have not been read yet',
    })
  }
})

async function ask(site: string, query: string): Promise<Response> {
  return fetch(`${service.url}/${site}/bazaar/${query}`)
}

async function answer<T>(site: string, query: string): Promise<T> {
  const response = await ask(site, query)
  if (response.status !== 200) throw new Error(`${site}/${query}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

/** Two coins graduate; the first one trades on with liquidity that comes and goes, several trades in a block, and a second pair. */
async function play(bazaar: Bazaar): Promise<void> {
  const [owner, someone] = [chain.account(0), chain.account(5)]
  quote = await deployContract(chain, MAPPED_CONTRACTS.get('Coin'), [QUOTE_DECIMALS, 10n ** 15n, 0n])
  coin = await bazaar.open('Coin')
  const taxed = await bazaar.open('Taxed', { taxPercent: 3n })
  for (const token of [coin, taxed]) {
    await bazaar.contract.send(chain.account(3), 'buy', [token], parseEther('0.2'))
    await bazaar.graduate(token)
  }
  await bazaar.churn(coin)
  for (const trader of [7, 8]) await bazaar.contract.queue(chain.account(trader), 'swapIn', [coin, someone], parseEther('0.01'))
  await chain.mine()
  await bazaar.contract.send(owner, 'swapIn', [coin, owner], parseEther('0.1'))
  const buys = ['0.25', '0.000001'].map(amount => parseUnits(amount, QUOTE_DECIMALS))
  const terms = { from: owner, paired: quote, where: await deployUniswapV2(chain), coins: 10n ** 18n, buys }
  pairs = new Map([
    [await bazaar.pairOf(coin), [coin, chain.deployment.weth]],
    [await bazaar.pairOf(taxed), [taxed, chain.deployment.weth]],
    [await bazaar.annex(coin, { ...terms, amount: parseUnits('5', QUOTE_DECIMALS) }), [coin, quote]],
  ])
}
