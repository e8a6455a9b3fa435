import { encodeFunctionData, parseAbi, parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import { swapThroughRouter, transfer } from '#devchain/actions.ts'
import { type Address, toAddress } from '#domain/address.ts'
import { formatDecimal } from '#domain/decimal.ts'
import { priceFromSqrt } from '#launchpads/pools/uniswapV3.ts'
import { startTestChain } from '#test/support/chain.ts'
import { balanceOf, chainReads, expectHolders } from '#test/support/chainReads.ts'
import { describedClanker, updateClanker } from '#test/support/clankerUpdates.ts'
import { type ClankerLaunch, deployClankerV31, type LaunchedClanker } from '#test/support/clankerV31.ts'
import { contractAt } from '#test/support/contractAt.ts'
import { useDatabase } from '#test/support/database.ts'
import { countedChain, expectEarlyAsCounted } from '#test/support/earlyOnChain.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'

const abi = parseAbi(['function collectRewards(uint256 id)'])
const HOSTILE = `A\0B\u202e${'x'.repeat(9_000)}`
/** Receive nothing but rewards, so that their balances are what was paid to them. */
const RECIPIENT = toAddress(`0x${'a1'.repeat(20)}`)
const SUCCESSOR = toAddress(`0x${'b2'.repeat(20)}`)

const followed = await useDatabase()
const backfilled = await useDatabase()
const made: LaunchedClanker[] = []
const madeAt = (index: number) => made[index] ?? expect.unreachable()

const chain = await startTestChain()
const [, creator, alice] = chain.accounts as [Address, Address, Address]
const clanker = await deployClankerV31(chain)
await play()
await (await openChainIndex(chain, followed, null, clanker.launchpads)).indexEach(1)
const reads = chainReads(chain, followed, clanker.launchpads)

describe('clanker-v3.1', () => {
  it('has the early wallets that a count over the logs gives', async () => {
    await expectEarlyAsCounted(followed.kysely, await countedChain(chain))
  })

  it('gives the same tables for a range as block by block', async () => {
    await (await openChainIndex(chain, backfilled, null, clanker.launchpads)).indexRange(1)
    expect(await dumpTables(backfilled.kysely)).toEqual(await dumpTables(followed.kysely))
  })

  it.each([0, 1])('agrees with the chain on price, pool, supply and holders (token %i)', async index => {
    const { token, pool } = madeAt(index)
    const { weth, abis } = chain.deployment
    const contract = contractAt(chain, pool, abis.pool)
    const [sqrt, tick] = await contract.read('slot0')
    const price = priceFromSqrt(sqrt, { tokenIsToken0: token < weth }, 18)
    expect(token < weth).toBe(index === 0)
    expect(await reads.tokenOf(token)).toMatchObject({
      launchpad: 'clanker',
      creator,
      decimals: 18,
      totalSupply: String(await contractAt(chain, token, abis.token).read('totalSupply')),
      ...(await describedClanker(chain, token)),
      market: { priceWeth: price === null ? null : formatDecimal(price), tradeCount: index === 0 ? 4 : 3 },
      pool: {
        address: pool,
        type: 'uniswap-v3',
        quoteToken: weth,
        feeBps: 100,
        reserveToken: String(await balanceOf(chain, token, pool)),
        reserveQuote: String(await balanceOf(chain, weth, pool)),
        sqrtPriceX96: String(sqrt),
        tick,
        liquidity: String(await contract.read('liquidity')),
      },
      graduation: { status: 'none' },
      fees: { creatorFeeBps: index === 0 ? 40 : 80, accruedWeth: null, claimableWeth: null },
    })
    expect([...(await expectHolders(chain, reads, token))]).toEqual(
      expect.arrayContaining([
        [pool, 'pool'],
        [creator, 'creator'],
        [alice, 'wallet'],
        [`0x${'0'.repeat(36)}dead`, 'burn'],
        ...(index === 0 ? [[clanker.vault, 'locker']] : []),
      ]),
    )
    const locked = await Promise.all([clanker.vault, clanker.locker, clanker.factory].map(holder => balanceOf(chain, token, holder)))
    expect(await reads.supply(token)).toMatchObject({ locked: locked.reduce((sum, amount) => sum + amount), burned: 7n })
  })

  it('has the creator as the maker of the buy inside the creation', async () => {
    const { token } = madeAt(0)
    const [first, ...others] = await reads.tradesOf(token)
    expect(first).toMatchObject({ maker: creator, side: 'buy', amountWeth: '0.5', feeWeth: '0.005', phase: 'pool' })
    expect(others.map(({ maker }) => maker)).toEqual([alice, alice, alice])
  })

  it('keeps hostile text within bounds', async () => {
    const indexed = await reads.tokenOf(madeAt(1).token)
    expect(indexed.symbol).toBeNull()
    expect(indexed.name).toBe(`AB\u202e${'x'.repeat(509)}`)
  })

  it('values a token that is paired with another token by that token’s market', async () => {
    const { token, pool } = madeAt(2)
    const { token: paired } = madeAt(0)
    const indexed = await reads.tokenOf(token)
    expect(indexed.pool).toMatchObject({ address: pool, quoteToken: paired })
    const trades = await reads.tradesOf(paired)
    const rate = Number(trades.findLast(({ blockNumber }) => Number(blockNumber) < Number(indexed.createdBlock))?.priceAfterWeth)
    const ratio = (Number(indexed.pool?.sqrtPriceX96) / 2 ** 96) ** 2
    const priceQuote = token < paired ? ratio : 1 / ratio
    expect(Number(indexed.market.priceWeth) / (priceQuote * rate)).toBeCloseTo(1, 9)
    expect(indexed.market.liquidityWeth).toBe('0')
  })

  it('knows what each recipient was paid, and for whom what lies in the position is', async () => {
    const { token, positionId } = madeAt(0)
    const { weth } = chain.deployment
    const data = encodeFunctionData({ abi, functionName: 'collectRewards', args: [positionId] })
    for (const recipient of [RECIPIENT, SUCCESSOR]) {
      const claimable = await reads.claimableOf(token, recipient)
      expect(claimable.map(({ currency }) => currency).toSorted()).toEqual([token, weth].toSorted())
      for (const { currency, accrued, amount, claimed, scope, claim } of claimable) {
        // Who handed over has been paid all there was for them.
        const known = recipient === RECIPIENT ? { accrued: claimed, amount: '0', claim: null } : { accrued: null, amount: null }
        expect({ accrued, amount, scope, claim }).toEqual({ scope: 'token', claim: { to: clanker.locker, data }, ...known })
        // The second token's rewards went to the first recipient, too, in WETH and in that token.
        const other = recipient === RECIPIENT && currency === weth ? await claimedOf(1) : 0n
        expect(BigInt(claimed) + other).toBe(await balanceOf(chain, currency, recipient))
        expect(BigInt(claimed)).toBeGreaterThan(recipient === SUCCESSOR && currency === token ? -1n : 0n)
      }
    }
  })

  async function claimedOf(index: number): Promise<bigint> {
    const claimable = await reads.claimableOf(madeAt(index).token, RECIPIENT)
    return BigInt(claimable.find(({ currency }) => currency === chain.deployment.weth)?.claimed ?? 0)
  }
})

/** A vaulted token, one with hostile names whose admin changes it, and one that is paired with the first. */
async function play(): Promise<void> {
  const deployToken = async (launch: Omit<ClankerLaunch, 'recipient'> & { readonly recipient?: Address }) => {
    const launched = await clanker.launch(creator, { recipient: RECIPIENT, ...launch })
    made.push(launched)
    return launched.token
  }
  const { weth } = chain.deployment
  const first = await deployToken({ name: 'First', symbol: 'ONE', paired: weth, first: true, buy: '0.5', vaulted: 20 })
  const second = await deployToken({ name: HOSTILE, symbol: '', paired: weth, first: false, share: 80, buy: '0.1' })
  await deployToken({ name: 'Paired', symbol: 'PAIR', paired: first, first: true })
  for (const token of [first, second]) {
    await chain.mined(swapThroughRouter(chain, { from: alice, token, side: 'buy', amountIn: parseEther('0.3') }))
    const held = await balanceOf(chain, token, alice)
    await chain.mined(swapThroughRouter(chain, { from: alice, token, side: 'sell', amountIn: held / 3n }))
    await chain.mined(transfer(chain, { from: alice, currency: token, to: creator, amount: 5n }))
    await chain.mined(transfer(chain, { from: alice, currency: token, to: toAddress(`0x${'0'.repeat(36)}dead`), amount: 7n }))
  }
  const positionId = madeAt(0).positionId
  await clanker.collect(alice, positionId)
  await chain.mined(swapThroughRouter(chain, { from: alice, token: first, side: 'buy', amountIn: parseEther('0.2') }))
  await clanker.handOver(creator, positionId, SUCCESSOR)
  await clanker.collect(alice, positionId)
  await clanker.collect(alice, madeAt(1).positionId)
  await clanker.withdraw(creator, first, 5n)
  await updateClanker(chain, creator, second, [
    ['updateImage', 'ipfs://new'],
    ['updateMetadata', '{"description":"new","image":"ipfs://other"}'],
    ['updateAdmin', alice],
  ])
  await updateClanker(chain, alice, second, [['updateMetadata', '{"description":"newer"}']])
}
