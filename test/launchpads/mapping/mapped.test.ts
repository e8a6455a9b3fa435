import { formatUnits, getContractAddress, type Hex, pad, parseEther, stringToHex, type TransactionReceipt } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import type { LaunchpadConfig } from '#config'
import { parseLaunchpads } from '#configuration/launchpads.ts'
import { type Address, toAddress } from '#domain/address.ts'
import { createDirectory } from '#launchpads/directory/directory.ts'
import { ADAPTER_KINDS, createAdapters } from '#launchpads/registry.ts'
import { createRpc } from '#rpc/rpc.ts'
import { readFinality } from '#store/reads/page.ts'
import { batchOf, fetchRange } from '#sync/prefetch.ts'
import { BAZAAR_ABI, type Bazaar, COIN_ABI, FOLK_EVENTS, MAPPED_CONTRACTS, openBazaar, PAIR_ABI } from '#test/support/bazaar.ts'
import { startTestChain } from '#test/support/chain.ts'
import { balanceOf, type ChainReads, chainReads, expectBalances } from '#test/support/chainReads.ts'
import { contractAt } from '#test/support/contractAt.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { deployContract, deployUniswapV2 } from '#test/support/deployContract.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'

const DEAD = toAddress('0x000000000000000000000000000000000000dEaD')

const database = await useDatabase()
const oneByOne = await useDatabase()
/** What the index has answered since it was last written. */
let reads: ChainReads
/** Of both orders beside WETH. */
let coins: readonly [Address, Address]
let taxed: Address
let rebased: Address
let folk: Address
let graduating: TransactionReceipt
let annexes: { readonly weth: Address; readonly other: Address }
/** Launched, traded, graduated and traded again in one block. */
let hasty: Address
let grownBlock: number

const chain = await startTestChain()
const bazaar = await openBazaar(chain)
const maker = await deployContract(chain, MAPPED_CONTRACTS.get('FolkMaker'), [chain.deployment.weth, bazaar.factory])
const launchpads = parsed([bazaar.entry, { ...bazaar.entry, name: 'folk', factory: maker, events: FOLK_EVENTS }])
await play(contractAt(chain, maker, BAZAAR_ABI))

describe('on curves of other shapes', () => {
  beforeAll(index)

  it('a trade has what its maker really paid or received, whether amounts hold the fees or not', async () => {
    for (const token of [...coins, folk]) {
      const trades = (await reads.tradesOf(token)).slice(-2)
      expect(trades.map(({ side, phase, maker: who }) => [side, phase, who])).toEqual([
        ['buy', 'curve', chain.account(3)],
        ['sell', 'curve', chain.account(3)],
      ])
      for (const { side, amountWeth, txHash } of trades) {
        const wei = await paid(await receiptOf(txHash))
        expect(parseEther(amountWeth ?? '')).toBe(side === 'buy' ? wei : -wei)
      }
    }
  })

  it('the first buy inside the launch counts, before the event that announces the token', async () => {
    const [first] = coins
    const [trade] = await reads.tradesOf(first)
    expect(trade).toMatchObject({ side: 'buy', maker: chain.account(1), amountWeth: '0.0102', feeWeth: '0.0002' })
  })

  it('names come from words, tuples, strings and bytes', async () => {
    expect(await reads.tokenOf(coins[0])).toMatchObject({
      name: 'Café ☕',
      symbol: 'TICK',
      decimals: 18,
      creator: chain.account(1),
    })
    expect(await reads.tokenOf(folk)).toMatchObject({
      name: 'Folk',
      symbol: 'FLK',
      decimals: 6,
      creator: chain.account(2),
      launchpad: 'folk',
    })
  })

  it("one contract for all tokens is each one's curve under a key of its own", async () => {
    for (const token of coins) {
      const { pool, market } = await reads.tokenOf(token)
      expect(pool).toMatchObject({ type: 'curve', address: token, feeBps: null })
      // Two thousand wei buy a million units.
      expect(market.priceWeth).toBe('0.002')
      const holders = await reads.holdersOf(token)
      expect(holders[0]).toMatchObject({ address: bazaar.contract.address, type: 'curve' })
      expect(holders.find(({ address }) => address === DEAD)).toMatchObject({ type: 'burn', balance: (10n ** 17n).toString() })
    }
  })

  it('what a mapping leaves out is null', async () => {
    const coin = await reads.tokenOf(coins[0])
    expect(coin.pool).toMatchObject({ reserveToken: null, reserveQuote: null })
    expect(coin.graduation).toMatchObject({ status: 'bonding', raisedWeth: null, percent: null, targetWeth: '1' })
    expect(coin.market.liquidityWeth).toBeNull()
    expect(coin.metadataUri).toBeNull()
    const token = await reads.tokenOf(folk)
    expect(token.fees).toEqual({ creatorFeeBps: null, accruedWeth: null, claimedWeth: null, claimableWeth: null })
    expect(token.graduation).toMatchObject({ status: 'bonding', targetWeth: null, raisedWeth: null })
  })

  it('a token that is its own curve has the price and supply of its contract, of six decimals', async () => {
    const { market, pool, totalSupply } = await reads.tokenOf(folk)
    expect(market.priceWeth).toBe(formatUnits(await contractOf(folk).read('spot'), 18))
    expect(pool).toMatchObject({ address: folk, type: 'curve', feeBps: 200 })
    expect(BigInt(totalSupply)).toBe(await contractOf(folk).read('totalSupply'))
    const holders = await reads.holdersOf(folk)
    expect(holders).toMatchObject([{ address: chain.account(3), balance: String(await balanceOf(chain, folk, chain.account(3))) }])
  })

  it('balances and supply follow the transfers, taxed ones too', async () => {
    for (const token of [...coins, taxed]) {
      await expectBalances(chain, database, token)
      expect(BigInt((await reads.tokenOf(token)).totalSupply)).toBe(await contractOf(token).read('totalSupply'))
    }
  })

  it('a balance that changes without an event is not known of', async () => {
    const holders = await reads.holdersOf(rebased)
    const told = BigInt(holders.find(({ address }) => address === chain.account(3))?.balance ?? '')
    expect(await balanceOf(chain, rebased, chain.account(3))).toBe(told + 5n)
    expect(await contractOf(rebased).read('totalSupply')).toBe(BigInt((await reads.tokenOf(rebased)).totalSupply) + 5n)
  })

  it('an escrow for all tokens holds what the contract owes, and its claim is the mapped call', async () => {
    const owed = await bazaar.contract.read('owed', [chain.account(1)])
    const claimable = await reads.claimableOf(taxed, chain.account(1))
    const data = bazaar.contract.data('collect', [owed])
    expect(claimable).toMatchObject([
      { scope: 'creator', symbol: 'ETH', amount: owed.toString(), claimed: '1000', claim: { to: bazaar.contract.address, data } },
    ])
    const sums = await Promise.all(
      [...coins, taxed, rebased].map(async token => parseEther((await reads.tokenOf(token)).fees.accruedWeth ?? '')),
    )
    expect(sums.reduce((sum, one) => sum + one, 0n)).toBe(owed + 1_000n)
    expect((await reads.tokenOf(taxed)).fees).toMatchObject({ claimedWeth: null, claimableWeth: null })
  })
})

describe('after graduation into a Uniswap v2 pair', () => {
  beforeAll(async () => {
    for (const token of [...coins, taxed]) {
      const receipt = await bazaar.graduate(token)
      if (token === coins[0]) graduating = receipt
    }
    grownBlock = Number((await contractOf(folk).send(chain.account(0), 'grow', [])).blockNumber)
    await hurry()
    await crowd()
    await index()
  })

  it('the pair in either token order has the reserves and the price of the contract', async () => {
    for (const token of [...coins, taxed, folk]) {
      const { pool, graduation, market, decimals } = await reads.tokenOf(token)
      const pair = token === folk ? toAddress(await contractOf(folk).read('pair')) : await bazaar.pairOf(token)
      const [reserve0, reserve1] = await contractAt(chain, pair, PAIR_ABI).read('getReserves')
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
      await expectBalances(chain, database, token, token === folk ? [folk] : [])
    }
  })

  it('liquidity that comes and goes, and what is given away, leave the reserves of the contract', async () => {
    // `crowd` minted, burned, skimmed and synced in the second coin's main pair, whose reserves the test before has compared.
    const balance = await balanceOf(chain, coins[1], await bazaar.pairOf(coins[1]))
    expect((await reads.tokenOf(coins[1])).pool?.reserveToken).toBe(balance.toString())
  })

  it('a token in several pools has the price of the main one, and the volume and trades of all that a route leads to WETH from', async () => {
    const [, token] = coins
    const trades = await reads.tradesOf(token)
    const [inWeth, inOther] = [annexes.weth, annexes.other].map(pool => trades.filter(trade => trade.pool === pool))
    expect(inWeth).toMatchObject([{ side: 'buy', maker: chain.account(5), amountWeth: '0.001', phase: 'pool', feeWeth: '0.000003' }])
    const [other = expect.unreachable()] = inOther ?? []
    expect(other).toMatchObject({ side: 'buy', maker: chain.account(5), phase: 'pool' })
    // The other coin's own market, which is the same as before in this block.
    const { market: quoteMarket, decimals } = await reads.tokenOf(coins[0])
    const inQuote = Number(formatUnits(BigInt(other.amountQuote ?? 0), decimals))
    expect(Number(other.amountWeth) / (inQuote * Number(quoteMarket.priceWeth))).toBeCloseTo(1, 9)
    const { market, pool } = await reads.tokenOf(token)
    expect(market.tradeCount).toBe(trades.length)
    const volume = trades.reduce((sum, { amountWeth }) => sum + parseEther(amountWeth ?? '0'), 0n)
    expect(market.volumeWeth.h24).toBe(formatUnits(volume, 18))
    expect(pool?.address).toBe(await bazaar.pairOf(token))
    // The other pairs were made at a hundredth of the price.
    const [reserve0, reserve1] = await contractAt(chain, await bazaar.pairOf(token), PAIR_ABI).read('getReserves')
    const price = token < chain.deployment.weth ? Number(reserve1) / Number(reserve0) : Number(reserve0) / Number(reserve1)
    expect(Number(market.priceWeth) / price).toBeCloseTo(1, 12)
    expect(Number(inWeth?.[0]?.priceWeth) / price).toBeLessThan(0.1)
    expect(Number(market.athPriceWeth)).toBeLessThan(price * 2)
  })

  it('a token that is launched, graduates and trades on in one block is what its contracts say', async () => {
    const trades = await reads.tradesOf(hasty)
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
    const { createdBlock, graduation, pool, asOfBlock } = await reads.tokenOf(hasty)
    expect(graduation).toMatchObject({ status: 'migrated', poolAddress: await bazaar.pairOf(hasty) })
    expect([createdBlock, asOfBlock]).toEqual([trades[0]?.blockNumber, trades[0]?.blockNumber])
    const [reserve0, reserve1] = await contractAt(chain, await bazaar.pairOf(hasty), PAIR_ABI).read('getReserves')
    expect([pool?.reserveToken, pool?.reserveQuote].map(String).sort()).toEqual([reserve0, reserve1].map(String).sort())
    await expectBalances(chain, database, hasty)
  })

  it('the last buy on the curve, which its contract tells of after the move, comes before it', async () => {
    const [coin] = coins
    const inTransaction = (await reads.tradesOf(coin)).filter(({ txHash }) => txHash === graduating.transactionHash)
    expect(inTransaction.map(({ phase, side, maker: who }) => [phase, side, who])).toEqual([
      ['pool', 'buy', chain.account(4)],
      ['curve', 'buy', chain.account(4)],
    ])
    const sum = inTransaction.reduce((total, { amountWeth }) => total + parseEther(amountWeth ?? ''), 0n)
    expect(sum).toBe(await paid(graduating))
    expect((await reads.tokenOf(coin)).graduation.txHash).toBe(graduating.transactionHash)
  })

  it('trades of the pair have their makers, also of a token that takes a part of every transfer', async () => {
    for (const token of [...coins, taxed]) {
      const [, buy, sell] = (await reads.tradesOf(token)).filter(({ phase }) => phase === 'pool')
      expect([buy?.side, buy?.maker, buy?.amountWeth]).toEqual(['buy', chain.account(6), '0.25'])
      expect([sell?.side, sell?.maker]).toEqual(['sell', chain.account(6)])
      expect(buy?.feeWeth).toBe('0.00075')
    }
    // The pair gets three percent less than was sent.
    const sell = (await reads.tradesOf(taxed)).at(-1)
    expect(sell?.amountToken).toBe(((10n ** 13n * 97n) / 100n).toString())
  })

  it('block by block gives the same rows as all at once, also with restarts in between', async () => {
    const { startBlock } = chain.deployment
    await (await openChainIndex(chain, oneByOne, null, launchpads)).indexRange(startBlock, startBlock + 10)
    // Market-data sites are shown the height of the index, not the chain's.
    expect(await readFinality(oneByOne.kysely)).toMatchObject({ number: startBlock + 10 })
    const head = await chain.head()
    await (await openChainIndex(chain, oneByOne, null, launchpads)).indexRange(startBlock + 11, head - 9)
    await (await openChainIndex(chain, oneByOne, null, launchpads)).indexEach(head - 8)
    expect(await dumpTables(oneByOne.kysely)).toEqual(await dumpTables(database.kysely))
  })

  it('a backfill fetches the pools that tokens announce themselves, announced in the same range or in one that is not committed yet', async () => {
    const rpc = createRpc({ urls: [chain.anvil.url], chainId: 31337, logger: silentLogger })
    try {
      await rpc.connect()
      const source = createChainSource({ rpc })
      const directory = createDirectory(createAdapters({ weth: chain.deployment.weth, launchpads: launchpads }))
      const to = await chain.head()
      const expected = createDirectory(createAdapters({ weth: chain.deployment.weth, launchpads: launchpads }))
      const announced = new Set<Hex>()
      const logs: unknown[] = []
      for (let block = 0; block <= to; block++) logs.push(...batchOf([await source.blockWithLogs(block)], 'live', expected, announced).logs)
      const whole = await fetchRange(source, directory, { from: 0, to, announced: [], maxLogs: 1e9 })
      expect(whole.logs).toEqual(logs)
      expect(new Set(whole.announced)).toEqual(announced)
      const pair = toAddress(await contractOf(folk).read('pair'))
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

function parsed(entries: readonly object[]): readonly LaunchpadConfig[] {
  const result = parseLaunchpads(JSON.stringify({ weth: chain.deployment.weth, launchpads: entries }), ADAPTER_KINDS)
  return result.kind === 'valid' ? result.value.launchpads : expect.unreachable(result.problems.join('\n'))
}

function contractOf(address: Address) {
  return contractAt(chain, address, COIN_ABI)
}

/** On the curves of every kind of coin. */
async function play(maker: Bazaar['contract']): Promise<void> {
  coins = await openBothWays()
  taxed = await bazaar.open('Taxed', { taxPercent: 3n })
  const trader = chain.account(3)
  for (const token of [...coins, taxed]) {
    await bazaar.contract.send(trader, 'buy', [token], parseEther('0.204'))
    await bazaar.contract.send(trader, 'sell', [token, 10n ** 18n])
    await contractOf(token).send(trader, 'transfer', [DEAD, 10n ** 17n])
  }
  await bazaar.contract.send(chain.account(1), 'collect', [1_000n])
  rebased = await bazaar.open('Rebased')
  await bazaar.contract.send(trader, 'buy', [rebased], parseEther('0.1'))
  await contractOf(rebased).send(trader, 'rebase', [trader, 5n])
  const made = await maker.send(chain.account(2), 'make', ['Folk', stringToHex('FLK')])
  folk = toAddress(`0x${(made.logs.at(-1)?.topics[1] ?? '').slice(26)}`)
  await contractOf(folk).send(trader, 'buy', [5_000_000_000n], parseEther('1'))
  await contractOf(folk).send(trader, 'sell', [1_000_000_000n])
}

async function openBothWays(): Promise<readonly [Address, Address]> {
  const isLow = (address: Address) => address < chain.deployment.weth
  const first = await bazaar.open('Café ☕', { firstBuy: parseEther('0.0102') })
  for (let count = 0; count < 12; count++) {
    const other = await bazaar.open('Other')
    if (isLow(other) !== isLow(first)) return [first, other]
  }
  return expect.unreachable('no coin of the other order')
}

async function index(): Promise<void> {
  await database.clear()
  await (await openChainIndex(chain, database, null, launchpads)).indexRange(chain.deployment.startBlock)
  reads = chainReads(chain, database, launchpads)
}

/** What a transaction changed in its sender's ETH, without the gas. */
async function paid({ from, blockNumber, gasUsed, effectiveGasPrice }: TransactionReceipt): Promise<bigint> {
  const [before = 0n, after = 0n] = await Promise.all(
    [blockNumber - 1n, blockNumber].map(number => chain.client.getBalance({ address: from, blockNumber: number })),
  )
  return before - after - gasUsed * effectiveGasPrice
}

function receiptOf(hash: Hex) {
  return chain.client.getTransactionReceipt({ hash })
}

async function hurry(): Promise<void> {
  const { contract } = bazaar
  const trader = chain.account(7)
  const nonce = await chain.client.getTransactionCount({ address: contract.address })
  hasty = toAddress(getContractAddress({ from: contract.address, nonce: BigInt(nonce) }))
  const hashes = [
    await contract.queue(trader, 'open', [pad('0x41', { dir: 'right', size: 32 }), '0x4100000000000000', 0n], parseEther('0.01')),
    await contract.queue(trader, 'buy', [hasty], parseEther('0.5')),
    await contract.queue(trader, 'sell', [hasty, 10n ** 12n]),
    await contract.queue(trader, 'finish', [hasty, parseEther('0.1')], parseEther('2')),
    await contract.queue(trader, 'swapIn', [hasty, chain.account(6)], parseEther('0.1')),
    await contract.queue(trader, 'swapOut', [hasty, 10n ** 12n]),
  ]
  await chain.mine()
  for (const hash of hashes) expect((await receiptOf(hash)).status).toBe('success')
}

/** The second coin gets two more pools, trades in them, and liquidity that comes to and goes from its main pair. */
async function crowd(): Promise<void> {
  const [other, token] = coins
  const from = chain.account(5)
  const { weth } = chain.deployment
  await bazaar.contract.send(from, 'swapIn', [other, from], parseEther('0.3'))
  await bazaar.churn(token)
  const [amount, buy] = [parseEther('0.0002'), parseEther('0.001')]
  const inWeth = { from, paired: weth, where: await deployUniswapV2(chain), coins: 10n ** 19n, amount, buys: [buy] }
  const inOther = { from, paired: other, where: bazaar.factory, coins: 10n ** 18n, amount: 10n ** 18n, buys: [10n ** 17n] }
  annexes = { weth: await bazaar.annex(token, inWeth), other: await bazaar.annex(token, inOther) }
}
