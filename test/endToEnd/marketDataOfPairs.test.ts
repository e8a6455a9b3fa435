import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { encodeFunctionData, formatUnits, getAddress, type Hex, pad, parseAbi, parseEther, parseUnits, stringToHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { approve, transfer, wrap } from '#devchain/actions.ts'
import { type Address, toAddress } from '#domain/address.ts'
import { BAZAAR_ABI, BAZAAR_EVENTS, MAPPED_CONTRACTS } from '#test/support/bazaar.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { type ChainService, chainService } from '#test/support/chainService.ts'
import { useDatabase } from '#test/support/database.ts'
import { deployContract, deployUniswapV2 } from '#test/support/deployContract.ts'
import type { Service } from '#test/support/service.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'
import { SiteConsumer, type SiteEvent } from './siteConsumer.ts'

/*
 * What market-data sites are served of Uniswap v2 pairs with Uniswap's own bytecode, in WETH and in a currency of six decimals, and what
 * they are answered where an answer would be doubtful or too long.
 */

const REORG_DEPTH = 2
const MAX_EVENTS = 10_000
const QUOTE_DECIMALS = 6
const PAIR = parseAbi([
  'function mint(address to) returns (uint256)',
  'function burn(address to) returns (uint256, uint256)',
  'function sync()',
  'function getReserves() view returns (uint112, uint112, uint32)',
])

const database = await useDatabase({ migrated: false })
const folder = await makeTemporaryFolder()
let chain: TestChain
let services: ChainService
let service: Service
let consumer: SiteConsumer
let bazaar: Address
let quote: Address
let coin: Address
let taxed: Address
/** Each pair with its token and what it is quoted in. */
let pairs: ReadonlyMap<Address, readonly [token: Address, quote: Address]>

const account = (index: number) => chain.accounts[index] ?? expect.unreachable()
const send = (from: Address, to: Address, data: Hex, value = 0n) =>
  chain.client.sendTransaction({ account: from, chain: null, to, data, value, gas: 10_000_000n })
type BazaarCall = Omit<Parameters<typeof encodeFunctionData<typeof BAZAAR_ABI>>[0], 'abi'>
const onBazaar = (from: number, call: BazaarCall, value = 0n) =>
  chain.mined(send(account(from), bazaar, encodeFunctionData({ abi: BAZAAR_ABI, ...call }), value))
/** The address in a word of a receipt's last log. */
const addressIn = (logs: readonly { readonly data: Hex }[], word: number) =>
  toAddress(`0x${(logs.at(-1)?.data ?? '').slice(2 + 64 * word + 24, 2 + 64 * (word + 1))}`)

async function open(title: string, taxPercent: bigint): Promise<Address> {
  const words = [pad(stringToHex(title), { dir: 'right', size: 32 }), pad(stringToHex('TICK'), { dir: 'right', size: 8 })] as const
  return addressIn((await onBazaar(1, { functionName: 'open', args: [...words, taxPercent] })).logs, 1)
}

/** Graduates a coin and trades in its pair. */
async function graduate(token: Address): Promise<Address> {
  await onBazaar(3, { functionName: 'buy', args: [token] }, parseEther('0.2'))
  await onBazaar(4, { functionName: 'finish', args: [token, parseEther('0.1')] }, parseEther('2'))
  await onBazaar(5, { functionName: 'swapIn', args: [token, account(6)] }, parseEther('0.25'))
  await onBazaar(6, { functionName: 'swapOut', args: [token, 10n ** 13n] })
  return pairOf(token)
}

async function pairOf(token: Address): Promise<Address> {
  const stall = await chain.client.readContract({ address: bazaar, abi: BAZAAR_ABI, functionName: 'stalls', args: [token] })
  return toAddress(stall[2])
}

/** Liquidity comes and goes, balances are counted again, and several trades follow in one block. */
async function crowd(pair: Address): Promise<void> {
  const someone = account(5)
  const { weth } = chain.deployment
  const give = (currency: Address, amount: bigint) => chain.mined(transfer(chain, { from: someone, currency, to: pair, amount }))
  const onPair = (call: Omit<Parameters<typeof encodeFunctionData<typeof PAIR>>[0], 'abi'>) =>
    chain.mined(send(someone, pair, encodeFunctionData({ abi: PAIR, ...call })))
  await onBazaar(5, { functionName: 'swapIn', args: [coin, someone] }, parseEther('0.3'))
  await chain.mined(wrap(chain, { from: someone, amountWei: parseEther('1') }))
  await chain.mined(approve(chain, { from: someone, currency: weth, spender: bazaar, amount: parseEther('1') }))
  await give(coin, 10n ** 18n)
  await give(weth, parseEther('0.01'))
  await onPair({ functionName: 'mint', args: [someone] })
  await give(pair, 10n ** 14n)
  await onPair({ functionName: 'burn', args: [someone] })
  await give(coin, 10n ** 15n)
  await onPair({ functionName: 'sync' })
  const swap = encodeFunctionData({ abi: BAZAAR_ABI, functionName: 'swapIn', args: [coin, someone] })
  await Promise.all([7, 8].map(index => send(account(index), bazaar, swap, parseEther('0.01'))))
  await chain.mine()
}

/** A pair of the coin in the currency of six decimals, and two buys there. */
async function annex(): Promise<Address> {
  await onBazaar(0, { functionName: 'swapIn', args: [coin, account(0)] }, parseEther('0.1'))
  const factory = await deployUniswapV2(chain)
  const added = { functionName: 'annex', args: [coin, quote, factory, 10n ** 18n, parseUnits('5', QUOTE_DECIMALS)] } as const
  const pair = addressIn((await onBazaar(0, added)).logs, 0)
  for (const amount of ['0.25', '0.000001']) {
    await onBazaar(0, { functionName: 'swapAt', args: [pair, coin, quote, parseUnits(amount, QUOTE_DECIMALS)] })
  }
  return pair
}

async function ask(site: string, query: string): Promise<Response> {
  return fetch(`${service.url}/${site}/${query}`)
}

async function answer<T>(site: string, query: string): Promise<T> {
  const response = await ask(site, query)
  if (response.status !== 200) throw new Error(`${site}/${query}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

beforeAll(async () => {
  chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 7_200 })
  const { weth, startBlock } = chain.deployment
  bazaar = await deployContract(chain, MAPPED_CONTRACTS.get('Bazaar'), [weth, await deployUniswapV2(chain)])
  quote = await deployContract(chain, MAPPED_CONTRACTS.get('Coin'), [QUOTE_DECIMALS, 10n ** 15n, 0n])
  coin = await open('Coin', 0n)
  taxed = await open('Taxed', 3n)
  const [main, ofTaxed] = [await graduate(coin), await graduate(taxed)]
  await crowd(main)
  pairs = new Map([
    [main, [coin, weth]],
    [ofTaxed, [taxed, weth]],
    [await annex(), [coin, quote]],
  ])
  const launchpadsFile = path.join(folder.path, 'launchpads.json')
  const launchpads = [{ name: 'bazaar', adapter: 'bonding-curve', factory: bazaar, startBlock, events: BAZAAR_EVENTS }]
  await writeFile(launchpadsFile, JSON.stringify({ weth, launchpads }))
  services = await chainService(chain, database.url, { LAUNCHPADS_FILE: launchpadsFile, MAX_REORG_DEPTH: String(REORG_DEPTH) })
  service = await services.start()
  await chain.mine(REORG_DEPTH)
  await service.indexed(await chain.head())
  consumer = new SiteConsumer(query => fetch(`${service.url}${query}`).then(response => response.json()), {
    from: startBlock,
    blocksPerRequest: 7,
  })
  await consumer.poll()
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
  await services?.cleanUp()
  await folder.remove()
})

test('after the last event of each block, reserves are what the pairs answer to eth_call at it', async () => {
  let compared = 0
  for (const [number, events] of consumer.blocks) {
    for (const [pair, [token, quoteToken]] of pairs) {
      const last = events.findLast(({ pairId }) => pairId === getAddress(pair))
      if (last === undefined) continue
      const held = { address: pair, abi: PAIR, functionName: 'getReserves', blockNumber: BigInt(number) } as const
      const [reserve0, reserve1] = await chain.client.readContract(held)
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
  await insert(3, MAX_EVENTS, {})
  const { events } = await answer<{ events: readonly SiteEvent[] }>('dexscreener', range)
  expect([events.length, events[0]?.eventIndex]).toEqual([MAX_EVENTS - 2, 3])
  await insert(MAX_EVENTS + 1, MAX_EVENTS + 1, {})
  // Another spelling of the same range: its answer is kept until the next commit.
  const refused = await ask('dexscreener', `events?toBlock=${empty}&fromBlock=${empty}`)
  expect(refused.status).toBe(400)
  expect(await refused.json()).toMatchObject({ detail: `the range has more than ${MAX_EVENTS} events; ask for fewer blocks` })
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
