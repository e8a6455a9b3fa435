import { sql } from 'kysely'
import { encodeFunctionData, type Hex, parseAbi, parseEther, parseEventLogs, zeroHash } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { LaunchpadsConfig } from '#config'
import { approve, transfer } from '#devchain/actions.ts'
import { poolIdOf, type V4PoolKey } from '#devchain/v4Actions.ts'
import { type Address, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import { formatDecimal, formatUnits, multiply, multiplyTexts, ONE, parseDecimal, ratio } from '#domain/decimal.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { createReads } from '#store/reads/reads.ts'
import { writeCurrencies } from '#store/rows/currencies.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { compileSolidity } from '#test/support/compileSolidity.ts'
import { useDatabase } from '#test/support/database.ts'
import { deployContract } from '#test/support/deployContract.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { deployPoolManager, readV4Pool } from '#test/support/uniswapV4.ts'

/* A coin in dollars, which are worth what Uniswap's own v4 PoolManager has of them for ETH. */

const COINS = compileSolidity(new URL('../contracts/WowCoins.sol', import.meta.url))
const ROUTERS = compileSolidity(new URL('../contracts/ClankerV4.sol', import.meta.url), { viaIR: true })
const FACTORY = parseAbi([
  'function deploy(address creator, address currency, uint24 fee, bytes32 salt, uint256 firstBuy, bool old) payable',
  'event WowTokenCreated(address indexed factoryAddress, address indexed tokenCreator, address platformReferrer, address protocolFeeRecipient, address bondingCurve, string tokenURI, string name, string symbol, address tokenAddress, address poolAddress)',
])
const COIN = parseAbi(['function buy(address recipient, uint256 amount) payable'])
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
let chain: TestChain
let dollar: Address
let poolManager: Address
let router: Address
let key: V4PoolKey
let coin: Address
let launchpads: NonNullable<Parameters<typeof openChainIndex>[3]>
let pegUsd: NonNullable<LaunchpadsConfig['pegUsd']>

const account = (index: number) => chain.accounts[index] ?? expect.unreachable()
const send = (to: Address, data: Hex, value = 0n) =>
  chain.mined(chain.client.sendTransaction({ account: account(0), chain: null, to, data, value, gas: 16_000_000n }))
const pay = (spender: Address, amount: bigint) => chain.mined(approve(chain, { from: account(0), currency: dollar, spender, amount }))

async function buyCoin(amount: bigint): Promise<void> {
  await pay(coin, amount)
  await send(coin, encodeFunctionData({ abi: COIN, functionName: 'buy', args: [account(5), amount] }))
}

const buyDollars = (wei: bigint) => send(router, encodeFunctionData({ abi: V4, functionName: 'buy', args: [key, dollar, wei] }), wei)

/** What a dollar is worth in ETH by the PoolManager's own storage. */
async function rateOfDollar() {
  const { sqrt } = await readV4Pool(chain, poolManager, poolIdOf(key))
  return ratio(Q96 * Q96, sqrt * sqrt) ?? expect.unreachable()
}

beforeAll(async () => {
  chain = await startTestChain()
  const { weth, positionManager, swapRouter, uniswapFactory } = chain.deployment
  const rewards = await deployContract(chain, COINS.get('Rewards'), [])
  const factory = await deployContract(chain, COINS.get('CoinFactory'), [weth, positionManager, swapRouter, rewards])
  dollar = await deployContract(chain, COINS.get('LaunchToken'), ['Dollar', 'USD', account(0)])
  poolManager = await deployPoolManager(chain)
  router = await deployContract(chain, ROUTERS.get('Router'), [poolManager])
  key = { currency0: ZERO_ADDRESS, currency1: dollar, fee: 3_000, tickSpacing: 60, hooks: ZERO_ADDRESS }
  await send(poolManager, encodeFunctionData({ abi: V4, functionName: 'initialize', args: [key, Q96 * 60n] }))
  await send(router, '0x', parseEther('40'))
  await chain.mined(transfer(chain, { from: account(0), currency: dollar, to: router, amount: parseEther('200000') }))
  const range = { tickLower: -887_220, tickUpper: 887_220, liquidityDelta: 10n ** 21n, salt: zeroHash }
  await send(router, encodeFunctionData({ abi: V4, functionName: 'modifyLiquidity', args: [key, range] }))

  const firstBuy = parseEther('10')
  await pay(factory, firstBuy)
  const args = [account(1), dollar, 10_000, zeroHash, firstBuy, false] as const
  const { logs } = await send(factory, encodeFunctionData({ abi: FACTORY, functionName: 'deploy', args }))
  coin = toAddress(parseEventLogs({ abi: FACTORY, logs, eventName: 'WowTokenCreated' })[0]?.args.tokenAddress ?? '')
  pegUsd = [{ token: dollar, decimals: 18 }]
  launchpads = [
    { name: 'wow', adapter: 'wow', startBlock: 1, contracts: { factory, protocolRewards: rewards, uniswapFactory } },
    {
      name: 'dollars',
      adapter: 'quote-pool',
      startBlock: 1,
      contracts: { token: dollar, poolManager, against: ZERO_ADDRESS },
      settings: { poolType: 'uniswap-v4', poolId: poolIdOf(key) },
    },
  ]
})
afterAll(() => chain?.stop())

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
  const { chainId, weth } = chain.deployment
  const reads = createReads({ db: followed.kysely, chainId, weth, claimCall: () => null })
  const trades = (await reads.trades({ address: coin, limit: 10, order: 'asc' }))?.data ?? []
  // The first buy, one before the dollar rose, and one after it.
  expect(trades.map(({ amountWeth }) => amountWeth && parseDecimal(amountWeth))).toEqual(
    trades.map(({ amountQuote }, index) => {
      const wei = (BigInt(amountQuote ?? 0) * (index < 2 ? before : after)) / ONE
      return (wei * ONE) / 10n ** 18n
    }),
  )
})

it('follows the dollar without an event of the coin, and counts it as one where the configuration says so', async () => {
  const { chainId, weth } = chain.deployment
  const reads = createReads({ db: pegged.kysely, chainId, weth, claimCall: () => null })
  const closes = async () =>
    (await reads.candles({ address: coin, interval: '1d', of: 'price', currency: 'weth', limit: 1, fill: false }))?.data[0]?.close
  const options = { revaluedPerBlock: 20, pegUsd }
  const index = await openChainIndex(chain, pegged, null, launchpads, undefined, undefined, options)
  const indexed = (await index.indexEach(1)).at(-1)?.number ?? 0
  await createTransaction(pegged.orm)(tx => writeCurrencies(tx, [{ address: dollar, symbol: 'USD', decimals: 18, isRead: true }], 1))
  const before = (await reads.token({ address: coin })) ?? expect.unreachable()
  const { priceQuote, priceWeth } = before.market

  await buyDollars(parseEther('2'))
  await chain.mine()
  await index.indexEach(indexed + 1)
  const after = (await reads.token({ address: coin })) ?? expect.unreachable()
  expect(after.market).toMatchObject({ priceQuote, tradeCount: before.market.tradeCount, priceChange: before.market.priceChange })
  expect(after.market.priceWeth).toBe(formatDecimal(multiply(parseDecimal(priceQuote ?? ''), await rateOfDollar())))
  expect([after.market.priceWeth === priceWeth, after.sequence > before.sequence]).toEqual([false, true])
  expect(await closes()).toBe(after.market.priceWeth)

  const supply = formatUnits(BigInt(after.totalSupply), 18)
  expect(after.market).toMatchObject({
    priceUsd: priceQuote,
    marketCapUsd: multiplyTexts(priceQuote ?? '', supply),
    liquidityUsd: formatUnits(2n * BigInt(after.pool?.reserveQuote ?? 0), 18),
  })
  const trades = (await reads.trades({ address: coin, limit: 10, order: 'asc' }))?.data ?? []
  expect(trades.map(({ valueUsd }) => valueUsd)).toEqual(trades.map(({ amountQuote }) => formatUnits(BigInt(amountQuote ?? 0), 18)))
  const [day] = (await reads.candles({ address: coin, interval: '1d', of: 'price', currency: 'usd', limit: 1, fill: false }))?.data ?? []
  const [inDollars] =
    (await reads.candles({ address: coin, interval: '1d', of: 'price', currency: 'quote', limit: 1, fill: false }))?.data ?? []
  expect(day).toEqual(inDollars)
})
