import { encodeDeployData, encodeFunctionData, getContractAddress, type Hex, numberToHex, parseAbi, parseEther, parseEventLogs } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve, swapThroughRouter } from '#devchain/actions.ts'
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
import { silentLogger, type TestDatabase, useDatabase } from '#test/support/database.ts'
import { deployContract } from '#test/support/deployContract.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'

// Coins of WOW's factory, which have no curve and trade in any currency, and the same events read by `zora-coins`.

const CONTRACTS = compileSolidity(new URL('../contracts/WowCoins.sol', import.meta.url))
const FACTORY = parseAbi([
  'function deploy(address creator, address currency, uint24 fee, bytes32 salt, uint256 firstBuy, bool old) payable',
  'event WowTokenCreated(address indexed factoryAddress, address indexed tokenCreator, address platformReferrer, address protocolFeeRecipient, address bondingCurve, string tokenURI, string name, string symbol, address tokenAddress, address poolAddress)',
])
const COIN = parseAbi([
  'constructor(address creator, address currency, uint24 fee)',
  'function buy(address recipient, uint256 amount) payable',
  'function claimSecondaryRewards()',
  'function balanceOf(address) view returns (uint256)',
])
const FIVE_HUNDRED = parseEther('500')

const followed = await useDatabase()
const backfilled = await useDatabase()
const withoutUniswap = await useDatabase()
const asCoins = await useDatabase()
const coinsInRange = await useDatabase()
let chain: TestChain
let factory: Address
let rewards: Address
let dollar: Address
const dollarCoins: Coin[] = []
let etherCoin: Coin

interface Coin {
  readonly token: Address
  readonly pool: Address
  readonly fee: number
}

const account = (index: number) => chain.accounts[index] ?? expect.unreachable()
const send = (from: Address, to: Address, data: Hex, value = 0n) =>
  chain.mined(chain.client.sendTransaction({ account: from, chain: null, to, data, value, gas: 16_000_000n }))
const balanceOf = (currency: Address, holder: Address) =>
  chain.client.readContract({ address: currency, abi: COIN, functionName: 'balanceOf', args: [holder] })

interface CoinLaunch {
  readonly currency: Address
  readonly fee: number
  readonly firstBuy: bigint
  readonly old?: boolean
  /** Which addresses the coin may have. */
  readonly fits?: (coin: Address) => boolean
}

async function launchCoin(creator: Address, { currency, fee, firstBuy, old = false, fits = () => true }: CoinLaunch): Promise<Coin> {
  const paired = currency === ZERO_ADDRESS ? chain.deployment.weth : currency
  const bytecode = encodeDeployData({ abi: COIN, bytecode: CONTRACTS.get('Coin')?.bytecode ?? '0x', args: [creator, paired, fee] })
  let salt = numberToHex(0, { size: 32 })
  for (let next = 1; !fits(toAddress(getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecode }))); next++) {
    salt = numberToHex(next, { size: 32 })
  }
  const data = encodeFunctionData({ abi: FACTORY, functionName: 'deploy', args: [creator, currency, fee, salt, firstBuy, old] })
  const receipt = await send(account(0), factory, data, currency === ZERO_ADDRESS ? firstBuy : 0n)
  const [event] = parseEventLogs({ abi: FACTORY, logs: receipt.logs, eventName: 'WowTokenCreated' })
  return { token: toAddress(event?.args.tokenAddress ?? ''), pool: toAddress(event?.args.poolAddress ?? ''), fee }
}

const launchpads = (contracts: Readonly<Record<string, Address>> = { uniswapFactory: chain.deployment.uniswapFactory }) => [
  { name: 'wow', adapter: 'wow', startBlock: 1, contracts: { factory, protocolRewards: rewards, ...contracts } },
]

beforeAll(async () => {
  chain = await startTestChain()
  const { weth, positionManager, swapRouter } = chain.deployment
  rewards = await deployContract(chain, CONTRACTS.get('Rewards'), [])
  factory = await deployContract(chain, CONTRACTS.get('CoinFactory'), [weth, positionManager, swapRouter, rewards])
  dollar = await deployContract(chain, CONTRACTS.get('LaunchToken'), ['Dollar', 'USD', account(0)])
  await chain.mined(approve(chain, { from: account(0), currency: dollar, spender: factory, amount: parseEther('1000000') }))

  // The coin's place beside its currency is another than beside WETH, or the same.
  const [low, high] = [weth, dollar].toSorted() as [Address, Address]
  const places = [(coin: Address) => coin < low, (coin: Address) => low < coin && coin < high, (coin: Address) => high < coin]
  for (const [index, fits] of places.entries()) {
    const coin = await launchCoin(account(index + 1), { currency: dollar, fee: 10_000, firstBuy: FIVE_HUNDRED, fits, old: index === 1 })
    dollarCoins.push(coin)
    await chain.mined(approve(chain, { from: account(0), currency: dollar, spender: coin.token, amount: FIVE_HUNDRED }))
    await send(account(0), coin.token, encodeFunctionData({ abi: COIN, functionName: 'buy', args: [account(5), parseEther('20')] }))
  }
  etherCoin = await launchCoin(account(4), { currency: ZERO_ADDRESS, fee: 500, firstBuy: parseEther('1') })
  await chain.mined(
    swapThroughRouter(chain, { from: account(6), token: etherCoin.token, side: 'buy', amountIn: parseEther('1'), fee: 500 }),
  )
  await send(account(6), etherCoin.token, encodeFunctionData({ abi: COIN, functionName: 'claimSecondaryRewards' }))
  await (await openChainIndex(chain, followed, null, launchpads())).indexEach(1)
  await readCurrency(followed)
})
afterAll(() => chain?.stop())

/** What the service asks of a currency that it meets. */
async function readCurrency({ orm }: TestDatabase): Promise<void> {
  const rpc = createRpc({ urls: [chain.anvil.url], chainId: null, logger: silentLogger })
  const currency = await fetchCurrency(rpc, dollar).finally(() => rpc.close())
  await createTransaction(orm)(tx => writeCurrencies(tx, [currency], 1))
}

const openReads = ({ kysely }: TestDatabase) => {
  const { chainId, weth } = chain.deployment
  return createReads({ db: kysely, chainId, weth, claimCall: () => null })
}

describe('a coin in a currency that is not WETH', () => {
  it.each([0, 1, 2])('has exact prices, amounts and candles in its own currency (coin %i)', async index => {
    const { token, pool } = dollarCoins[index] ?? expect.unreachable()
    const reads = openReads(followed)
    const indexed = await reads.token({ address: token })
    const [sqrtPriceX96] = await chain.client.readContract({ address: pool, abi: chain.deployment.abis.pool, functionName: 'slot0' })
    const price = priceFromSqrt(sqrtPriceX96, { tokenIsToken0: token < dollar }, 18)
    expect(indexed?.market.priceQuote).toBe(price === null ? null : formatDecimal(price))
    expect(indexed?.pool).toMatchObject({ quoteSymbol: 'USD', quoteDecimals: 18 })
    const trades = (await reads.trades({ address: token, limit: 10, order: 'asc' }))?.data ?? []
    const paid = trades.reduce((sum, { amountQuote }) => sum + BigInt(amountQuote ?? 0), 0n)
    // A hundredth is the interface's, and never reaches the pool.
    expect(paid).toBe(parseEther('514.8'))
    const candles = await reads.candles({ address: token, interval: '1d', of: 'price', currency: 'quote', fill: false, limit: 10 })
    expect(candles?.data.at(-1)?.close).toBe(indexed?.market.priceQuote)
    expect(candles?.data.reduce((sum, { volume }) => sum + parseEther(volume), 0n)).toBe(paid)
    expect((await reads.candles({ address: token, interval: '1d', of: 'price', currency: 'weth', fill: false, limit: 10 }))?.data).toEqual(
      [],
    )
  })

  it.each([0, 1, 2])('has its own currency, and nothing in WETH (coin %i)', async index => {
    const { token, pool } = dollarCoins[index] ?? expect.unreachable()
    const indexed = await openReads(followed).token({ address: token })
    expect(indexed).toMatchObject({
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
        reserveToken: String(await balanceOf(token, pool)),
        reserveQuote: String(await balanceOf(dollar, pool)),
      },
      fees: { accruedWeth: null, claimedWeth: null, claimableWeth: null },
    })
  })

  it.each([0, 1, 2])('has the buys and their makers, in tokens (coin %i)', async index => {
    const { token } = dollarCoins[index] ?? expect.unreachable()
    const trades = await openReads(followed).trades({ address: token, limit: 10, order: 'asc' })
    const bought = { side: 'buy', amountWeth: null, priceWeth: null, feeWeth: null, valueUsd: null }
    expect(trades?.data).toMatchObject([
      { ...bought, maker: account(index + 1) },
      { ...bought, maker: account(5), amountToken: String(await balanceOf(token, account(5))) },
    ])
  })

  it('has it from the factory alone where the factory of the pools is not known, and then no fee', async () => {
    await (await openChainIndex(chain, withoutUniswap, null, launchpads({}))).indexRange(1)
    const reads = openReads(withoutUniswap)
    for (const { token } of dollarCoins) {
      expect(await reads.token({ address: token })).toMatchObject({
        market: { priceWeth: null },
        pool: { quoteToken: dollar, feeBps: null },
      })
    }
    const trades = await reads.trades({ address: etherCoin.token, limit: 10, order: 'asc' })
    expect(trades?.data.map(({ feeWeth }) => feeWeth)).toEqual([null, null])
    expect((await reads.token({ address: etherCoin.token }))?.pool).toMatchObject({ quoteToken: chain.deployment.weth, feeBps: null })
  })
})

describe('a coin in ETH', () => {
  it('has the fee of its pool, which the factory of the pools tells', async () => {
    const reads = openReads(followed)
    expect((await reads.token({ address: etherCoin.token }))?.pool).toMatchObject({ quoteToken: chain.deployment.weth, feeBps: 5 })
    const trades = await reads.trades({ address: etherCoin.token, limit: 10, order: 'asc' })
    expect(trades?.data).toMatchObject([
      { amountWeth: '0.99', feeWeth: '0.000495' },
      { amountWeth: '1', feeWeth: '0.0005' },
    ])
  })

  it('has accrued all that its creator was paid, market rewards that others claimed as well', async () => {
    const { fees } = (await openReads(followed).token({ address: etherCoin.token })) ?? expect.unreachable()
    const paid = await balanceOf(rewards, account(4))
    expect(parseEther(fees.accruedWeth ?? '')).toBe(paid)
    expect(paid).toBeGreaterThan(parseEther('0.005'))
  })
})

it('gives the same tables for a range as block by block', async () => {
  await (await openChainIndex(chain, backfilled, null, launchpads())).indexRange(1)
  expect(await dumpTables(backfilled.kysely)).toEqual(await dumpTables(followed.kysely))
})

describe('the same coins in Uniswap v3, read by zora-coins', () => {
  const zoraCoins = () => {
    const { uniswapFactory, deployer: poolManager } = chain.deployment
    const contracts = { factory, protocolRewards: rewards, uniswapFactory, poolManager }
    return [{ name: 'zora', adapter: 'zora-coins', startBlock: 1, contracts }]
  }
  beforeAll(async () => {
    await (await openChainIndex(chain, asCoins, null, zoraCoins())).indexEach(1)
    await readCurrency(asCoins)
  })

  it('have their currency, pool and fee, and as trades what they have as coins of WOW', async () => {
    const [ofWow, ofZora] = [openReads(followed), openReads(asCoins)]
    for (const { token } of [...dollarCoins, etherCoin]) {
      const { market, pool, name, symbol, creator } = (await ofWow.token({ address: token })) ?? expect.unreachable()
      expect(await ofZora.token({ address: token })).toMatchObject({
        launchpad: 'zora',
        market,
        pool,
        name,
        symbol,
        creator,
        graduation: { status: 'none' },
      })
      const query = { address: token, limit: 10, order: 'asc' } as const
      expect((await ofZora.trades(query))?.data).toEqual((await ofWow.trades(query))?.data)
    }
  })

  it('pay out dollars at once', async () => {
    const reads = openReads(asCoins)
    for (const [index, { token }] of dollarCoins.entries()) {
      const paid = String(await balanceOf(dollar, account(index + 1)))
      expect(BigInt(paid)).toBeGreaterThan(0n)
      expect((await reads.claimable({ address: token, creator: account(index + 1) }))?.claimable).toMatchObject([
        { currency: dollar, accrued: paid, claimed: paid, amount: '0', scope: 'token' },
      ])
      expect((await reads.token({ address: token }))?.fees).toMatchObject({ accruedWeth: null, claimedWeth: null })
    }
  })

  it('pay ETH into the escrow', async () => {
    const reads = openReads(asCoins)
    const paid = await balanceOf(rewards, account(4))
    const { fees } = (await reads.token({ address: etherCoin.token })) ?? expect.unreachable()
    expect(parseEther(fees.accruedWeth ?? '')).toBe(paid)
    expect(fees.claimedWeth).toBeNull()
    expect((await reads.claimable({ address: etherCoin.token, creator: account(4) }))?.claimable).toMatchObject([
      { currency: ZERO_ADDRESS, accrued: String(paid), claimed: '0', amount: String(paid), scope: 'creator' },
    ])
  })

  it('gives the same tables for a range as block by block', async () => {
    await (await openChainIndex(chain, coinsInRange, null, zoraCoins())).indexRange(1)
    expect(await dumpTables(coinsInRange.kysely)).toEqual(await dumpTables(asCoins.kysely))
  })
})
