import { parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import { toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import { formatUnits } from '#domain/decimal.ts'
import { startTestChain } from '#test/support/chain.ts'
import { chainReads, expectHolders } from '#test/support/chainReads.ts'
import { describedClanker, updateClanker } from '#test/support/clankerUpdates.ts'
import { type Clanker, MEV_MODULE, openClankerV4Market, VAULT } from '#test/support/clankerV4Market.ts'
import { useDatabase } from '#test/support/database.ts'
import { countedChain, expectEarlyAsCounted } from '#test/support/earlyOnChain.ts'
import { foundBySurface } from '#test/support/foundBySurface.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { shownV4Pool } from '#test/support/uniswapV4.ts'

const HOSTILE = `\0\u202e${'y'.repeat(2_000)}`
const DEAD = toAddress(`0x${'0'.repeat(36)}dead`)

const followed = await useDatabase()
const backfilled = await useDatabase()
const madeAt = (index: number) => made[index] ?? expect.unreachable()

const chain = await startTestChain()
const market = await openClankerV4Market(chain)
/** In WETH on both sides of it, in ETH, and in the first one. */
const made = await play()
await (await openChainIndex(chain, followed, null, market.launchpads)).indexEach(1)
const reads = chainReads(chain, followed, market.launchpads)

describe('clanker-v4', () => {
  it('finds the tokens of the front end that their context names', async () => {
    expect(await foundBySurface(reads, 'Bankr')).toEqual(made.map(({ token }) => token).toSorted())
    expect(await foundBySurface(reads, 'X')).toEqual([])
  })

  it('has the early wallets that a count over the logs gives', async () => {
    await expectEarlyAsCounted(followed.kysely, await countedChain(chain))
  })

  it('gives the same tables for a range, or two with a restart between, as block by block', async () => {
    await (await openChainIndex(chain, backfilled, null, market.launchpads)).indexRange(1, 12)
    await (await openChainIndex(chain, backfilled, null, market.launchpads)).indexRange(13)
    expect(await dumpTables(backfilled.kysely)).toEqual(await dumpTables(followed.kysely))
  })

  it.each([0, 1, 2])('agrees with the chain on price, pool, supply and holders (token %i)', async index => {
    const { token, id, paired } = madeAt(index)
    expect(token < paired).toBe(index === 0)
    const indexed = await reads.tokenOf(token)
    const { price, pool } = await shownV4Pool(chain, market.poolManager.address, id, { token, quote: paired })
    const liquidityWeth = formatUnits(2n * BigInt(indexed.pool?.reserveQuote ?? 0), 18)
    expect(indexed).toMatchObject({
      launchpad: 'clanker4',
      creator: market.creator,
      totalSupply: String(
        await chain.client.readContract({ address: token, abi: chain.deployment.abis.token, functionName: 'totalSupply' }),
      ),
      ...(await describedClanker(chain, token)),
      market: { priceWeth: price, tradeCount: 6, liquidityWeth },
      pool: { ...pool, feeBps: null },
      graduation: { status: 'none' },
    })
    expect([...(await expectHolders(chain, reads, token))]).toEqual(
      expect.arrayContaining([
        [market.poolManager.address, 'pool'],
        [market.creator, 'creator'],
        [market.trader, 'wallet'],
        [VAULT, 'locker'],
        [MEV_MODULE, 'contract'],
        ...(index === 0 ? [[market.feeLocker.address, 'locker']] : []),
      ]),
    )
  })

  it.each([0, 1, 2])('tells sides, makers and fees of trades by the swapper’s amounts (token %i)', async index => {
    const { token, id, trades: expected } = madeAt(index)
    const trades = await reads.tradesOf(token)
    expect(trades.map(({ side, maker, amountToken, amountWeth, feeWeth }) => [side, maker, amountToken, amountWeth, feeWeth])).toEqual(
      expected.map(({ side, maker, tokens, wei, fee }) => [side, maker, String(tokens), formatUnits(wei, 18), formatUnits(fee, 18)]),
    )
    expect(new Set(trades.map(({ pool }) => pool))).toEqual(new Set([id]))
  })

  // The liquidity of a v4 pool was that of its price everywhere, which one narrow position raises at almost no cost.
  it('agrees with the PoolManager on what its pools hold, but for fees', async () => {
    const pools = await Promise.all(made.map(async ({ token }) => (await reads.tokenOf(token)).pool ?? expect.unreachable()))
    const currencies = new Set(made.flatMap(({ token, paired }) => [token, paired]))
    for (const currency of currencies) {
      const held = made.reduce((sum, { token, paired, trades }, index) => {
        const { reserveToken, reserveQuote } = pools[index] ?? expect.unreachable()
        const bought = trades.filter(({ side }) => side === 'buy').reduce((fees, { fee }) => fees + fee, 0n)
        const sold = trades.filter(({ side }) => side === 'sell').reduce((fees, { tokens }) => fees + (tokens * 3n) / 100n, 0n)
        return sum + (currency === token ? BigInt(reserveToken ?? 0) + sold : currency === paired ? BigInt(reserveQuote ?? 0) + bought : 0n)
      }, 0n)
      expect(held).toBeGreaterThan(10n ** 15n)
      // The pools of strangers and a gift hold a few thousand units. Swaps leave what their prices, in 2^-96, cannot express.
      const unexplained = (await market.held(currency, market.poolManager.address)) - held
      const isDust = unexplained > -100n && unexplained < 5_000n + held / 10n ** 20n
      expect({ currency, unexplained, isDust }).toMatchObject({ isDust: true })
    }
  })

  it('values a token that is paired with another token by that token’s market', async () => {
    const { token, paired } = made[3]
    const { market: shown, pool } = await reads.tokenOf(token)
    expect(pool?.quoteToken).toBe(paired)
    expect(shown.tradeCount).toBe(1)
    const [trade = expect.unreachable()] = await reads.tradesOf(token)
    const pairedTrades = await reads.tradesOf(paired)
    const isBefore = (one: typeof trade) =>
      Number(one.blockNumber) < Number(trade.blockNumber) || (one.blockNumber === trade.blockNumber && one.logIndex < trade.logIndex)
    const rate = Number(pairedTrades.findLast(isBefore)?.priceAfterWeth)
    expect(trade.maker).toBe(market.creator)
    // In WETH to the wei.
    expect(Number(trade.amountWeth)).toBeCloseTo(Number(formatUnits(BigInt(trade.amountQuote ?? 0), 18)) * rate, 17)
    expect(Number(trade.amountWeth)).toBeGreaterThan(0)
    expect(Number(shown.priceWeth) / Number(trade.priceAfterWeth)).toBeCloseTo(1, 12)
  })

  it('keeps hostile text within bounds', async () => {
    expect((await reads.tokenOf(made[1].token)).name).toBe(`\u202e${'y'.repeat(511)}`)
  })

  it('agrees with the escrow on what creators can claim in the currencies of the token that is asked for', async () => {
    const { weth } = chain.deployment
    const first = made[0].token
    const paid = new Map([
      [weth, ['1800', '1500']],
      [first, ['77', '77']],
    ])
    for (const { token, paired } of made) {
      const claimable = await reads.claimableOf(token, market.creator)
      const rows = claimable.map(({ currency, accrued, claimed, scope }) => [currency, [accrued, claimed], scope])
      const currencies = new Set([ZERO_ADDRESS, weth, paired, token])
      expect(new Set(rows)).toEqual(new Set([...currencies].map(currency => [currency, paid.get(currency) ?? ['0', '0'], 'creator'])))
      for (const { currency, amount, claim } of claimable) {
        const available = await market.feeLocker.read('availableFees', [market.creator, currency])
        expect(amount).toBe(String(available))
        const data = market.feeLocker.data('claim', [market.creator, currency])
        expect(claim).toEqual(available === 0n ? null : { to: market.feeLocker.address, data })
      }
    }
  })

  it('stores nothing of owners whom no indexed token pays', async () => {
    const { token } = made[0]
    expect(await reads.claimableOf(token, market.stranger)).toEqual([])
    expect(await reads.claimableOf(token, market.trader)).toMatchObject([{ currency: token, amount: '5' }])
  })
})

/** Launches, trades, liquidity of all kinds, fees that are stored and claimed, and tokens that their admins change. */
async function play(): Promise<readonly [Clanker, Clanker, Clanker, Clanker]> {
  const { creator, stranger, feeLocker } = market
  const { weth } = chain.deployment
  const first = await market.launch('First', weth, true)
  const second = await market.launch(HOSTILE, weth, false)
  const ether = await market.launch('Ether', ZERO_ADDRESS, false)
  const paired = await market.launch('Paired', first.token, true)
  for (const one of [first, second, ether]) {
    // The second crosses from one position into the next.
    await market.buy(one, parseEther('0.005'))
    await market.buy(one, parseEther('0.03'))
    await market.sell(one, parseEther('90000000'))
    // Round the price, beside it on either side, and a part of the first taken out again.
    await market.changeLiquidity(one, [-1, 2], 5n * 10n ** 19n)
    await market.changeLiquidity(one, [3, 4], 10n ** 18n)
    await market.changeLiquidity(one, [-4, -2], 10n ** 18n)
    await market.changeLiquidity(one, [-1, 2], -2n * 10n ** 19n)
    await market.sell(one, parseEther('1000000'))
    await market.convertFees(one, parseEther('1000'))
    await market.strangersPool(one)
    await market.pay(one.token, MEV_MODULE, 3n)
    await market.pay(one.token, DEAD, 7n)
  }
  await market.donate(first, 1_000n)
  await market.storeFees(creator, weth, 1_000n)
  await market.storeFees(creator, weth, 500n)
  await market.storeFees(creator, first.token, 77n)
  await feeLocker.send(stranger, 'claim', [creator, weth])
  await market.storeFees(creator, weth, 300n)
  await feeLocker.send(creator, 'claimTo', [creator, first.token, stranger])
  // Owners of nothing that is indexed, and one who is paid in a transaction of an indexed token.
  await market.storeFees(stranger, weth, 10n)
  await feeLocker.send(stranger, 'claim', [stranger, weth])
  await market.storeFees(market.trader, first.token, 5n)
  await updateClanker(chain, creator, first.token, [
    ['updateMetadata', '{"description":"new","image":"ipfs://other"}'],
    ['updateImage', 'ipfs://new'],
    ['updateAdmin', stranger],
  ])
  await updateClanker(chain, stranger, first.token, [['updateImage', 'ipfs://newest']])
  await updateClanker(chain, creator, second.token, [
    ['updateImage', ''],
    ['updateMetadata', 'ipfs://metadata'],
  ])
  return [first, second, ether, paired]
}
