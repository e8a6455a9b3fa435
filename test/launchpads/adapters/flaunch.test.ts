import { type Hex, parseEventLogs } from 'viem'
import { describe, expect, it } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import { type Address, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import { formatUnits } from '#domain/decimal.ts'
import { startTestChain } from '#test/support/chain.ts'
import { chainReads, expectHolders } from '#test/support/chainReads.ts'
import { useDatabase } from '#test/support/database.ts'
import { countedChain, expectEarlyAsCounted } from '#test/support/earlyOnChain.ts'
import { FLAUNCH_ABI as ABI, openFlaunchMarket } from '#test/support/flaunchMarket.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { startSync } from '#test/support/startSync.ts'
import { shownV4Pool } from '#test/support/uniswapV4.ts'

// Memecoins of three versions of Flaunch's PositionManager, with and without a fair launch, on both sides of flETH.

const NAMES = ['oldest', 'sold out', 'burned', 'premined', 'plain']
const abs = (value: bigint) => (value < 0n ? -value : value)
const ACTIONS = 130
const REORG_DEPTH = 20
const BURN = toAddress('0x000000000000000000000000000000000000dEaD')

const followed = await useDatabase()
const backfilled = await useDatabase()
const synced = await useDatabase()
const launchpads = () => ([1, 2, 3] as const).map(market.entryOf)

const chain = await startTestChain()
const market = await openFlaunchMarket(chain, createRandom(45))
const live = await startSync(chain, followed, { urls: [chain.anvil.url], launchpads: launchpads(), maxReorgDepth: 128 })
const tokens = (millions: number) => BigInt(millions) * 10n ** 24n
await market.launch('oldest', 1, { first: true, fairSupply: tokens(3_000), duration: 40n })
await market.launch('sold out', 2, { first: false, fairSupply: tokens(1_500), duration: 100_000n, allocation: 10_000 })
await market.launch('burned', 2, { first: true, fairSupply: tokens(30_000), duration: 30n })
await market.launch('premined', 3, { first: false, premine: tokens(500), allocation: 2_000, zapped: true })
await market.launch('plain', 3, { first: true })
for (let count = 0; count < ACTIONS; count++) {
  if (count === 50) await chain.reorg(REORG_DEPTH)
  if (count === 100) {
    // Its creator earned something before. What the market does depends on the time, and so on the machine.
    await market.trade('plain')
    await market.handOver('plain', ZERO_ADDRESS)
  }
  await market.act()
}
for (const name of market.memes.keys()) await market.trade(name)
await market.rush('rushed')
const { hash } = await chain.client.getBlock()
await live.reached(hash)
await live.stop()
const reads = chainReads(chain, followed, launchpads())

describe('flaunch', () => {
  it('gives the same tables when a service fetches the whole chain in ranges as live through a reorg', async () => {
    const sync = await startSync(chain, synced, { urls: [chain.anvil.url], launchpads: launchpads(), maxReorgDepth: 0 })
    const { hash } = await chain.client.getBlock()
    await sync.reached(hash)
    await sync.stop()
    expect(await dumpTables(synced.kysely)).toEqual(await dumpTables(followed.kysely))
  })

  it('gives the same tables for ranges, with a restart between, as live through a reorg', async () => {
    await (await openChainIndex(chain, backfilled, null, launchpads())).indexRange(1, 60)
    await (await openChainIndex(chain, backfilled, null, launchpads())).indexRange(61)
    const tables = await dumpTables(followed.kysely)
    expect(await dumpTables(backfilled.kysely)).toEqual(tables)
    expect(tables['trade']?.length).toBeGreaterThan(70)
  })

  it.each(NAMES)('agrees with the chain on price, pool, supply and holders (%s)', async name => {
    const { token, id, version, factory, treasury } = market.meme(name)
    const { price, pool } = await shownV4Pool(chain, market.poolManager, id, { token, quote: market.native })
    const contract = market.at(token)
    expect(await reads.tokenOf(token)).toMatchObject({
      launchpad: `v${version}`,
      name: await contract.read('name'),
      symbol: await contract.read('symbol'),
      creator: market.creator,
      totalSupply: String(await contract.read('totalSupply')),
      metadataUri: 'ipfs://meme',
      market: { priceWeth: price ?? expect.unreachable() },
      pool: { ...pool, feeBps: null },
      graduation: { status: 'none' },
    })
    const types = await expectHolders(chain, reads, token)
    expect(types.get(market.poolManager)).toBe('pool')
    expect(types.get(factory)).toBe('locker')
    expect(types.get(BURN)).toBe(name === 'burned' || name === 'oldest' ? 'burn' : undefined)
    expect(types.get(treasury) ?? 'locker').toBe('locker')
  })

  it.each(NAMES)('has every swap as one trade of what its sender paid and received (%s)', async name => {
    const { token, id, key } = market.meme(name)
    const logs = await chain.client.getLogs({ fromBlock: 1n })
    const events = parseEventLogs({ abi: ABI, eventName: ['Swap', 'PoolSwap', 'Transfer'], logs })
    const isFirst = token === key.currency0
    const expected = []
    for (const [txHash, ofTransaction] of Map.groupBy(events, ({ transactionHash }) => transactionHash)) {
      const swap = ofTransaction.find(event => event.eventName === 'Swap' && event.args.id === id)
      if (swap === undefined) continue
      const report = ofTransaction.find(event => event.eventName === 'PoolSwap')
      const { from } = await chain.client.getTransaction({ hash: txHash })
      // Its premine is paid for by the hook.
      const [maker, payer] = report === undefined ? [market.creator, market.meme(name).factory] : [toAddress(from), toAddress(from)]
      const received = (currency: Address, holder: Address) =>
        ofTransaction.reduce((sum, event) => {
          if (event.eventName !== 'Transfer' || toAddress(event.address) !== currency) return sum
          const [out, into] = [toAddress(event.args.from), toAddress(event.args.to)]
          return sum + (into === holder ? event.args.value : 0n) - (out === holder ? event.args.value : 0n)
        }, 0n)
      const [ofToken, ofQuote] = [received(token, maker), received(market.native, payer)]
      expected.push({
        txHash,
        logIndex: (report ?? swap).logIndex,
        pool: id,
        phase: 'pool',
        side: ofToken > 0n ? 'buy' : 'sell',
        maker,
        amountToken: String(abs(ofToken)),
        amountQuote: String(abs(ofQuote)),
        amountWeth: formatUnits(abs(ofQuote), 18),
        feeWeth: report?.eventName === 'PoolSwap' ? formatUnits(feeOf(report.args, isFirst), 18) : '0',
      })
    }
    const trades = await reads.tradesOf(token)
    expect(trades).toMatchObject(expected)
    expect(trades.length).toBeGreaterThan(8)
    expect(trades.length).toBeLessThan(100)
  })

  it('has the early wallets that a count over the logs gives', async () => {
    const { v3 } = await expectEarlyAsCounted(followed.kysely, await countedChain(chain))
    expect(v3?.bundler).toBe(4)
    expect(v3?.insider).toBeGreaterThan(1)
  })

  it('fills swaps in the fair launch and out of the stock of fees', async () => {
    const logs = parseEventLogs({ abi: ABI, eventName: 'PoolSwap', logs: await chain.client.getLogs({ fromBlock: 1n }) })
    const parts = logs.map(({ args }) => [args.flAmount0, args.ispAmount0, args.uniAmount0].map(amount => amount !== 0n).join(' '))
    // Whether it filled a part in the fair launch, of the hook's stock, and in the pool.
    expect([...new Set(parts)].toSorted()).toEqual([
      'false false true',
      'false true false',
      'false true true',
      'true false false',
      'true true true',
    ])
  })

  it.each(NAMES)('has the creators’ share, and what each of them can claim (%s)', async name => {
    const { token, id, accounts } = market.meme(name)
    const logs = parseEventLogs({
      abi: ABI,
      eventName: ['Deposit', 'Withdrawal'],
      logs: await chain.client.getLogs({ address: accounts, fromBlock: 1n }),
    })
    let share = 0n
    for (const log of logs) {
      if (log.eventName !== 'Deposit' || log.args.poolId !== id || !market.owners().includes(toAddress(log.args.payee))) continue
      share += log.args.amount
    }
    expect(share).toBeGreaterThan(0n)
    expect((await reads.tokenOf(token)).fees).toMatchObject({
      accruedWeth: formatUnits(share, 18),
      claimedWeth: null,
      claimableWeth: null,
    })
    for (const owner of market.owners()) {
      const amount = await market.read(accounts, 'balances', owner)
      const claimed = logs.reduce(
        (sum, log) => (log.eventName === 'Withdrawal' && toAddress(log.args.sender) === owner ? sum + log.args.amount : sum),
        0n,
      )
      const data = market.at(accounts).data('withdrawFees', [owner, false])
      const claimable = await reads.claimableOf(token, owner)
      const known = claimable.length > 0 || amount + claimed > 0n || owner === market.creator
      expect(claimable).toMatchObject(
        known
          ? [
              {
                currency: market.native,
                accrued: String(amount + claimed),
                claimed: String(claimed),
                amount: String(amount),
                scope: 'creator',
                claim: amount === 0n ? null : { to: accounts, data },
              },
            ]
          : [],
      )
    }
  })

  it('pays out what it shows with the call that it gives', async () => {
    let paid = 0
    for (const name of ['oldest', 'plain']) {
      for (const owner of market.owners()) {
        for (const { amount, claim } of await reads.claimableOf(market.meme(name).token, owner)) {
          if (claim === null) continue
          const before = await market.read(market.native, 'balanceOf', owner)
          await chain.mined(chain.client.sendTransaction({ account: owner, chain: null, to: claim.to, data: claim.data }))
          expect((await market.read(market.native, 'balanceOf', owner)) - before).toBe(BigInt(amount ?? 0))
          paid += 1
        }
      }
    }
    expect(paid).toBeGreaterThan(1)
  })
})

/** In flETH, of the hook's own figures: fees in tokens at what the tokens were filled for. */
function feeOf(args: Readonly<Record<string, bigint | Hex>>, isFirst: boolean): bigint {
  const sum = (kind: string, side: number) =>
    ['fl', 'isp', 'uni'].reduce((total, part) => total + BigInt(args[`${part}${kind}${side}`] ?? 0), 0n)
  const [ofToken, ofQuote] = isFirst ? [0, 1] : [1, 0]
  const [feeToken, feeQuote] = [-sum('Fee', ofToken), -sum('Fee', ofQuote)]
  return feeQuote + (feeToken === 0n ? 0n : abs((feeToken * sum('Amount', ofQuote)) / sum('Amount', ofToken)))
}
