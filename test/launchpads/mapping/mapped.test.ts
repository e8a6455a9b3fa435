import { sql } from 'kysely'
import {
  type Abi,
  encodeFunctionData,
  formatUnits,
  getContractAddress,
  type Hex,
  pad,
  parseAbi,
  parseEther,
  stringToHex,
  type TransactionReceipt,
} from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import type { LaunchpadConfig } from '#config'
import { parseLaunchpads } from '#configuration/launchpads.ts'
import { approve, transfer, wrap } from '#devchain/actions.ts'
import { type Address, toAddress } from '#domain/address.ts'
import { createDirectory } from '#launchpads/directory/directory.ts'
import { ADAPTER_KINDS, createAdapters } from '#launchpads/registry.ts'
import type { Reads } from '#resources/reads.ts'
import type { Token } from '#resources/token.ts'
import { createRpc } from '#rpc/rpc.ts'
import { readFinality } from '#store/reads/marketData/finality.ts'
import { createReads } from '#store/reads/reads.ts'
import { fetchRange } from '#sync/fetch/range.ts'
import { batchOf } from '#sync/fetch/span.ts'
import { BAZAAR_ABI, BAZAAR_EVENTS, MAPPED_CONTRACTS } from '#test/support/bazaar.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { deployContract, deployUniswapV2 } from '#test/support/deployContract.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'

const COIN = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function rebase(address holder, uint256 more)',
  'function spot() view returns (uint256)',
  'function pair() view returns (address)',
  'function grow()',
])
const FOLK = parseAbi(['function buy(uint256 tokens) payable', 'function sell(uint256 tokens)'])
const PAIR = parseAbi([
  'function mint(address to) returns (uint256)',
  'function burn(address to) returns (uint256, uint256)',
  'function skim(address to)',
  'function sync()',
  'function getReserves() view returns (uint112, uint112, uint32)',
])
const READS: Abi = [...COIN, ...BAZAAR_ABI, ...PAIR]
const DEAD = toAddress('0x000000000000000000000000000000000000dEaD')

const FOLK_EVENTS = {
  launch: {
    event:
      'event Born(uint256 supply, (address by, string title, bytes ticker, uint8 decimals) about, uint16 cutBps, address indexed folk)',
    emitter: 'factory',
    token: 'folk',
    creator: 'about.by',
    decimals: 'about.decimals',
    name: 'about.title',
    symbol: 'about.ticker',
    totalSupply: 'supply',
    feeBps: 'cutBps',
    price: '1000000000000',
  },
  buy: {
    event: 'event Purchase(uint256 got, uint256 gross, uint256 cut, uint256 spot, address indexed by)',
    emitter: 'token',
    maker: 'by',
    tokenAmount: 'got',
    quoteAmount: 'gross',
    fee: 'cut',
    quoteAmountIs: 'beforeFees',
    price: 'spot',
  },
  sell: {
    event: 'event Sale(uint256 gave, uint256 gross, uint256 cut, uint256 spot, address indexed by)',
    emitter: 'token',
    maker: 'by',
    tokenAmount: 'gave',
    quoteAmount: 'gross',
    fee: 'cut',
    quoteAmountIs: 'beforeFees',
    price: 'spot',
  },
  graduate: { event: 'event Grown(address nest, uint24 pips)', emitter: 'token', pool: 'nest', poolType: 'uniswap-v2', poolFeeBps: 25 },
}

const database = await useDatabase()
const oneByOne = await useDatabase()
let chain: TestChain
let bazaar: Address
let maker: Address
let queries: Pick<Reads, 'token' | 'trades' | 'holders' | 'claimable'>
let coins: Address[]
let taxed: Address
let rebased: Address
let folk: Address
let graduating: TransactionReceipt
let pairs: Address
let annexes: { readonly weth: Address; readonly other: Address }
/** Launched, traded, graduated and traded again in one block. */
let hasty: Address
let grownBlock: number

const account = (index: number) => chain.accounts[index] ?? expect.unreachable()
const send = (from: Address, to: Address, data: Hex, value = 0n) =>
  chain.mined(chain.client.sendTransaction({ account: from, chain: null, to, data, value, gas: 10_000_000n }))
const onBazaar = (from: number, call: Omit<Parameters<typeof encodeFunctionData<typeof BAZAAR_ABI>>[0], 'abi'>, value = 0n) =>
  send(account(from), bazaar, encodeFunctionData({ abi: BAZAAR_ABI, ...call }), value)
const onCoin = (from: number, coin: Address, call: Omit<Parameters<typeof encodeFunctionData<typeof COIN>>[0], 'abi'>) =>
  send(account(from), coin, encodeFunctionData({ abi: COIN, ...call }))
const onFolk = (from: number, call: Omit<Parameters<typeof encodeFunctionData<typeof FOLK>>[0], 'abi'>, value = 0n) =>
  send(account(from), folk, encodeFunctionData({ abi: FOLK, ...call }), value)

async function open(title: string, taxPercent: bigint, firstBuy = 0n): Promise<Address> {
  const words = [pad(stringToHex(title), { dir: 'right', size: 32 }), pad(stringToHex('TICK'), { dir: 'right', size: 8 })] as const
  const { logs } = await onBazaar(1, { functionName: 'open', args: [...words, taxPercent] }, firstBuy)
  return toAddress(`0x${(logs.at(-1)?.data ?? '').slice(2 + 64 + 24, 2 + 128)}`)
}

function launchpads(): readonly LaunchpadConfig[] {
  const { startBlock, weth } = chain.deployment
  const file = {
    weth,
    launchpads: [
      { name: 'bazaar', adapter: 'bonding-curve', factory: bazaar, startBlock, events: BAZAAR_EVENTS },
      { name: 'folk', adapter: 'bonding-curve', factory: maker, startBlock, events: FOLK_EVENTS },
    ],
  }
  const result = parseLaunchpads(JSON.stringify(file), ADAPTER_KINDS)
  return result.kind === 'valid' ? result.value.launchpads : expect.unreachable(result.problems.join('\n'))
}

async function pairOf(coin: Address | undefined): Promise<Address> {
  return toAddress((await read<readonly [Address, bigint, Address]>(bazaar, 'stalls', [coin]))[2])
}

/** Sends without mining; one sender's transactions keep their order. */
const queue = (call: Omit<Parameters<typeof encodeFunctionData<typeof BAZAAR_ABI>>[0], 'abi'>, value = 0n) =>
  chain.client.sendTransaction({
    account: account(7),
    chain: null,
    to: bazaar,
    data: encodeFunctionData({ abi: BAZAAR_ABI, ...call }),
    value,
    gas: 5_000_000n,
  })

async function hurry(): Promise<void> {
  const nonce = await chain.client.getTransactionCount({ address: bazaar })
  hasty = toAddress(getContractAddress({ from: bazaar, nonce: BigInt(nonce) }))
  const hashes = [
    await queue({ functionName: 'open', args: [pad('0x41', { dir: 'right', size: 32 }), '0x4100000000000000', 0n] }, parseEther('0.01')),
    await queue({ functionName: 'buy', args: [hasty] }, parseEther('0.5')),
    await queue({ functionName: 'sell', args: [hasty, 10n ** 12n] }),
    await queue({ functionName: 'finish', args: [hasty, parseEther('0.1')] }, parseEther('2')),
    await queue({ functionName: 'swapIn', args: [hasty, account(6)] }, parseEther('0.1')),
    await queue({ functionName: 'swapOut', args: [hasty, 10n ** 12n] }),
  ]
  await chain.mine()
  for (const hash of hashes) expect((await receiptOf(hash)).status).toBe('success')
}

/** Two more pools of a coin, trades in them, and liquidity coming to and going from its main pair. */
async function crowd(coin: Address, other: Address): Promise<void> {
  const { weth } = chain.deployment
  const someone = account(5)
  await chain.mined(wrap(chain, { from: someone, amountWei: parseEther('1') }))
  await chain.mined(approve(chain, { from: someone, currency: weth, spender: bazaar, amount: parseEther('1') }))
  for (const one of [coin, other]) await onBazaar(3, { functionName: 'swapIn', args: [one, someone] }, parseEther('0.3'))
  const annex = async (paired: Address, factory: Address, coinAmount: bigint, amount: bigint, amountIn: bigint) => {
    const { logs } = await onBazaar(5, { functionName: 'annex', args: [coin, paired, factory, coinAmount, amount] })
    const pair = toAddress(`0x${(logs.at(-1)?.data ?? '').slice(26, 66)}`)
    await onBazaar(5, { functionName: 'swapAt', args: [pair, coin, paired, amountIn] })
    return pair
  }
  annexes = {
    weth: await annex(weth, await deployUniswapV2(chain), 10n ** 19n, parseEther('0.0002'), parseEther('0.001')),
    other: await annex(other, pairs, 10n ** 18n, 10n ** 18n, 10n ** 17n),
  }

  const pair = await pairOf(coin)
  const onPair = (call: Omit<Parameters<typeof encodeFunctionData<typeof PAIR>>[0], 'abi'>) =>
    send(someone, pair, encodeFunctionData({ abi: PAIR, ...call }))
  const give = (currency: Address, amount: bigint) => chain.mined(transfer(chain, { from: someone, currency, to: pair, amount }))
  await give(coin, 10n ** 18n)
  await give(weth, parseEther('0.01'))
  await onPair({ functionName: 'mint', args: [someone] })
  await give(pair, 10n ** 14n)
  await onPair({ functionName: 'burn', args: [someone] })
  await give(coin, 10n ** 15n)
  await onPair({ functionName: 'skim', args: [someone] })
  await give(coin, 10n ** 15n)
  await onPair({ functionName: 'sync' })
}

async function index(): Promise<void> {
  await database.clear()
  await (await openChainIndex(chain, database, null, launchpads())).indexRange(chain.deployment.startBlock)
  const byName = new Map(createAdapters({ weth: chain.deployment.weth, launchpads: launchpads() }).map(one => [one.launchpad, one]))
  queries = createReads({
    db: database.kysely,
    chainId: 31337,
    weth: chain.deployment.weth,
    claimCall: ({ launchpad, ...target }) => byName.get(launchpad)?.claimCall(target) ?? null,
  })
}

const tokenOf = async (token: Address): Promise<Token> => (await queries.token({ address: token })) ?? expect.unreachable()
const tradesOf = async (token: Address) =>
  (await queries.trades({ address: token, limit: 500, order: 'asc' }))?.data ?? expect.unreachable()
const read = <T>(address: Address, functionName: string, args: readonly unknown[] = []) =>
  chain.client.readContract({ address, abi: READS, functionName, args }) as Promise<T>

/** What a transaction changed in its sender's ETH, without the gas. */
async function paid({ from, blockNumber, gasUsed, effectiveGasPrice }: TransactionReceipt): Promise<bigint> {
  const [before, after] = await Promise.all(
    [blockNumber - 1n, blockNumber].map(number => chain.client.getBalance({ address: from, blockNumber: number })),
  )
  return (before ?? 0n) - (after ?? 0n) - gasUsed * effectiveGasPrice
}

const receiptOf = (hash: Hex) => chain.client.getTransactionReceipt({ hash })

/** Every balance that a transfer ever told of, and the supply. */
async function expectBalances(token: Address, unsaid: readonly Address[] = []): Promise<void> {
  const { rows } = await sql<{ holder: Address; balance: string }>`
    select holder, balance from balance where token = ${Buffer.from(token.slice(2), 'hex')}`.execute(database.kysely)
  expect(rows.length).toBeGreaterThan(2)
  for (const { holder, balance } of rows) {
    const address = holder
    if (!unsaid.includes(address)) expect([address, BigInt(balance)]).toEqual([address, await read<bigint>(token, 'balanceOf', [address])])
  }
}

beforeAll(async () => {
  chain = await startTestChain()
  const { weth } = chain.deployment
  pairs = await deployUniswapV2(chain)
  bazaar = await deployContract(chain, MAPPED_CONTRACTS.get('Bazaar'), [weth, pairs])
  maker = await deployContract(chain, MAPPED_CONTRACTS.get('FolkMaker'), [weth, pairs])

  // Tokens of both orders beside WETH.
  coins = [await open('Café ☕', 0n, parseEther('0.0102'))]
  for (let count = 0; new Set(coins.map(coin => coin < weth)).size < 2 && count < 12; count++) coins.push(await open('Other', 0n))
  expect(new Set(coins.map(coin => coin < weth)).size).toBe(2)
  coins = [coins[0] ?? expect.unreachable(), coins.at(-1) ?? expect.unreachable()]
  taxed = await open('Taxed', 3n)
  for (const coin of [...coins, taxed]) {
    await onBazaar(3, { functionName: 'buy', args: [coin] }, parseEther('0.204'))
    await onBazaar(3, { functionName: 'sell', args: [coin, 10n ** 18n] })
    await onCoin(3, coin, { functionName: 'transfer', args: [DEAD, 10n ** 17n] })
  }
  await onBazaar(1, { functionName: 'collect', args: [1_000n] })
  rebased = await open('Rebased', 0n)
  await onBazaar(3, { functionName: 'buy', args: [rebased] }, parseEther('0.1'))
  await onCoin(3, rebased, { functionName: 'rebase', args: [account(3), 5n] })

  const made = await send(
    account(2),
    maker,
    encodeFunctionData({ abi: BAZAAR_ABI, functionName: 'make', args: ['Folk', stringToHex('FLK')] }),
  )
  folk = toAddress(`0x${(made.logs.at(-1)?.topics[1] ?? '').slice(26)}`)
  await onFolk(3, { functionName: 'buy', args: [5_000_000_000n] }, parseEther('1'))
  await onFolk(3, { functionName: 'sell', args: [1_000_000_000n] })
})
afterAll(() => chain?.stop())

describe('on curves of other shapes', () => {
  beforeAll(index)

  it('a trade has what its maker really paid or received, whether amounts hold the fees or not', async () => {
    for (const token of [...coins, folk]) {
      const trades = (await tradesOf(token)).slice(-2)
      expect(trades.map(({ side, phase, maker: who }) => [side, phase, who])).toEqual([
        ['buy', 'curve', account(3)],
        ['sell', 'curve', account(3)],
      ])
      for (const { side, amountWeth, txHash } of trades) {
        const wei = await paid(await receiptOf(txHash))
        expect(parseEther(amountWeth ?? '')).toBe(side === 'buy' ? wei : -wei)
      }
    }
  })

  it('the first buy inside the launch counts, before the event that announces the token', async () => {
    const [first] = coins
    const [trade] = await tradesOf(first ?? expect.unreachable())
    expect(trade).toMatchObject({ side: 'buy', maker: account(1), amountWeth: '0.0102', feeWeth: '0.0002' })
  })

  it('names come from words, tuples, strings and bytes', async () => {
    expect(await tokenOf(coins[0] ?? expect.unreachable())).toMatchObject({
      name: 'Café ☕',
      symbol: 'TICK',
      decimals: 18,
      creator: account(1),
    })
    expect(await tokenOf(folk)).toMatchObject({ name: 'Folk', symbol: 'FLK', decimals: 6, creator: account(2), launchpad: 'folk' })
  })

  it("one contract for all tokens is each one's curve under a key of its own", async () => {
    for (const coin of coins) {
      const { pool, market } = await tokenOf(coin)
      expect(pool).toMatchObject({ type: 'curve', address: coin, feeBps: null })
      // Two thousand wei buy a million units.
      expect(market.priceWeth).toBe('0.002')
      const holders = (await queries.holders({ address: coin, limit: 10, excludeType: [] }))?.data ?? []
      expect(holders[0]).toMatchObject({ address: bazaar, type: 'curve' })
      expect(holders.find(({ address }) => address === DEAD)).toMatchObject({ type: 'burn', balance: (10n ** 17n).toString() })
    }
  })

  it('what a mapping leaves out is null', async () => {
    const coin = await tokenOf(coins[0] ?? expect.unreachable())
    expect(coin.pool).toMatchObject({ reserveToken: null, reserveQuote: null })
    expect(coin.graduation).toMatchObject({ status: 'bonding', raisedWeth: null, percent: null, targetWeth: '1' })
    expect(coin.market.liquidityWeth).toBeNull()
    expect(coin.metadataUri).toBeNull()
    const token = await tokenOf(folk)
    expect(token.fees).toEqual({ creatorFeeBps: null, accruedWeth: null, claimedWeth: null, claimableWeth: null })
    expect(token.graduation).toMatchObject({ status: 'bonding', targetWeth: null, raisedWeth: null })
  })

  it('a token that is its own curve has the price and supply of its contract, of six decimals', async () => {
    const { market, pool, totalSupply } = await tokenOf(folk)
    expect(market.priceWeth).toBe(formatUnits(await read<bigint>(folk, 'spot'), 18))
    expect(pool).toMatchObject({ address: folk, type: 'curve', feeBps: 200 })
    expect(BigInt(totalSupply)).toBe(await read<bigint>(folk, 'totalSupply'))
    const holders = (await queries.holders({ address: folk, limit: 10, excludeType: [] }))?.data ?? []
    expect(holders).toMatchObject([{ address: account(3), balance: (await read<bigint>(folk, 'balanceOf', [account(3)])).toString() }])
  })

  it('balances and supply follow the transfers, taxed ones too', async () => {
    for (const coin of [...coins, taxed]) {
      await expectBalances(coin)
      expect(BigInt((await tokenOf(coin)).totalSupply)).toBe(await read<bigint>(coin, 'totalSupply'))
    }
  })

  it('a balance that changes without an event is not known of', async () => {
    const holders = (await queries.holders({ address: rebased, limit: 10, excludeType: [] }))?.data ?? []
    const told = BigInt(holders.find(({ address }) => address === account(3))?.balance ?? '')
    expect(await read<bigint>(rebased, 'balanceOf', [account(3)])).toBe(told + 5n)
    expect(await read<bigint>(rebased, 'totalSupply')).toBe(BigInt((await tokenOf(rebased)).totalSupply) + 5n)
  })

  it('an escrow for all tokens holds what the contract owes, and its claim is the mapped call', async () => {
    const owed = await read<bigint>(bazaar, 'owed', [account(1)])
    const claimable = (await queries.claimable({ address: taxed, creator: account(1) }))?.claimable
    const data = encodeFunctionData({ abi: BAZAAR_ABI, functionName: 'collect', args: [owed] })
    expect(claimable).toMatchObject([
      { scope: 'creator', symbol: 'ETH', amount: owed.toString(), claimed: '1000', claim: { to: bazaar, data } },
    ])
    const sums = await Promise.all([...coins, taxed, rebased].map(async coin => parseEther((await tokenOf(coin)).fees.accruedWeth ?? '')))
    expect(sums.reduce((sum, one) => sum + one, 0n)).toBe(owed + 1_000n)
    expect((await tokenOf(taxed)).fees).toMatchObject({ claimedWeth: null, claimableWeth: null })
  })
})

describe('after graduation into a Uniswap v2 pair', () => {
  beforeAll(async () => {
    for (const coin of [...coins, taxed]) {
      const receipt = await onBazaar(4, { functionName: 'finish', args: [coin, parseEther('0.1')] }, parseEther('2'))
      if (coin === coins[0]) graduating = receipt
      await onBazaar(5, { functionName: 'swapIn', args: [coin, account(6)] }, parseEther('0.25'))
      await onBazaar(6, { functionName: 'swapOut', args: [coin, 10n ** 13n] })
    }
    grownBlock = Number((await onCoin(0, folk, { functionName: 'grow' })).blockNumber)
    await hurry()
    await crowd(coins[1] ?? expect.unreachable(), coins[0] ?? expect.unreachable())
    await index()
  })

  it('the pair in either token order has the reserves and the price of the contract', async () => {
    for (const token of [...coins, taxed, folk]) {
      const { pool, graduation, market, decimals } = await tokenOf(token)
      const pair =
        token === folk ? await read<Address>(folk, 'pair') : (await read<readonly [Address, bigint, Address]>(bazaar, 'stalls', [token]))[2]
      const [reserve0, reserve1] = await read<readonly [bigint, bigint, number]>(pair, 'getReserves')
      const [reserveToken, reserveQuote] = token < chain.deployment.weth ? [reserve0, reserve1] : [reserve1, reserve0]
      expect(pool).toMatchObject({
        address: toAddress(pair),
        type: 'uniswap-v2',
        feeBps: token === folk ? 25 : 30,
        quoteToken: chain.deployment.weth,
        reserveToken: reserveToken.toString(),
        reserveQuote: reserveQuote.toString(),
        sqrtPriceX96: null,
      })
      const price = Number(formatUnits(reserveQuote, 18)) / Number(formatUnits(reserveToken, decimals))
      expect(Number(market.priceWeth) / price).toBeCloseTo(1, 12)
      expect(Number(market.liquidityWeth) / (2 * Number(formatUnits(reserveQuote, 18)))).toBeCloseTo(1, 12)
      expect(graduation).toMatchObject({ status: 'migrated', percent: 100, poolAddress: toAddress(pair) })
      await expectBalances(token, token === folk ? [folk] : [])
    }
  })

  it('liquidity that comes and goes, and what is given away, leave the reserves of the contract', async () => {
    // `crowd` minted, burned, skimmed and synced in the second coin's main pair, whose reserves the test before has compared.
    const balance = await read<bigint>(coins[1] ?? expect.unreachable(), 'balanceOf', [await pairOf(coins[1])])
    expect((await tokenOf(coins[1] ?? expect.unreachable())).pool?.reserveToken).toBe(balance.toString())
  })

  it('a token in several pools has the price of the main one, and the volume and trades of all that a route leads to WETH from', async () => {
    const token = coins[1] ?? expect.unreachable()
    const trades = await tradesOf(token)
    const [inWeth, inOther] = [annexes.weth, annexes.other].map(pool => trades.filter(trade => trade.pool === pool))
    expect(inWeth).toMatchObject([{ side: 'buy', maker: account(5), amountWeth: '0.001', phase: 'pool', feeWeth: '0.000003' }])
    const [other = expect.unreachable()] = inOther ?? []
    expect(other).toMatchObject({ side: 'buy', maker: account(5), phase: 'pool' })
    // The other coin's own market, which is the same as before in this block.
    const { market: quoteMarket, decimals } = await tokenOf(coins[0] ?? expect.unreachable())
    const inQuote = Number(formatUnits(BigInt(other.amountQuote ?? 0), decimals))
    expect(Number(other.amountWeth) / (inQuote * Number(quoteMarket.priceWeth))).toBeCloseTo(1, 9)
    const { market, pool } = await tokenOf(token)
    expect(market.tradeCount).toBe(trades.length)
    const volume = trades.reduce((sum, { amountWeth }) => sum + parseEther(amountWeth ?? '0'), 0n)
    expect(market.volumeWeth.h24).toBe(formatUnits(volume, 18))
    expect(pool?.address).toBe(await pairOf(token))
    // The other pairs were made at a hundredth of the price.
    const [reserve0, reserve1] = await read<readonly [bigint, bigint, number]>(await pairOf(token), 'getReserves')
    const price = token < chain.deployment.weth ? Number(reserve1) / Number(reserve0) : Number(reserve0) / Number(reserve1)
    expect(Number(market.priceWeth) / price).toBeCloseTo(1, 12)
    expect(Number(inWeth?.[0]?.priceWeth) / price).toBeLessThan(0.1)
    expect(Number(market.athPriceWeth)).toBeLessThan(price * 2)
  })

  it('a token that is launched, graduates and trades on in one block is what its contracts say', async () => {
    const trades = await tradesOf(hasty)
    expect(new Set(trades.map(({ blockNumber }) => blockNumber)).size).toBe(1)
    expect(trades.map(({ phase, side }) => `${phase} ${side}`)).toEqual([
      'curve buy',
      'curve buy',
      'curve sell',
      'pool buy',
      'curve buy',
      'pool buy',
      'pool sell',
    ])
    const { createdBlock, graduation, pool, asOfBlock } = await tokenOf(hasty)
    expect(graduation).toMatchObject({ status: 'migrated', poolAddress: await pairOf(hasty) })
    expect([createdBlock, asOfBlock]).toEqual([trades[0]?.blockNumber, trades[0]?.blockNumber])
    const [reserve0, reserve1] = await read<readonly [bigint, bigint, number]>(await pairOf(hasty), 'getReserves')
    expect([pool?.reserveToken, pool?.reserveQuote].map(String).sort()).toEqual([reserve0, reserve1].map(String).sort())
    await expectBalances(hasty)
  })

  it('the last buy on the curve, which its contract tells of after the move, comes before it', async () => {
    const [coin] = coins
    const inTransaction = (await tradesOf(coin ?? expect.unreachable())).filter(({ txHash }) => txHash === graduating.transactionHash)
    expect(inTransaction.map(({ phase, side, maker: who }) => [phase, side, who])).toEqual([
      ['pool', 'buy', account(4)],
      ['curve', 'buy', account(4)],
    ])
    const sum = inTransaction.reduce((total, { amountWeth }) => total + parseEther(amountWeth ?? ''), 0n)
    expect(sum).toBe(await paid(graduating))
    expect((await tokenOf(coin ?? expect.unreachable())).graduation.txHash).toBe(graduating.transactionHash)
  })

  it('trades of the pair have their makers, also of a token that takes a part of every transfer', async () => {
    for (const token of [...coins, taxed]) {
      const [, buy, sell] = (await tradesOf(token)).filter(({ phase }) => phase === 'pool')
      expect([buy?.side, buy?.maker, buy?.amountWeth]).toEqual(['buy', account(6), '0.25'])
      expect([sell?.side, sell?.maker]).toEqual(['sell', account(6)])
      expect(buy?.feeWeth).toBe('0.00075')
    }
    // The pair gets three percent less than was sent.
    const sell = (await tradesOf(taxed)).at(-1)
    expect(sell?.amountToken).toBe(((10n ** 13n * 97n) / 100n).toString())
  })

  it('block by block gives the same rows as all at once, also with restarts in between', async () => {
    const { startBlock } = chain.deployment
    await (await openChainIndex(chain, oneByOne, null, launchpads())).indexRange(startBlock, startBlock + 10)
    // Market-data sites are shown the height of the index, not the chain's.
    expect(await readFinality(oneByOne.kysely)).toMatchObject({ number: startBlock + 10 })
    const head = await chain.head()
    await (await openChainIndex(chain, oneByOne, null, launchpads())).indexRange(startBlock + 11, head - 9)
    await (await openChainIndex(chain, oneByOne, null, launchpads())).indexEach(head - 8)
    expect(await dumpTables(oneByOne.kysely)).toEqual(await dumpTables(database.kysely))
  })

  it('a backfill fetches the pools that tokens announce themselves, announced in the same range or in one that is not committed yet', async () => {
    const rpc = createRpc({ urls: [chain.anvil.url], chainId: 31337, logger: silentLogger })
    try {
      await rpc.connect()
      const source = createChainSource({ rpc })
      const directory = createDirectory(createAdapters({ weth: chain.deployment.weth, launchpads: launchpads() }))
      const to = await chain.head()
      const expected = createDirectory(createAdapters({ weth: chain.deployment.weth, launchpads: launchpads() }))
      const announced = new Set<Hex>()
      const logs: unknown[] = []
      for (let block = 0; block <= to; block++) logs.push(...batchOf([await source.blockWithLogs(block)], 'live', expected, announced).logs)
      const whole = await fetchRange(source, directory, { from: 0, to, announced: [], maxLogs: 1e9 })
      expect(whole.logs).toEqual(logs)
      expect(new Set(whole.announced)).toEqual(announced)
      const pair = toAddress(await read<Address>(folk, 'pair'))
      expect(announced).toContain(pair)

      const middle = grownBlock - 1
      const first = await fetchRange(source, directory, { from: 0, to: middle, announced: [], maxLogs: 1e9 })
      const second = await fetchRange(source, directory, { from: middle + 1, to, announced: first.announced, maxLogs: 1e9 })
      expect([...first.logs, ...second.logs]).toEqual(logs)
      expect(second.announced).toContain(pair)
    } finally {
      rpc.close()
    }
  })
})
