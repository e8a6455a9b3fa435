import { parseAbi, parseEther } from 'viem'
import { expect, it } from 'vitest'
import { swapThroughRouter, transfer } from '#devchain/actions.ts'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { formatDecimal } from '#domain/decimal.ts'
import { priceFromSqrt } from '#launchpads/pools/uniswapV3.ts'
import { startTestChain } from '#test/support/chain.ts'
import { balanceOf, chainReads } from '#test/support/chainReads.ts'
import { compileSolidity } from '#test/support/compileSolidity.ts'
import { contractAt } from '#test/support/contractAt.ts'
import { useDatabase } from '#test/support/database.ts'
import { deployContract } from '#test/support/deployContract.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { deployWowCoins, readCurrencies, type WowCoin } from '#test/support/wowCoins.ts'

/* A coin whose currency rebases, takes fees and lies about itself, beside coins in an honest currency and in ETH. */

const HOSTILE = compileSolidity(new URL('../contracts/HostileQuote.sol', import.meta.url))
const QUOTE = parseAbi(['function turn(uint256 scale, uint256 feeBps, uint256 decimals)'])

const followed = await useDatabase()
const backfilled = await useDatabase()

const chain = await startTestChain()
const wow = await deployWowCoins(chain)
const start = (currency: Address) => wow.launch({ creator: chain.account(1), currency, firstBuy: parseEther('10') })
const hostile = await deployContract(chain, HOSTILE.get('HostileQuote'), [])
const coins = { hostile: await start(hostile), honest: await start(await wow.deployDollar()), ether: await start(ZERO_ADDRESS) }
await play(wow)
await (await openChainIndex(chain, followed, null, wow.launchpads())).indexEach(1)
await (await openChainIndex(chain, backfilled, null, wow.launchpads())).indexRange(1)
const reads = chainReads(chain, followed, wow.launchpads())
expect(await dumpTables(backfilled.kysely)).toEqual(await dumpTables(followed.kysely))
await readCurrencies(chain, followed, hostile, coins.honest.currency)

it('leaves the numbers of other coins as the chain has them', async () => {
  for (const [{ token, pool }, quote, trades] of [
    [coins.honest, coins.honest.currency, 4],
    [coins.ether, chain.deployment.weth, 3],
  ] as const) {
    const [sqrtPriceX96] = await chain.client.readContract({ address: pool, abi: chain.deployment.abis.pool, functionName: 'slot0' })
    const price = priceFromSqrt(sqrtPriceX96, { tokenIsToken0: token < quote }, 18)
    expect(await reads.tokenOf(token)).toMatchObject({
      market: { priceQuote: price === null ? null : formatDecimal(price), tradeCount: trades },
      pool: { reserveToken: String(await balanceOf(chain, token, pool)), reserveQuote: String(await balanceOf(chain, quote, pool)) },
    })
  }
})

it('has no name and no scale, so its coin has no price', async () => {
  expect(await reads.tokenOf(coins.hostile.token)).toMatchObject({
    market: { priceQuote: null, priceWeth: null, marketCapWeth: null, liquidityWeth: null, tradeCount: 4 },
    pool: { quoteToken: coins.hostile.currency, quoteSymbol: null, quoteDecimals: null },
  })
})

it('has the amounts that its pool counted, and not what it holds since', async () => {
  const { token, pool, currency } = coins.hostile
  const indexed = await reads.tokenOf(token)
  expect(indexed.pool?.reserveToken).toBe(String(await balanceOf(chain, token, pool)))
  const trades = await reads.tradesOf(token)
  const counted = trades.reduce((sum, { side, amountQuote }) => sum + BigInt(amountQuote ?? 0) * (side === 'buy' ? 1n : -1n), 0n)
  expect(counted).toBeGreaterThan(0n)
  expect(BigInt(indexed.pool?.reserveQuote ?? 0)).toBeLessThanOrEqual(counted)
  expect(await balanceOf(chain, currency, pool)).toBeGreaterThan(100n * counted)
})

it('does not lead the list by market cap', async () => {
  const { data } = await reads.tokens({ sort: 'marketCap', order: 'desc', limit: 10 })
  expect(data.map(({ address }) => address)[0]).toBe(coins.ether.token)
})

/** Trades while the hostile currency grows, takes fees and pays a pool. */
async function play(wow: Awaited<ReturnType<typeof deployWowCoins>>): Promise<void> {
  const hostile = coins.hostile.currency
  const turn = (...args: readonly [scale: bigint, feeBps: bigint, decimals: bigint]) =>
    contractAt(chain, hostile, QUOTE).send(chain.account(0), 'turn', args)
  const tradeAll = async () => {
    for (const coin of Object.values(coins)) await wow.buy(coin, chain.account(5), parseEther('4'))
  }
  /** Half of what the buyer holds. */
  const sell = async ({ token, currency }: WowCoin) => {
    const amountIn = (await balanceOf(chain, token, chain.account(5))) / 2n
    await chain.mined(swapThroughRouter(chain, { from: chain.account(5), token, side: 'sell', amountIn, quote: currency }))
  }
  // A thousand times of everything, also of what the pool holds, without an event.
  await turn(1_000n, 0n, 18n)
  await tradeAll()
  // Nine tenths of each transfer: no pool takes a payment in it any more, and what a pool pays does not arrive.
  await turn(1_000n, 9_000n, 18n)
  await sell(coins.hostile)
  await sell(coins.honest)
  // Pays its own pool. As large as the supply of the honest one.
  await turn(1_000n, 0n, 255n)
  await chain.mined(transfer(chain, { from: chain.account(0), currency: hostile, to: coins.hostile.pool, amount: 10n ** 27n }))
  await tradeAll()
}
