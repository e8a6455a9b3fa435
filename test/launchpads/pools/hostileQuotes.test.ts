import { encodeFunctionData, type Hex, parseAbi, parseEther, parseEventLogs, zeroHash } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { routerAbi } from '#devchain/abis.ts'
import { approve, transfer } from '#devchain/actions.ts'
import { type Address, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import { formatDecimal } from '#domain/decimal.ts'
import { fetchCurrency } from '#jobs/currencies/fetchCurrency.ts'
import { priceFromSqrt } from '#launchpads/pools/uniswapV3.ts'
import { createRpc } from '#rpc/rpc.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { createReads } from '#store/reads/reads.ts'
import { writeCurrencies } from '#store/rows/currencies.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { compileSolidity } from '#test/support/compileSolidity.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { deployContract } from '#test/support/deployContract.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'

/* A coin whose currency rebases, takes fees and lies about itself, beside coins in an honest currency and in ETH. */

const COINS = compileSolidity(new URL('../contracts/WowCoins.sol', import.meta.url))
const HOSTILE = compileSolidity(new URL('../contracts/HostileQuote.sol', import.meta.url))
const FACTORY = parseAbi([
  'function deploy(address creator, address currency, uint24 fee, bytes32 salt, uint256 firstBuy, bool old) payable',
  'event WowTokenCreated(address indexed factoryAddress, address indexed tokenCreator, address platformReferrer, address protocolFeeRecipient, address bondingCurve, string tokenURI, string name, string symbol, address tokenAddress, address poolAddress)',
])
const COIN = parseAbi(['function buy(address recipient, uint256 amount) payable', 'function balanceOf(address) view returns (uint256)'])
const QUOTE = parseAbi(['function turn(uint256 scale, uint256 feeBps, uint256 decimals)'])
const FEE = 10_000

interface Coin {
  readonly token: Address
  readonly pool: Address
}

const followed = await useDatabase()
const backfilled = await useDatabase()
let chain: TestChain
let hostile: Address
let honest: Address
let coins: Readonly<Record<'hostile' | 'honest' | 'ether', Coin>>
let reads: ReturnType<typeof createReads>

const account = (index: number) => chain.accounts[index] ?? expect.unreachable()
const send = (from: Address, to: Address, data: Hex, value = 0n) =>
  chain.mined(chain.client.sendTransaction({ account: from, chain: null, to, data, value, gas: 16_000_000n }))
const turn = (scale: bigint, feeBps: bigint, decimals: bigint) =>
  send(account(0), hostile, encodeFunctionData({ abi: QUOTE, functionName: 'turn', args: [scale, feeBps, decimals] }))
const balanceOf = (currency: Address, holder: Address) =>
  chain.client.readContract({ address: currency, abi: COIN, functionName: 'balanceOf', args: [holder] })

async function buy(coin: Coin, currency: Address, amount: bigint): Promise<void> {
  const isEther = currency === ZERO_ADDRESS
  if (!isEther) await chain.mined(approve(chain, { from: account(0), currency, spender: coin.token, amount }))
  const data = encodeFunctionData({ abi: COIN, functionName: 'buy', args: [account(5), amount] })
  await send(account(0), coin.token, data, isEther ? amount : 0n)
}

/** Half of what the buyer holds. */
async function sell({ token }: Coin, currency: Address): Promise<void> {
  const { swapRouter } = chain.deployment
  const amountIn = (await balanceOf(token, account(5))) / 2n
  await chain.mined(approve(chain, { from: account(5), currency: token, spender: swapRouter, amount: amountIn }))
  const order = { tokenIn: token, tokenOut: currency, fee: FEE, recipient: account(5), deadline: 10n ** 12n, amountIn }
  const args = [{ ...order, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n }] as const
  await send(account(5), swapRouter, encodeFunctionData({ abi: routerAbi, functionName: 'exactInputSingle', args }))
}

async function startCoin(factory: Address, currency: Address): Promise<Coin> {
  const firstBuy = parseEther('10')
  const isEther = currency === ZERO_ADDRESS
  if (!isEther) await chain.mined(approve(chain, { from: account(0), currency, spender: factory, amount: firstBuy }))
  const args = [account(1), currency, FEE, zeroHash, firstBuy, false] as const
  const receipt = await send(
    account(0),
    factory,
    encodeFunctionData({ abi: FACTORY, functionName: 'deploy', args }),
    isEther ? firstBuy : 0n,
  )
  const [event] = parseEventLogs({ abi: FACTORY, logs: receipt.logs, eventName: 'WowTokenCreated' })
  return { token: toAddress(event?.args.tokenAddress ?? ''), pool: toAddress(event?.args.poolAddress ?? '') }
}

beforeAll(async () => {
  chain = await startTestChain()
  const { weth, positionManager, swapRouter, uniswapFactory, chainId } = chain.deployment
  const rewards = await deployContract(chain, COINS.get('Rewards'), [])
  const factory = await deployContract(chain, COINS.get('CoinFactory'), [weth, positionManager, swapRouter, rewards])
  honest = await deployContract(chain, COINS.get('LaunchToken'), ['Dollar', 'USD', account(0)])
  hostile = await deployContract(chain, HOSTILE.get('HostileQuote'), [])
  coins = {
    hostile: await startCoin(factory, hostile),
    honest: await startCoin(factory, honest),
    ether: await startCoin(factory, ZERO_ADDRESS),
  }
  const tradeAll = async () => {
    await buy(coins.hostile, hostile, parseEther('4'))
    await buy(coins.honest, honest, parseEther('4'))
    await buy(coins.ether, ZERO_ADDRESS, parseEther('4'))
  }
  // A thousand times of everything, also of what the pool holds, without an event.
  await turn(1_000n, 0n, 18n)
  await tradeAll()
  // Nine tenths of each transfer: no pool takes a payment in it any more, and what a pool pays does not arrive.
  await turn(1_000n, 9_000n, 18n)
  await sell(coins.hostile, hostile)
  await sell(coins.honest, honest)
  // Pays its own pool. As large as the supply of the honest one.
  await turn(1_000n, 0n, 255n)
  await chain.mined(transfer(chain, { from: account(0), currency: hostile, to: coins.hostile.pool, amount: 10n ** 27n }))
  await tradeAll()

  const launchpads = [{ name: 'wow', adapter: 'wow', startBlock: 1, contracts: { factory, protocolRewards: rewards, uniswapFactory } }]
  await (await openChainIndex(chain, followed, null, launchpads)).indexEach(1)
  await (await openChainIndex(chain, backfilled, null, launchpads)).indexRange(1)
  const rpc = createRpc({ urls: [chain.anvil.url], chainId: null, logger: silentLogger })
  const currencies = await Promise.all([hostile, honest].map(address => fetchCurrency(rpc, address))).finally(() => rpc.close())
  reads = createReads({ db: followed.kysely, chainId, weth, claimCall: () => null })
  expect(await dumpTables(backfilled.kysely)).toEqual(await dumpTables(followed.kysely))
  await createTransaction(followed.orm)(tx => writeCurrencies(tx, currencies, 1))
})
afterAll(() => chain?.stop())

it('leaves the numbers of other coins as the chain has them', async () => {
  for (const [{ token, pool }, quote, trades] of [
    [coins.honest, honest, 4],
    [coins.ether, chain.deployment.weth, 3],
  ] as const) {
    const [sqrtPriceX96] = await chain.client.readContract({ address: pool, abi: chain.deployment.abis.pool, functionName: 'slot0' })
    const price = priceFromSqrt(sqrtPriceX96, { tokenIsToken0: token < quote }, 18)
    expect(await reads.token({ address: token })).toMatchObject({
      market: { priceQuote: price === null ? null : formatDecimal(price), tradeCount: trades },
      pool: { reserveToken: String(await balanceOf(token, pool)), reserveQuote: String(await balanceOf(quote, pool)) },
    })
  }
})

it('has no name and no scale, so its coin has no price', async () => {
  expect(await reads.token({ address: coins.hostile.token })).toMatchObject({
    market: { priceQuote: null, priceWeth: null, marketCapWeth: null, liquidityWeth: null, tradeCount: 4 },
    pool: { quoteToken: hostile, quoteSymbol: null, quoteDecimals: null },
  })
})

it('has the amounts that its pool counted, and not what it holds since', async () => {
  const { token, pool } = coins.hostile
  const indexed = await reads.token({ address: token })
  expect(indexed?.pool?.reserveToken).toBe(String(await balanceOf(token, pool)))
  const trades = (await reads.trades({ address: token, limit: 10, order: 'asc' }))?.data ?? []
  const counted = trades.reduce((sum, { side, amountQuote }) => sum + BigInt(amountQuote ?? 0) * (side === 'buy' ? 1n : -1n), 0n)
  expect(counted).toBeGreaterThan(0n)
  expect(BigInt(indexed?.pool?.reserveQuote ?? 0)).toBeLessThanOrEqual(counted)
  expect(await balanceOf(hostile, pool)).toBeGreaterThan(100n * counted)
})

it('does not lead the list by market cap', async () => {
  const { data } = await reads.tokens({ sort: 'marketCap', order: 'desc', limit: 10 })
  expect(data.map(({ address }) => address)[0]).toBe(coins.ether.token)
})
