import { parseEther } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { swapThroughRouter } from '#devchain/actions.ts'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { formatDecimal } from '#domain/decimal.ts'
import { priceFromSqrt } from '#launchpads/pools/uniswapV3.ts'
import { startTestChain } from '#test/support/chain.ts'
import { balanceOf, type ChainReads, chainReads } from '#test/support/chainReads.ts'
import { useDatabase } from '#test/support/database.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { deployWowCoins, readCurrencies, type WowCoin } from '#test/support/wowCoins.ts'

// Coins of WOW's factory, and the same events read by `zora-coins`.

const followed = await useDatabase()
const backfilled = await useDatabase()
const withoutUniswap = await useDatabase()
const asCoins = await useDatabase()
const coinsInRange = await useDatabase()
const dollarCoins: WowCoin[] = []

const chain = await startTestChain()
const wow = await deployWowCoins(chain)
const dollar = await wow.deployDollar()
// The coin's place beside its currency is another than beside WETH, or the same.
const [low, high] = [chain.deployment.weth, dollar].toSorted() as [Address, Address]
const places = [(coin: Address) => coin < low, (coin: Address) => low < coin && coin < high, (coin: Address) => high < coin]
for (const [index, fits] of places.entries()) {
  const creator = chain.account(index + 1)
  const coin = await wow.launch({ creator, currency: dollar, firstBuy: parseEther('500'), fits, old: index === 1 })
  dollarCoins.push(coin)
  await wow.buy(coin, chain.account(5), parseEther('20'))
}
const etherCoin = await wow.launch({ creator: chain.account(4), currency: ZERO_ADDRESS, fee: 500, firstBuy: parseEther('1') })
const swap = { from: chain.account(6), token: etherCoin.token, side: 'buy', amountIn: parseEther('1'), fee: 500 } as const
await chain.mined(swapThroughRouter(chain, swap))
await wow.claimRewards(etherCoin, chain.account(6))
await (await openChainIndex(chain, followed, null, wow.launchpads())).indexEach(1)
await readCurrencies(chain, followed, dollar)
const reads = chainReads(chain, followed, wow.launchpads())

describe('a coin in a currency that is not WETH', () => {
  it.each([0, 1, 2])('has exact prices, amounts and candles in its own currency (coin %i)', async index => {
    const { token, pool } = dollarCoins[index] ?? expect.unreachable()
    const indexed = await reads.tokenOf(token)
    const [sqrtPriceX96] = await chain.client.readContract({ address: pool, abi: chain.deployment.abis.pool, functionName: 'slot0' })
    const price = priceFromSqrt(sqrtPriceX96, { tokenIsToken0: token < dollar }, 18)
    expect(indexed.market.priceQuote).toBe(price === null ? null : formatDecimal(price))
    expect(indexed.pool).toMatchObject({ quoteSymbol: 'USD', quoteDecimals: 18 })
    const trades = await reads.tradesOf(token)
    const paid = trades.reduce((sum, { amountQuote }) => sum + BigInt(amountQuote ?? 0), 0n)
    // A hundredth is the interface's, and never reaches the pool.
    expect(paid).toBe(parseEther('514.8'))
    const candles = await reads.candles({ address: token, interval: '1d', of: 'price', currency: 'quote', fill: false, limit: 10 })
    expect(candles?.data.at(-1)?.close).toBe(indexed.market.priceQuote)
    expect(candles?.data.reduce((sum, { volume }) => sum + parseEther(volume), 0n)).toBe(paid)
    expect((await reads.candles({ address: token, interval: '1d', of: 'price', currency: 'weth', fill: false, limit: 10 }))?.data).toEqual(
      [],
    )
  })

  it.each([0, 1, 2])('has its own currency, and nothing in WETH (coin %i)', async index => {
    const { token, pool } = dollarCoins[index] ?? expect.unreachable()
    expect(await reads.tokenOf(token)).toMatchObject({
      market: {
        priceWeth: null,
        marketCapWeth: null,
        liquidityWeth: null,
        athPriceWeth: null,
        volumeWeth: { m5: null, h1: null, h6: null, h24: null },
        priceChange: { m5: null, h24: null },
        tradeCount: 2,
      },
      pool: {
        address: pool,
        quoteToken: dollar,
        feeBps: 100,
        reserveToken: String(await balanceOf(chain, token, pool)),
        reserveQuote: String(await balanceOf(chain, dollar, pool)),
      },
      fees: { accruedWeth: null, claimedWeth: null, claimableWeth: null },
    })
  })

  it.each([0, 1, 2])('has the buys and their makers, in tokens (coin %i)', async index => {
    const { token } = dollarCoins[index] ?? expect.unreachable()
    const bought = { side: 'buy', amountWeth: null, priceWeth: null, feeWeth: null, valueUsd: null }
    expect(await reads.tradesOf(token)).toMatchObject([
      { ...bought, maker: chain.account(index + 1) },
      { ...bought, maker: chain.account(5), amountToken: String(await balanceOf(chain, token, chain.account(5))) },
    ])
  })

  it('has it from the factory alone where the factory of the pools is not known, and then no fee', async () => {
    await (await openChainIndex(chain, withoutUniswap, null, wow.launchpads({}))).indexRange(1)
    const withoutFees = chainReads(chain, withoutUniswap, wow.launchpads({}))
    for (const { token } of dollarCoins) {
      expect(await withoutFees.tokenOf(token)).toMatchObject({
        market: { priceWeth: null },
        pool: { quoteToken: dollar, feeBps: null },
      })
    }
    expect((await withoutFees.tradesOf(etherCoin.token)).map(({ feeWeth }) => feeWeth)).toEqual([null, null])
    expect((await withoutFees.tokenOf(etherCoin.token)).pool).toMatchObject({ quoteToken: chain.deployment.weth, feeBps: null })
  })
})

describe('a coin in ETH', () => {
  it('has the fee of its pool, which the factory of the pools tells', async () => {
    expect((await reads.tokenOf(etherCoin.token)).pool).toMatchObject({ quoteToken: chain.deployment.weth, feeBps: 5 })
    expect(await reads.tradesOf(etherCoin.token)).toMatchObject([
      { amountWeth: '0.99', feeWeth: '0.000495' },
      { amountWeth: '1', feeWeth: '0.0005' },
    ])
  })

  it('has accrued all that its creator was paid, market rewards that others claimed as well', async () => {
    const { fees } = await reads.tokenOf(etherCoin.token)
    const paid = await balanceOf(chain, wow.rewards, chain.account(4))
    expect(parseEther(fees.accruedWeth ?? '')).toBe(paid)
    expect(paid).toBeGreaterThan(parseEther('0.005'))
  })
})

it('gives the same tables for a range as block by block', async () => {
  await (await openChainIndex(chain, backfilled, null, wow.launchpads())).indexRange(1)
  expect(await dumpTables(backfilled.kysely)).toEqual(await dumpTables(followed.kysely))
})

describe('the same coins in Uniswap v3, read by zora-coins', () => {
  const zoraCoins = () => {
    const { uniswapFactory, deployer: poolManager } = chain.deployment
    const contracts = { factory: wow.factory, protocolRewards: wow.rewards, uniswapFactory, poolManager }
    return [{ name: 'zora', adapter: 'zora-coins', startBlock: 1, contracts }]
  }
  let ofZora: ChainReads
  beforeAll(async () => {
    await (await openChainIndex(chain, asCoins, null, zoraCoins())).indexEach(1)
    await readCurrencies(chain, asCoins, dollar)
    ofZora = chainReads(chain, asCoins, zoraCoins())
  })

  it('have their currency, pool and fee, and as trades what they have as coins of WOW', async () => {
    for (const { token } of [...dollarCoins, etherCoin]) {
      const { market, pool, name, symbol, creator } = await reads.tokenOf(token)
      expect(await ofZora.tokenOf(token)).toMatchObject({
        launchpad: 'zora',
        market,
        pool,
        name,
        symbol,
        creator,
        graduation: { status: 'none' },
      })
      expect(await ofZora.tradesOf(token)).toEqual(await reads.tradesOf(token))
    }
  })

  it('pay out dollars at once', async () => {
    for (const [index, { token }] of dollarCoins.entries()) {
      const paid = String(await balanceOf(chain, dollar, chain.account(index + 1)))
      expect(BigInt(paid)).toBeGreaterThan(0n)
      expect(await ofZora.claimableOf(token, chain.account(index + 1))).toMatchObject([
        { currency: dollar, accrued: paid, claimed: paid, amount: '0', scope: 'token' },
      ])
      expect((await ofZora.tokenOf(token)).fees).toMatchObject({ accruedWeth: null, claimedWeth: null })
    }
  })

  it('pay ETH into the escrow', async () => {
    const paid = await balanceOf(chain, wow.rewards, chain.account(4))
    const { fees } = await ofZora.tokenOf(etherCoin.token)
    expect(parseEther(fees.accruedWeth ?? '')).toBe(paid)
    expect(fees.claimedWeth).toBeNull()
    expect(await ofZora.claimableOf(etherCoin.token, chain.account(4))).toMatchObject([
      { currency: ZERO_ADDRESS, accrued: String(paid), claimed: '0', amount: String(paid), scope: 'creator' },
    ])
  })

  it('gives the same tables for a range as block by block', async () => {
    await (await openChainIndex(chain, coinsInRange, null, zoraCoins())).indexRange(1)
    expect(await dumpTables(coinsInRange.kysely)).toEqual(await dumpTables(asCoins.kysely))
  })
})
