import { getAddress, parseEther, parseUnits } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Address } from '#domain/address.ts'
import { formatUnits } from '#domain/decimal.ts'
import type { Candle } from '#resources/candles.ts'
import type { Token } from '#resources/token.ts'
import { useDatabase } from '#test/support/database.ts'
import { MarketScenario, REORG_DEPTH } from './marketScenario.ts'

/*
 * What market-data sites are served, by the list of what their contracts ask for (docs/decisions/0042). A consumer reads as GeckoTerminal
 * does while tokens are launched and graduate, blocks are replaced and the service is started anew. Its candles are compared with those of
 * the service, and reserves with what contracts answer to `eth_call` at each block.
 */

interface DextoolsEvent {
  readonly block: { readonly blockNumber: number }
  readonly eventType: string
  readonly eventIndex: number
  readonly pairId: string
}

const SITES = ['dexscreener/reference', 'geckoterminal/reference', 'dextools/reference'] as const

const database = await useDatabase({ migrated: false })

const market = await MarketScenario.start(database.url)

test.each(SITES)('%s gets no answer before a block is final', async site => {
  const { token, curve } = market.alpha
  for (const path of ['latest-block', 'events?fromBlock=1&toBlock=1', `pair?id=${curve}`, `asset?id=${token}`]) {
    expect(await market.refused(`/${site}/${path}`)).toEqual({ status: 503, detail: 'no indexed block is final yet', retryAfter: '5' })
  }
})

test('a consumer follows launches, a graduation, trades in the pool, fees, a reorg and a restart', async () => {
  await market.run()
  const { consumer, chain } = market
  expect(consumer.latest).toBe((await chain.head()) - REORG_DEPTH)
  expect(new Set(consumer.pairs.keys())).toEqual(new Set(market.pairs.map(([pair]) => getAddress(pair))))
  const { swap = [], join = [], exit = [] } = Object.groupBy(consumer.events, ({ eventType }) => eventType)
  expect([swap.length, join.length, exit.length]).toEqual([11, 1, 2])
})

describe('afterwards', () => {
  test('its candles are those of the service', async () => {
    for (const token of [market.alpha.token, market.beta.token]) {
      const { data } = await market.answer<{ data: Candle[] }>(`/api/tokens/${token}/candles?interval=1m&limit=1500`)
      const traded = data.filter(({ trades }) => trades > 0).map(candle => ({ ...candle, volume: parseEther(candle.volume) }))
      const rebuilt = market.consumer.candles(getAddress(token), 60)
      const ends = ({ time, close, volume, trades }: (typeof traded)[number]) => ({ time, close, volume, trades })
      expect(rebuilt.map(ends)).toEqual(traded.map(ends))
      const known = rebuilt.flatMap(({ isOpening, ...candle }) => (isOpening ? [] : [candle]))
      expect(known).toEqual(traded.filter(({ time }) => known.some(candle => candle.time === time)))
    }
    expect(market.consumer.candles(getAddress(market.alpha.token), 60).filter(({ isOpening }) => !isOpening).length).toBeGreaterThan(2)
  })

  test('reserves are those of the contracts at each block, of curves and pool', async () => {
    const { consumer, chain } = market
    let compared = 0
    for (let block = chain.deployment.startBlock; block <= consumer.latest; block++) {
      for (const [pair, token] of market.pairs) {
        const reserves = consumer.reservesAt(getAddress(pair), block)
        if (reserves === undefined) continue
        const held = await market.reservesAt(pair, token, block)
        expect([block, parseEther(reserves.asset0), parseEther(reserves.asset1)]).toEqual([block, ...held])
        compared++
      }
    }
    expect(compared).toBeGreaterThan(40)
    expect(consumer.reservesAt(getAddress(market.alpha.curve), consumer.latest)).toEqual({ asset0: '0', asset1: '0' })
  })

  test('each swap has one direction, exact amounts, a price, and an account of its own as maker', () => {
    const accounts = Object.values(market.accounts).map(account => getAddress(account))
    for (const swap of market.consumer.events.filter(event => event.eventType === 'swap')) {
      const { asset0In, asset1In, asset0Out, asset1Out, priceNative, maker } = swap
      const sides = { asset0In, asset1In, asset0Out, asset1Out }
      const amounts = Object.entries(sides).filter(([, amount]) => amount !== undefined)
      expect([
        ['asset0In', 'asset1Out'],
        ['asset1In', 'asset0Out'],
      ]).toContainEqual(amounts.map(([name]) => name))
      for (const [, amount = ''] of amounts) {
        expect(parseUnits(amount, 18)).toBeGreaterThan(0n)
        expect((amount.split('.')[1] ?? '').length).toBeLessThanOrEqual(18)
      }
      expect(Number(priceNative)).toBeGreaterThan(0)
      expect((priceNative.split('.')[1] ?? '').length).toBeLessThanOrEqual(50)
      expect(accounts).toContain(maker)
    }
  })

  test('places are those of the chain: unique in a block, ascending', async () => {
    for (const [number, found] of market.consumer.blocks) {
      const places = found.map(({ eventIndex }) => eventIndex)
      expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b))
      for (const { txnId, txnIndex, block } of found) {
        const mined = await market.chain.client.getBlock({ blockNumber: BigInt(number) })
        expect([mined.transactions[txnIndex], Number(mined.timestamp)]).toEqual([txnId, block.blockTimestamp])
      }
    }
  })

  test.each(SITES)('%s gets the same of a range as of its parts, and the same bytes again', async site => {
    const { latest } = market.consumer
    const all = await market.events(site, 1, latest)
    const middle = Math.floor(latest / 2)
    expect([...(await market.events(site, 1, middle)), ...(await market.events(site, middle + 1, latest))]).toEqual(all)
    const single = await Promise.all(Array.from({ length: latest }, (_, index) => market.events(site, index + 1, index + 1)))
    expect(single.flat()).toEqual(all)
    expect(single).toContainEqual([])
    const path = `/${site}/events?fromBlock=1&toBlock=${latest}`
    expect(await market.bytes(path)).toBe(await market.bytes(path))
  })

  test.each(SITES)('%s looks up every pair and asset, in any letter case', async site => {
    const lower = (id: string) => id.toLowerCase()
    const upper = (id: string) => `0x${id.slice(2).toUpperCase()}`
    for (const [id, { asset0Id, asset1Id }] of market.consumer.pairs) {
      const answers = await Promise.all([id, lower(id), upper(id)].map(spelled => market.bytes(`/${site}/pair?id=${spelled}`)))
      expect(new Set(answers).size).toBe(1)
      expect(JSON.parse(answers[0] ?? '')).toMatchObject({ pair: { id, asset0Id, asset1Id } })
      for (const asset of [asset0Id, asset1Id]) {
        expect(JSON.parse(await market.bytes(`/${site}/asset?id=${lower(asset)}`))).toMatchObject({ asset: { id: asset } })
      }
    }
    // Neither a name nor a symbol was given.
    const { token } = market.beta
    expect(await market.answer(`/${site}/asset?id=${token}`)).toMatchObject({ asset: { name: token, symbol: token } })
    // A pair is never asked for again, so it is the same as when the consumer looked it up, before the graduation.
    const known = market.consumer.pairs.get(getAddress(market.alpha.curve))
    if (site === 'geckoterminal/reference') expect(await market.answer(`/${site}/pair?id=${market.alpha.curve}`)).toEqual({ pair: known })
  })

  test.each(SITES)('%s is told what is wrong with a request', async site => {
    const { latest } = market.consumer
    const unknown = getAddress(`0x${'12'.repeat(20)}`)
    const refusals = [
      [`events?fromBlock=5&toBlock=4`, 400, 'fromBlock must not be above toBlock, got 5 and 4'],
      [`events?fromBlock=1&toBlock=${latest + 1}`, 503, `the latest final block is ${latest}, got toBlock ${latest + 1}; ask again later`],
      ['events?fromBlock=1&toBlock=1001', 400, 'a range must have at most 1000 blocks'],
      ['events?fromBlock=1', 400, 'toBlock is required: it must be an integer from 0 to 9007199254740991'],
      ['events?fromBlock=-1&toBlock=1', 400, 'fromBlock must be an integer from 0 to 9007199254740991, got "-1"'],
      ['pair?id=0x12', 400, 'id must be an address or a pool id (0x and 40 or 64 hex digits), got "0x12"'],
      ['asset', 400, 'id is required: it must be an address (0x and 40 hex digits)'],
      [`pair?id=${unknown}`, 404, `there is no pair ${unknown.toLowerCase()} in any final block`],
      [`asset?id=${unknown}`, 404, `there is no asset ${unknown.toLowerCase()} in any final block`],
    ] as const
    for (const [path, status, detail] of refusals) {
      expect(await market.refused(`/${site}/${path}`)).toEqual({ status, detail, retryAfter: status === 503 ? '5' : null })
    }
    const posted = await market.ask(`/${site}/latest-block`, { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  test('DEXTools gets the creation of each pair first, blocks, holders and the exchange', async () => {
    const { latest } = market.consumer
    const all = await market.events<DextoolsEvent>('dextools/reference', 1, latest)
    for (const ofPair of Map.groupBy(all, ({ pairId }) => pairId).values()) {
      expect(ofPair.map(({ eventType }) => eventType === 'creation')).toEqual(ofPair.map((_, index) => index === 0))
    }
    for (const ofBlock of Map.groupBy(all, ({ block }) => block.blockNumber).values()) {
      const places = ofBlock.map(({ eventIndex }) => eventIndex)
      expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b))
    }
    const amounts = JSON.stringify(all).match(/"(?:asset[01](?:In|Out)?|amount[01])":"[^"]*"/g) ?? []
    expect(amounts.length).toBeGreaterThan(40)
    for (const amount of amounts) expect(amount).toMatch(/"\d+\.\d+"$/)

    const block = await market.answer<{ block: { blockTimestamp: number } }>(`/dextools/reference/block?number=${latest}`)
    const time = block.block.blockTimestamp
    expect(await market.answer(`/dextools/reference/block?timestamp=${time + 5}`)).toEqual(block)
    expect(await market.answer(`/dextools/reference/block?timestamp=${time - 1}`)).toMatchObject({ block: { blockNumber: latest - 1 } })
    expect(await market.refused(`/dextools/reference/block?number=${latest + 1}`)).toMatchObject({ status: 503, retryAfter: '5' })
    expect(await market.refused('/dextools/reference/block')).toMatchObject({ status: 400 })

    const pages = await Promise.all(
      [0, 1].map(page => market.answer(`/dextools/reference/asset/holders?id=${market.alpha.token}&page=${page}&pageSize=50`)),
    )
    const { data } = await market.answer<{ data: { address: Address; balance: string }[] }>(`/api/tokens/${market.alpha.token}/holders`)
    const holders = data.map(({ address, balance }) => ({ address: getAddress(address), quantity: balance }))
    const asset = { id: getAddress(market.alpha.token), totalHoldersCount: holders.length }
    expect(pages).toEqual([{ asset: { ...asset, holders } }, { asset: { ...asset, holders: [] } }])

    const { pair } = await market.answer<{ pair: { factoryAddress: string } }>(`/dextools/reference/pair?id=${market.pool}`)
    expect(pair.factoryAddress).toBe(getAddress(market.chain.deployment.launchpad))
    expect(await market.answer(`/dextools/reference/exchange?id=${pair.factoryAddress}`)).toMatchObject({ exchange: { name: 'reference' } })
    const { message, code } = (await (await market.ask('/dextools/reference/pair')).json()) as Record<string, string>
    expect([message, code]).toEqual([
      'id is required: it must be an address or a pool id (0x and 40 or 64 hex digits)',
      'invalid_parameter',
    ])
  })

  test('CoinGecko gets tickers, pairs and trades that agree with the token', async () => {
    const { token } = market.alpha
    const { market: shown, pool } = await market.answer<Token>(`/api/tokens/${token}`)
    const target = getAddress(market.chain.deployment.weth)
    const id = `${getAddress(token)}_${target}`
    const pairs = await market.answer<{ ticker_id: string }[]>('/coingecko/reference/pairs')
    expect(pairs.map(({ ticker_id }) => ticker_id)).toContain(id)
    const tickers = await market.answer<Record<string, string>[]>('/coingecko/reference/tickers')
    const ticker = tickers.find(({ ticker_id }) => ticker_id === id)
    const trades = await market.answer<Record<'buy' | 'sell', Record<string, string>[]>>(
      `/coingecko/reference/historical_trades?ticker_id=${id}`,
    )
    const all = [...trades.buy, ...trades.sell]
    const total = (field: string) =>
      formatUnits(
        all.reduce((sum, trade) => sum + parseEther(trade[field] ?? ''), 0n),
        18,
      )
    expect(all).toHaveLength(3)
    expect(ticker).toMatchObject({
      last_price: shown.priceQuote,
      liquidity_in_usd: shown.liquidityUsd,
      pool_id: getAddress(pool?.address ?? ''),
    })
    expect(ticker).toMatchObject({ base_volume: total('base_volume'), target_volume: total('target_volume'), target_currency: target })
    expect(Number(ticker?.['low'])).toBeLessThanOrEqual(Number(shown.priceQuote))
    expect(Number(ticker?.['high'])).toBeGreaterThanOrEqual(Number(shown.priceQuote))
    const trading = (query: string) =>
      market.answer<{ buy: unknown[]; sell: unknown[] }>(`/coingecko/reference/historical_trades?ticker_id=${id}&${query}`)
    expect(await trading('type=sell')).toEqual({ buy: [], sell: trades.sell })
    expect(await trading('end_time=1')).toEqual({ buy: [], sell: [] })
    expect(await market.refused('/coingecko/reference/historical_trades?ticker_id=0x12')).toMatchObject({ status: 400 })
    expect(await market.refused(`/coingecko/reference/historical_trades?ticker_id=${id}&start_time=2&end_time=1`)).toMatchObject({
      status: 400,
    })
    expect(await market.refused(`/coingecko/reference/historical_trades?ticker_id=${target}_${target}`)).toMatchObject({ status: 404 })
  })
})
