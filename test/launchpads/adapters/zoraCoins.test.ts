import { parseEther, parseEventLogs } from 'viem'
import { describe, expect, it } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import { poolIdOf } from '#devchain/v4Actions.ts'
import { type Address, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import { formatUnits } from '#domain/decimal.ts'
import { readSnapshots } from '#store/reads/snapshots.ts'
import { startTestChain } from '#test/support/chain.ts'
import { balanceOf, chainReads, expectHolders } from '#test/support/chainReads.ts'
import { useDatabase } from '#test/support/database.ts'
import { countedChain, expectEarlyAsCounted } from '#test/support/earlyOnChain.ts'
import { foundBySurface } from '#test/support/foundBySurface.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { startSync } from '#test/support/startSync.ts'
import { createTokenWatcher, withoutReorgs } from '#test/support/tokenWatcher.ts'
import { shownV4Pool } from '#test/support/uniswapV4.ts'
import { CONTENT, CREATOR, openZoraMarket, TREND, ZORA_ABI, type ZoraMarket } from '#test/support/zoraMarket.ts'

const NAMES = ['creator', 'legacy', 'content', 'second', 'trend', 'ether', 'wrapped']
const ACTIONS = 120
const REORG_DEPTH = 20

const followed = await useDatabase()
const backfilled = await useDatabase()
const synced = await useDatabase()
const watcher = createTokenWatcher()
/** The symbol of the creator coin as a watcher of a coin that is quoted in it knows it: before it is renamed, then, and after a reorg. */
const quoteSymbols: unknown[] = []

const sync = (database: typeof followed, maxReorgDepth: number, { launchpads }: Pick<ZoraMarket, 'launchpads'> = market) =>
  startSync(chain, database, { urls: [chain.anvil.url], launchpads, maxReorgDepth })
const isEther = (currency: Address) => currency === ZERO_ADDRESS || currency === chain.deployment.weth
const abs = (value: bigint) => (value < 0n ? -value : value)

const chain = await startTestChain()
let live: Awaited<ReturnType<typeof sync>> | undefined
const market = await openZoraMarket(chain, createRandom(15), async opened => {
  live = await sync(followed, 128, opened)
  live.sync.blocks.subscribe(watcher.take)
})
for (let count = 0; count < ACTIONS; count++) {
  if (count === 60) await chain.reorg(REORG_DEPTH)
  if (count === 80) for (const name of ['ether', 'creator']) await market.migrate(name)
  await market.act()
}
for (const change of [async () => {}, () => market.rename('creator', 'Renamed', 'RENAMED'), () => chain.reorg(1)]) {
  await change()
  await live?.reached((await chain.client.getBlock()).hash)
  quoteSymbols.push(watcher.held.get(market.coin('content').token)?.token.pool?.quoteSymbol)
}
await live?.stop()
const reads = chainReads(chain, followed, market.launchpads)

describe('zora-coins in Uniswap v4', () => {
  it('gives the same tables when a service fetches the whole chain in ranges as live through a reorg', async () => {
    const ranges = await sync(synced, 0)
    await ranges.reached((await chain.client.getBlock()).hash)
    await ranges.stop()
    expect(await dumpTables(synced.kysely)).toEqual(await dumpTables(followed.kysely))
  })

  it('finds the coins of the front end that is their platform referrer', async () => {
    const referred = NAMES.filter(name => name !== 'trend').map(name => market.coin(name).token)
    expect(await foundBySurface(reads, `0x${'0'.repeat(39)}1`)).toEqual(referred.toSorted())
  })

  it('has the early wallets that a count over the logs gives', async () => {
    await expectEarlyAsCounted(followed.kysely, await countedChain(chain))
  })

  it('gives the same tables for ranges, with a restart between, as live through a reorg', async () => {
    await (await openChainIndex(chain, backfilled, null, market.launchpads)).indexRange(1, 60)
    await (await openChainIndex(chain, backfilled, null, market.launchpads)).indexRange(61)
    const tables = await dumpTables(followed.kysely)
    expect(await dumpTables(backfilled.kysely)).toEqual(tables)
    expect(tables['trade']?.length).toBeGreaterThan(150)
  })

  // A coin's new symbol never reached the coins that are paired with it, in a running index.
  it('tells watchers all that is shown, also when the coin is renamed in which another one is quoted', async () => {
    const states = await readSnapshots(followed.kysely, { chainId: chain.deployment.chainId, addresses: [...watcher.held.keys()] })
    expect(states.length).toBe(NAMES.length)
    expect(states.map(({ token }) => withoutReorgs(watcher.held.get(token.address)))).toEqual(states.map(withoutReorgs))
    const symbol = await market.at(market.coin('creator').token).read('symbol')
    expect(quoteSymbols).toEqual([symbol, 'RENAMED', symbol])
  })

  it.each(NAMES)('agrees with the chain on price, pool, supply and holders (%s)', async name => {
    const { token, kind, currency, recipients } = market.coin(name)
    const contract = market.at(token)
    const { price, pool } = await shownV4Pool(chain, market.poolManager, poolIdOf(await market.keyOf(token)), { token, quote: currency })
    const supply = await contract.read('totalSupply')
    expect(await reads.tokenOf(token)).toMatchObject({
      launchpad: 'zora',
      name: await contract.read('name'),
      symbol: await contract.read('symbol'),
      creator: kind === TREND ? chain.account(1) : recipients[0],
      totalSupply: String(supply),
      metadataUri: await contract.read('tokenURI'),
      market: { priceWeth: isEther(currency) ? price : null },
      pool: { ...pool, feeBps: 100 },
      graduation: { status: 'none' },
    })
    const types = await expectHolders(chain, reads, token)
    expect(types.get(market.poolManager)).toBe('pool')
    expect(types.get(market.hook) ?? 'contract').toBe('contract')
    // A creator coin keeps what has not vested, which does not circulate.
    expect(types.get(token)).toBe(kind === CREATOR ? 'locker' : undefined)
    const unvested = kind === CREATOR ? await balanceOf(chain, token, token) : 0n
    expect(await reads.supply(token)).toMatchObject({ total: supply, locked: unvested })
  })

  it('agrees with the PoolManager on what the pools of a currency hold together', async () => {
    const inZora = [...market.coins.values()].filter(({ currency }) => currency === market.zora)
    const pools = await Promise.all(inZora.map(async ({ token }) => (await reads.tokenOf(token)).pool))
    const held = pools.reduce((sum, pool) => sum + Number(pool?.reserveQuote ?? Number.NaN), 0)
    // Fees are collected at every swap, but for those of the hooks' own swaps.
    expect(Number(await balanceOf(chain, market.zora, market.poolManager)) / held).toBeCloseTo(1, 2)
  })

  it.each(NAMES)('has every swap as a trade of the account that sent it (%s)', async name => {
    const { token, currency } = market.coin(name)
    const key = await market.keyOf(token)
    const ids = [poolIdOf(key), ...(['creator', 'ether'].includes(name) ? [poolIdOf({ ...key, hooks: market.hook })] : [])]
    const all = await chain.client.getLogs({ address: market.poolManager, fromBlock: 1n })
    const logs = parseEventLogs({ abi: ZORA_ABI, eventName: 'Swap', logs: all })
    const expected = []
    for (const { args, transactionHash, logIndex } of logs) {
      if (!ids.includes(args.id)) continue
      const { from } = await chain.client.getTransaction({ hash: transactionHash })
      const [ofToken, ofQuote] = token < currency ? [args.amount0, args.amount1] : [args.amount1, args.amount0]
      expected.push({
        txHash: transactionHash,
        logIndex,
        pool: args.id,
        side: ofToken > 0n ? 'buy' : 'sell',
        maker: toAddress(from),
        amountToken: String(abs(ofToken)),
        amountWeth: isEther(currency) ? formatUnits(abs(ofQuote), 18) : null,
      })
    }
    expect(expected.length).toBeGreaterThan(3)
    expect(await reads.tradesOf(token)).toMatchObject(expected)
  })

  it.each(NAMES)('has what payout recipients were paid, and what vests to them (%s)', async name => {
    const { token, kind, paidIn, recipients } = market.coin(name)
    const contract = market.at(token)
    let total = 0n
    let inCoin = 0n
    const head = await chain.client.getBlockNumber()
    const current = toAddress(await contract.read('payoutRecipient'))
    for (const recipient of kind === TREND ? [] : recipients) {
      const paid = await balanceOf(chain, paidIn, recipient)
      total += paid
      const claimable = await reads.claimableOf(token, recipient)
      const rewards = claimable.filter(({ currency }) => currency === paidIn)
      expect(rewards).toMatchObject(
        paid === 0n ? [] : [{ accrued: String(paid), claimed: String(paid), amount: '0', scope: 'token', claim: null }],
      )
      const inCoins = claimable.find(({ currency }) => currency === token)
      // Rewards in the coin itself, and what was claimed of a creator coin. A content coin's creator gets some at the launch besides.
      const received =
        (await balanceOf(chain, token, recipient)) - (kind === CONTENT && recipient === recipients[0] ? parseEther('10000000') : 0n)
      expect(inCoins?.claimed ?? '0').toBe(String(received))
      inCoin += received
      if (kind === CREATOR && recipient === current) {
        const amount = await contract.read('getClaimableAmount', [], head)
        const data = contract.data('claimVesting', [])
        expect(inCoins).toMatchObject({ amount: String(amount), claim: amount === 0n ? null : { to: token, data } })
      } else if (inCoins !== undefined) expect(inCoins).toMatchObject({ accrued: String(received), amount: '0', claim: null })
    }
    if (name === 'creator') expect(inCoin).toBeGreaterThan(await contract.read('totalClaimed'))
    const weth = formatUnits(total, 18)
    expect((await reads.tokenOf(token)).fees).toMatchObject(
      isEther(paidIn) ? { accruedWeth: weth, claimedWeth: weth } : { accruedWeth: null, claimedWeth: null },
    )
    expect(total > 0n || kind === TREND).toBe(true)
  })
})
