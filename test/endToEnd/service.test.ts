import { type Hex, parseEther } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  buyOnCurve,
  collectFees,
  graduate,
  type Launched,
  launch,
  sellOnCurve,
  swapDirectly,
  swapThroughRouter,
  transfer,
  wrap,
} from '#devchain/actions.ts'
import { type Address, toAddress } from '#domain/address.ts'
import { formatUnits } from '#domain/decimal.ts'
import type { TokenUpdate } from '#protocol/encodeUpdate.ts'
import type { Candle } from '#resources/candles.ts'
import type { Claimable } from '#resources/claimable.ts'
import type { Holder } from '#resources/holders.ts'
import type { Token } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import { startTestChain } from '#test/support/chain.ts'
import { chainService, ETH_USD } from '#test/support/chainService.ts'
import { useDatabase } from '#test/support/database.ts'
import { openEventStream, openFeed } from '#test/support/feedClient.ts'
import { launchToken } from '#test/support/launchToken.ts'
import { ChainComparison } from './chainComparison.ts'

/* The whole service as a process: a real chain, a real database, real sockets. Its answers are compared with those of the contracts. */

const database = await useDatabase({ migrated: false })
const chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 7_200 })
const [creator, alice, bob] = [chain.account(1), chain.account(2), chain.account(3)]
const alpha = await launchToken(chain, { metadataUri: 'ipfs://alpha', firstBuyWei: parseEther('0.05') })
const onChain = new ChainComparison(chain, get)

await chain.mined(buyOnCurve(chain, { from: alice, curve: alpha.curve, paidWei: parseEther('0.4') }))
await chain.mine(1, 6_000)
const services = await chainService(chain, database.url, { RPC_URLS: `${chain.anvil.url.replace('http', 'ws')},${chain.anvil.url}` })
const service = await services.start()
await service.indexed(await chain.head())
const feed = await openFeed(service.url)
for (const channel of ['trades', 'launches', 'graduations']) feed.send({ type: 'subscribe', channel, after: '0-0', reorgs: 0 })

describe('the service on a chain', () => {
  test('has indexed what happened before it started', async () => {
    const token = await expectAsOnChain(alpha)
    expect(token).toMatchObject({ chainId: 31337, launchpad: 'reference', metadataUri: 'ipfs://alpha', decimals: 18 })
    expect(token.graduation.status).toBe('bonding')
    expect(token.market.tradeCount).toBe(2)
    const list = await get<{ data: Token[]; nextCursor: string | null; asOfBlock: string }>('/api/tokens')
    expect(list).toEqual({ data: [token], nextCursor: null, asOfBlock: expect.stringMatching(/^\d+$/) })
    expect((await get<{ data: Token[] }>('/api/search?q=alp')).data).toEqual([token])
  })

  test('sends a new subscriber the snapshot that REST answers', async () => {
    feed.send({ type: 'subscribe', token: alpha.token.toUpperCase().replace('0X', '0x') })
    const token = await tokenOf(alpha.token)
    const subscribed = await feed.next(message => message.type === 'subscribed' && message.token !== undefined)
    expect(subscribed).toEqual({ type: 'subscribed', token: alpha.token, sequence: token.sequence })
    const snapshot = await updateOf(alpha.token, Number(token.asOfBlock))
    expect(snapshot.token).toEqual(token)
    expect(feed.messages.indexOf(subscribed)).toBeLessThan(feed.messages.indexOf(snapshot))
  })

  test('pushes a buy with the amounts that the buyer paid and received', async () => {
    const [etherBefore, heldBefore] = [await chain.client.getBalance({ address: bob }), await balanceOf(alpha.token, bob)]
    const { update, gasWei, block } = await happens(
      alpha.token,
      buyOnCurve(chain, { from: bob, curve: alpha.curve, paidWei: parseEther('0.7') }),
    )
    const paid = etherBefore - (await chain.client.getBalance({ address: bob })) - gasWei
    const got = (await balanceOf(alpha.token, bob)) - heldBefore
    expect(update.latestTrade).toMatchObject({
      side: 'buy',
      phase: 'curve',
      maker: bob,
      amountWeth: formatUnits(paid, 18),
      amountToken: String(got),
      blockNumber: String(block),
    })
    expect(update.latestTrade?.feeWeth).toBe(formatUnits(paid / 100n, 18))
    expect(update.latestTrade?.valueUsd).not.toBeNull()
    const token = await expectAsOnChain(alpha)
    expect(update.token).toEqual(token)
    expect(Number(token.market.priceUsd)).toBeCloseTo(Number(token.market.priceWeth) * Number(ETH_USD), 12)
  })

  test('pushes a sell with the amount that the seller received', async () => {
    const amount = (await balanceOf(alpha.token, alice)) / 3n
    await chain.mined(chain.client.sendTransaction({ account: alice, chain: null, to: alice, value: 0n }))
    const approvedFirst = await chain.client.getBalance({ address: alice })
    const before = await chain.client.getBlockNumber({ cacheTime: 0 })
    const { update } = await happens(alpha.token, sellOnCurve(chain, { from: alice, token: alpha.token, curve: alpha.curve, amount }))
    const block = await chain.client.getBlock({ blockNumber: before + 1n })
    const receipts = await Promise.all(block.transactions.map(hash => chain.client.getTransactionReceipt({ hash })))
    const gasWei = receipts.reduce((sum, receipt) => sum + receipt.gasUsed * receipt.effectiveGasPrice, 0n)
    const received = (await chain.client.getBalance({ address: alice })) - approvedFirst + gasWei
    expect(update.latestTrade).toMatchObject({
      side: 'sell',
      maker: alice,
      amountToken: String(amount),
      amountWeth: formatUnits(received, 18),
    })
    await expectAsOnChain(alpha)
  })

  test('counts transfers between wallets and to the dead address in the balances', async () => {
    const dead = '0x000000000000000000000000000000000000dead' as Address
    await happens(alpha.token, transfer(chain, { from: bob, currency: alpha.token, to: creator, amount: 12_345n }))
    const { update } = await happens(alpha.token, transfer(chain, { from: bob, currency: alpha.token, to: dead, amount: 777n }))
    expect(update.latestTrade?.side).toBe('sell')
    await expectAsOnChain(alpha)
    const { data } = await get<{ data: Holder[] }>(`/api/tokens/${alpha.token}/holders?excludeType=curve,wallet`)
    expect(new Map(data.map(({ address, type }) => [address, type]))).toEqual(
      new Map([
        [dead, 'burn'],
        [creator, 'creator'],
      ]),
    )
  })

  test('pushes the type of a holder that is a contract in a later update', async () => {
    const { weth } = chain.deployment
    const { update } = await happens(alpha.token, transfer(chain, { from: bob, currency: alpha.token, to: weth, amount: 999n }))
    const found = (await feed.next(
      entry =>
        entry.type === 'token.update' &&
        (entry['holders'] as Holder[]).some(({ address, type }) => address === weth && type === 'contract'),
    )) as unknown as TokenUpdate
    expect(found.sequence).toBeGreaterThan(update.sequence)
    expect(found.token).toEqual(await tokenOf(alpha.token))
    const { data } = await get<{ data: Holder[] }>(`/api/tokens/${alpha.token}/holders`)
    expect(found.holders).toEqual(data)
  })

  test('sends updates of a token to a client that subscribed before its launch', async () => {
    const { result } = await chain.client.simulateContract({
      account: bob,
      address: chain.deployment.launchpad,
      abi: chain.deployment.abis.launchpad,
      functionName: 'launch',
      args: ['Beta', 'BET', '', 0n],
    })
    const token = toAddress(result[0])
    feed.send({ type: 'subscribe', token })
    expect(await feed.next(message => message.type === 'subscribed' && message.token === token)).toMatchObject({ sequence: null })
    const missing = await fetch(`${service.url}/api/tokens/${token}`)
    expect([missing.status, missing.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
    const { update } = await happens(token, launch(chain, { from: bob, name: 'Beta', symbol: 'BET' }))
    expect(update.token).toMatchObject({ symbol: 'BET', creator: bob, graduation: { status: 'bonding', percent: 0 } })
    expect(update.latestTrade).toBeNull()
    expect(update.holders).toHaveLength(1)
    expect(update.token).toEqual(await tokenOf(token))
  })

  test('follows a token through completion, graduation and trading in the pool', async () => {
    const completed = await happens(alpha.token, buyOnCurve(chain, { from: bob, curve: alpha.curve, paidWei: parseEther('20') }))
    expect(completed.update.token.graduation).toMatchObject({ status: 'completed', percent: 100 })
    expect((await expectAsOnChain(alpha)).pool?.type).toBe('curve')

    const graduated = await happens(alpha.token, graduate(chain, { from: alice, token: alpha.token }))
    expect(graduated.update.token.graduation.status).toBe('migrated')
    const token = await expectAsOnChain(alpha)
    expect(token.pool).toMatchObject({ type: 'uniswap-v3', quoteToken: chain.deployment.weth, feeBps: 100 })
    expect(token.graduation.txHash).toBe((await chain.client.getBlock({ blockNumber: BigInt(graduated.block) })).transactions[0])
    const pool = token.pool?.address as Address

    const heldBefore = await balanceOf(alpha.token, alice)
    const routed = await happens(
      alpha.token,
      swapThroughRouter(chain, { from: alice, token: alpha.token, side: 'buy', amountIn: parseEther('0.25') }),
    )
    expect(routed.update.latestTrade).toMatchObject({
      phase: 'pool',
      side: 'buy',
      maker: alice,
      amountWeth: '0.25',
      pool,
    })
    expect(routed.update.latestTrade?.amountToken).toBe(String((await balanceOf(alpha.token, alice)) - heldBefore))
    await expectAsOnChain(alpha)

    const wethBefore = await balanceOf(chain.deployment.weth, bob)
    const sold = (await balanceOf(alpha.token, bob)) / 7n
    const sell = await happens(alpha.token, swapThroughRouter(chain, { from: bob, token: alpha.token, side: 'sell', amountIn: sold }))
    expect(sell.update.latestTrade).toMatchObject({ phase: 'pool', side: 'sell', maker: bob, amountToken: String(sold) })
    expect(sell.update.latestTrade?.amountWeth).toBe(formatUnits((await balanceOf(chain.deployment.weth, bob)) - wethBefore, 18))
    await expectAsOnChain(alpha)

    await chain.mined(wrap(chain, { from: alice, amountWei: parseEther('1') }))
    const direct = await happens(
      alpha.token,
      swapDirectly(chain, { from: alice, token: alpha.token, pool, side: 'buy', amountIn: parseEther('0.1') }),
    )
    expect(direct.update.latestTrade).toMatchObject({ side: 'buy', maker: alice, amountWeth: '0.1' })
    expect((await expectAsOnChain(alpha)).market.trades.h1.buys).toBeGreaterThan(2)
  })

  test('answers the creator with a call that pays out the claimable amounts', async () => {
    const collected = await happens(alpha.token, collectFees(chain, { from: bob, token: alpha.token }))
    expect(Number(collected.update.token.fees.claimableWeth)).toBeGreaterThan(0)
    await expectAsOnChain(alpha)
    const path = `/api/tokens/${alpha.token}/claimable?creator=${creator}`
    const { claimable } = await get<Claimable>(path)
    expect(new Set(claimable.map(entry => entry.symbol))).toEqual(new Set(['ALP', 'WETH']))
    const before = new Map(
      await Promise.all(claimable.map(async entry => [entry.currency, await balanceOf(entry.currency, creator)] as const)),
    )
    const call = claimable[0]?.claim as { to: Address; data: Hex }
    await happens(alpha.token, chain.client.sendTransaction({ account: creator, chain: null, to: call.to, data: call.data, gas: 500_000n }))
    for (const entry of claimable) {
      expect((await balanceOf(entry.currency, creator)) - (before.get(entry.currency) as bigint)).toBe(BigInt(entry.amount ?? -1))
    }
    for (const entry of (await get<Claimable>(path)).claimable) expect([entry.amount, entry.claimed]).toEqual(['0', entry.accrued])
    await expectAsOnChain(alpha)
  })

  test('serves trades, candles and chain statistics that agree', async () => {
    const trades: Trade[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: { data: Trade[]; nextCursor: string | null } = await get(
        `/api/tokens/${alpha.token}/trades?limit=2&order=asc${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      )
      trades.push(...page.data)
      cursor = page.nextCursor
    }
    const token = await tokenOf(alpha.token)
    expect(trades).toHaveLength(token.market.tradeCount)
    expect(new Set(trades.map(trade => trade.id)).size).toBe(trades.length)
    const { data: candles } = await get<{ data: Candle[] }>(`/api/tokens/${alpha.token}/candles?interval=1d`)
    const volume = trades.reduce((sum, trade) => sum + parseEther(trade.amountWeth ?? '0'), 0n)
    expect(candles.reduce((sum, candle) => sum + candle.trades, 0)).toBe(trades.length)
    expect(candles.reduce((sum, candle) => sum + parseEther(candle.volume), 0n)).toBe(volume)
    expect(candles.at(-1)?.close).toBe(trades.at(-1)?.priceAfterWeth)
    expect(candles.at(-1)?.close).toBe(token.market.priceWeth)
    const stats = await get<{ tokens: number; migrated: number; bonding: number; trades24h: number; volumeWeth24h: string }>(
      '/api/chain-stats',
    )
    expect(stats).toMatchObject({ tokens: 2, migrated: 1, bonding: 1, trades24h: trades.length, volumeWeth24h: formatUnits(volume, 18) })
  })

  test('tells on channels of every trade, launch and graduation that REST knows, by WebSocket and as an event stream', async () => {
    const { data: trades } = await get<{ data: Trade[] }>('/api/trades?order=asc&limit=500')
    const { data: tokens } = await get<{ data: Token[] }>('/api/tokens?order=asc')
    type Told = { readonly status?: string; readonly data: readonly (Trade & Token)[] }
    const told = (type: string) => feed.messages.filter(message => message.type === type) as unknown as readonly Told[]
    const last = trades.at(-1)?.id
    const hasLast = (data: readonly { readonly id?: string }[]) => data.some(({ id }) => id === last)
    await feed.next(message => message.type === 'trades' && hasLast(message['data'] as Trade[]))
    expect(told('trades').flatMap(({ data }) => data)).toEqual(trades)
    expect(told('launches').flatMap(({ data }) => data.map(({ address }) => address))).toEqual(tokens.map(({ address }) => address))
    expect(told('graduations').map(({ status, data }) => [status, ...data.map(({ address }) => address)])).toEqual([
      ['completed', alpha.token],
      ['migrated', alpha.token],
    ])
    const stream = await openEventStream(`${service.url}/api/stream?channel=trades&side=sell`, { 'Last-Event-ID': '0-0-0' })
    const sells = trades.filter(({ side }) => side === 'sell')
    await stream.next(({ update }) => 'data' in update && (update.data as Trade[]).some(({ id }) => id === sells.at(-1)?.id))
    expect(stream.events().flatMap(({ update }) => ('data' in update ? (update.data as Trade[]) : []))).toEqual(sells)
    await stream.close()
  })

  test('gives charts the same bars, and sites the supply without what is burned or locked', async () => {
    const { data: candles } = await get<{ data: Candle[] }>(`/api/tokens/${alpha.token}/candles?interval=1m`)
    const bars = await get<{ s: string; t: number[]; c: number[] }>(
      `/udf/history?symbol=${alpha.token}&resolution=1&to=${(candles.at(-1)?.time ?? 0) + 60}&countback=300`,
    )
    expect(bars.t).toEqual(candles.map(({ time }) => time))
    expect(bars.c).toEqual(candles.map(({ close }) => Number(close)))
    const supply = async (name: string) => (await fetch(`${service.url}/api/tokens/${alpha.token}/supply/${name}`)).text()
    const total = BigInt((await tokenOf(alpha.token)).totalSupply)
    expect(await supply('total')).toBe(formatUnits(total, 18))
    const { data: holders } = await get<{ data: Holder[] }>(`/api/tokens/${alpha.token}/holders?limit=500`)
    const held = async (type: string) => {
      const balances = await Promise.all(holders.flatMap(one => (one.type === type ? [balanceOf(alpha.token, one.address)] : [])))
      return balances.reduce((sum, balance) => sum + balance, 0n)
    }
    // Graduation burns what the pool does not take.
    expect(await held('burn')).toBeGreaterThan(777n)
    expect(await supply('circulating')).toBe(formatUnits(total - (await held('burn')) - (await held('locker')), 18))
  })

  test('sends the same updates over SSE as over WebSocket', async () => {
    const stream = await openEventStream(`${service.url}/api/tokens/${alpha.token}/stream`)
    const first = await stream.next(() => true)
    expect(first.update.token).toEqual(await tokenOf(alpha.token))
    expect(stream.text().startsWith('retry: 2000\n')).toBe(true)
    const { update } = await happens(
      alpha.token,
      swapThroughRouter(chain, { from: bob, token: alpha.token, side: 'buy', amountIn: 1_000_000n }),
    )
    const event = await stream.next(({ id }) => id === String(update.sequence))
    expect(event).toEqual({ event: 'token.update', id: String(update.sequence), update })
    await stream.close()
  })

  test('pushes no update before REST has it, and updates in rising order', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { update } = await happens(
        alpha.token,
        transfer(chain, { from: bob, currency: alpha.token, to: alice, amount: BigInt(round + 1) }),
      )
      const token = await tokenOf(alpha.token)
      expect(token.sequence).toBeGreaterThanOrEqual(update.sequence)
      expect(BigInt(token.asOfBlock)).toBeGreaterThanOrEqual(BigInt(update.sourceBlock))
    }
    const sequences = feed.updates(alpha.token).map(update => update.sequence)
    expect(sequences.length).toBeGreaterThan(20)
    expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b))
  })

  test('converts to USD at the price of the provider that it names', async () => {
    expect(await get('/api/market/eth-usd')).toMatchObject({ price: ETH_USD, source: 'coingecko', currency: 'USD', stale: false })
    const { market } = await tokenOf(alpha.token)
    expect(Number(market.priceUsd)).toBeCloseTo(Number(market.priceWeth) * Number(ETH_USD), 12)
  })

  test('closes its clients with 1012 at SIGTERM and exits with 0', async () => {
    expect(await service.stop()).toBe(0)
    expect(await feed.closed).toBe(1012)
  })
})

async function get<T>(path: string): Promise<T> {
  const response = await fetch(`${service.url}${path}`)
  expect([path, response.status]).toEqual([path, 200])
  return (await response.json()) as T
}

/** Mines what was sent in one block, and waits for the update of that block. */
async function happens(token: Address, sent: Promise<Hex>): Promise<{ update: TokenUpdate; gasWei: bigint; block: number }> {
  const receipt = await chain.mined(sent)
  const block = Number(receipt.blockNumber)
  const update = await updateOf(token, block)
  return { update, block, gasWei: receipt.gasUsed * receipt.effectiveGasPrice }
}

async function updateOf(token: Address, block: number): Promise<TokenUpdate> {
  const message = await feed.next(
    entry => entry.type === 'token.update' && entry['sourceBlock'] === String(block) && (entry.token as Token).address === token,
  )
  return message as unknown as TokenUpdate
}

function tokenOf(address: Address) {
  return get<Token>(`/api/tokens/${address}`)
}

function balanceOf(currency: Address, holder: Address) {
  return onChain.balanceOf(currency, holder)
}

function expectAsOnChain(launched: Launched) {
  return onChain.expectAsOnChain(launched)
}
