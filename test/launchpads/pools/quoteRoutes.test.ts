import { sql } from 'kysely'
import { parseAbi, parseEther, zeroHash } from 'viem'
import { expect, it } from 'vitest'
import type { LaunchpadConfig, LaunchpadsConfig } from '#config'
import { transfer } from '#devchain/actions.ts'
import { poolIdOf } from '#devchain/v4Actions.ts'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { type Decimal, formatDecimal, formatUnits, multiply, multiplyTexts, ONE, parseDecimal, ratio } from '#domain/decimal.ts'
import { startTestChain } from '#test/support/chain.ts'
import { chainReads } from '#test/support/chainReads.ts'
import { compileSolidity } from '#test/support/compileSolidity.ts'
import { contractAt } from '#test/support/contractAt.ts'
import { useDatabase } from '#test/support/database.ts'
import { deployContract } from '#test/support/deployContract.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { deployPoolManager, readV4Pool } from '#test/support/uniswapV4.ts'
import { deployWowCoins, readCurrencies } from '#test/support/wowCoins.ts'

/* A coin in dollars, which are worth what Uniswap's own v4 PoolManager has of them for ETH. */

const ROUTERS = compileSolidity(new URL('../contracts/ClankerV4.sol', import.meta.url), { viaIR: true })
const V4 = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct ModifyLiquidityParams { int24 tickLower; int24 tickUpper; int256 liquidityDelta; bytes32 salt; }',
  'function initialize(PoolKey key, uint160 sqrtPriceX96) returns (int24)',
  'function buy(PoolKey key, address token, uint256 paid) payable',
  'function modifyLiquidity(PoolKey key, ModifyLiquidityParams params)',
])
const Q96 = 2n ** 96n
const DOLLARS_PER_ETH = 3_600n

const followed = await useDatabase()
const backfilled = await useDatabase()
const pegged = await useDatabase()
let dollar: Address
let coin: Address
let launchpads: readonly LaunchpadConfig[]
let pegUsd: NonNullable<LaunchpadsConfig['pegUsd']>
let buyCoin: (amount: bigint) => Promise<unknown>
let buyDollars: (wei: bigint) => Promise<unknown>
/** What a dollar is worth in ETH by the PoolManager's own storage. */
let rateOfDollar: () => Promise<Decimal>

const chain = await startTestChain()
await open()

it('values a coin by a v4 pool against ETH, as the PoolManager has it', async () => {
  const before = await rateOfDollar()
  expect(before).toBe(ratio(1n, DOLLARS_PER_ETH))
  await buyCoin(parseEther('4'))
  await buyDollars(parseEther('1'))
  await buyCoin(parseEther('5'))
  const after = await rateOfDollar()
  expect(after).toBeGreaterThan(before)
  // Where a pool tells what ether costs, the price of providers is not asked for.
  await (await openChainIndex(chain, followed, '1', launchpads, undefined, undefined, { pegUsd })).indexEach(1)
  await (await openChainIndex(chain, backfilled, null, launchpads, undefined, undefined, { pegUsd })).indexRange(1)
  expect(await dumpTables(backfilled.kysely)).toEqual(await dumpTables(followed.kysely))
  const { rows } = await sql<{ ethUsd: string }>`select eth_usd as "ethUsd" from trade order by block_number, log_index`.execute(
    followed.kysely,
  )
  expect(rows.map(({ ethUsd }) => parseDecimal(ethUsd))).toEqual([before, before, after].map(rate => ratio(ONE, rate)))
  const trades = await chainReads(chain, followed, launchpads).tradesOf(coin)
  // The first buy, one before the dollar rose, and one after it.
  expect(trades.map(({ amountWeth }) => amountWeth && parseDecimal(amountWeth))).toEqual(
    trades.map(({ amountQuote }, index) => {
      const wei = (BigInt(amountQuote ?? 0) * (index < 2 ? before : after)) / ONE
      return (wei * ONE) / 10n ** 18n
    }),
  )
})

it('follows the dollar without an event of the coin, and counts it as one where the configuration says so', async () => {
  const reads = chainReads(chain, pegged, launchpads)
  const dayIn = async (currency: 'weth' | 'usd' | 'quote') =>
    (await reads.candles({ address: coin, interval: '1d', of: 'price', currency, limit: 1, fill: false }))?.data[0]
  const options = { revaluedPerBlock: 20, pegUsd }
  const index = await openChainIndex(chain, pegged, null, launchpads, undefined, undefined, options)
  const indexed = (await index.indexEach(1)).at(-1)?.number ?? 0
  await readCurrencies(chain, pegged, dollar)
  const before = await reads.tokenOf(coin)
  const { priceQuote, priceWeth } = before.market

  await buyDollars(parseEther('2'))
  await chain.mine()
  await index.indexEach(indexed + 1)
  const after = await reads.tokenOf(coin)
  expect(after.market).toMatchObject({ priceQuote, tradeCount: before.market.tradeCount, priceChange: before.market.priceChange })
  expect(after.market.priceWeth).toBe(formatDecimal(multiply(parseDecimal(priceQuote ?? ''), await rateOfDollar())))
  expect([after.market.priceWeth === priceWeth, after.sequence > before.sequence]).toEqual([false, true])
  expect((await dayIn('weth'))?.close).toBe(after.market.priceWeth)

  const supply = formatUnits(BigInt(after.totalSupply), 18)
  expect(after.market).toMatchObject({
    priceUsd: priceQuote,
    marketCapUsd: multiplyTexts(priceQuote ?? '', supply),
    liquidityUsd: formatUnits(2n * BigInt(after.pool?.reserveQuote ?? 0), 18),
  })
  const trades = await reads.tradesOf(coin)
  expect(trades.map(({ valueUsd }) => valueUsd)).toEqual(trades.map(({ amountQuote }) => formatUnits(BigInt(amountQuote ?? 0), 18)))
  expect(await dayIn('usd')).toEqual(await dayIn('quote'))
})

/** Opens the pool of dollars against ETH, and launches the coin. */
async function open(): Promise<void> {
  const payer = chain.account(0)
  const wow = await deployWowCoins(chain)
  dollar = await wow.deployDollar()
  const poolManager = await deployPoolManager(chain)
  const router = await deployContract(chain, ROUTERS.get('Router'), [poolManager])
  const atRouter = contractAt(chain, router, V4)
  const key = { currency0: ZERO_ADDRESS, currency1: dollar, fee: 3_000, tickSpacing: 60, hooks: ZERO_ADDRESS }
  await contractAt(chain, poolManager, V4).send(payer, 'initialize', [key, Q96 * 60n])
  await chain.mined(chain.client.sendTransaction({ account: payer, chain: null, to: router, value: parseEther('40') }))
  await chain.mined(transfer(chain, { from: payer, currency: dollar, to: router, amount: parseEther('200000') }))
  const range = { tickLower: -887_220, tickUpper: 887_220, liquidityDelta: 10n ** 21n, salt: zeroHash }
  await atRouter.send(payer, 'modifyLiquidity', [key, range])
  const launched = await wow.launch({ creator: chain.account(1), currency: dollar, firstBuy: parseEther('10') })
  coin = launched.token
  buyCoin = amount => wow.buy(launched, chain.account(5), amount)
  buyDollars = wei => atRouter.send(payer, 'buy', [key, dollar, wei], wei)
  rateOfDollar = async () => {
    const { sqrt } = await readV4Pool(chain, poolManager, poolIdOf(key))
    return ratio(Q96 * Q96, sqrt * sqrt) ?? expect.unreachable()
  }
  pegUsd = [{ token: dollar, decimals: 18 }]
  launchpads = [
    ...wow.launchpads(),
    {
      name: 'dollars',
      adapter: 'quote-pool',
      startBlock: 1,
      contracts: { token: dollar, poolManager, against: ZERO_ADDRESS },
      settings: { poolType: 'uniswap-v4', poolId: poolIdOf(key) },
    },
  ]
}
