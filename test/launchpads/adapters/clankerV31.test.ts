import { type Abi, encodeFunctionData, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { swapThroughRouter, transfer } from '#devchain/actions.ts'
import { type Address, toAddress } from '#domain/address.ts'
import { formatDecimal } from '#domain/decimal.ts'
import { priceFromSqrt } from '#launchpads/pools/uniswapV3.ts'
import { createAdapters } from '#launchpads/registry.ts'
import { createReads } from '#store/reads/reads.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { describedClanker, updateClanker } from '#test/support/clankerUpdates.ts'
import { type ClankerLaunch, type ClankerV31, deployClankerV31, type LaunchedClanker } from '#test/support/clankerV31.ts'
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
let chain: TestChain
let clanker: ClankerV31
let creator: Address
let alice: Address
const made: LaunchedClanker[] = []

const deployToken = async (launch: Omit<ClankerLaunch, 'recipient'> & { readonly recipient?: Address }) => {
  made.push(await clanker.launch(creator, { recipient: RECIPIENT, ...launch }))
  return made.at(-1)?.token ?? expect.unreachable()
}
const call = <T>(address: Address, contract: Abi, functionName: string, args: readonly unknown[] = []) =>
  chain.client.readContract({ address, abi: contract, functionName, args }) as Promise<T>
const balanceOf = (token: Address, holder: Address) => call<bigint>(token, chain.deployment.abis.token, 'balanceOf', [holder])

beforeAll(async () => {
  chain = await startTestChain()
  ;[, creator, alice] = chain.accounts as [Address, Address, Address]
  const { weth } = chain.deployment
  clanker = await deployClankerV31(chain)

  const first = await deployToken({ name: 'First', symbol: 'ONE', paired: weth, first: true, buy: '0.5', vaulted: 20 })
  const second = await deployToken({ name: HOSTILE, symbol: '', paired: weth, first: false, share: 80, buy: '0.1' })
  await deployToken({ name: 'Paired', symbol: 'PAIR', paired: first, first: true })
  for (const token of [first, second]) {
    await chain.mined(swapThroughRouter(chain, { from: alice, token, side: 'buy', amountIn: parseEther('0.3') }))
    const held = await balanceOf(token, alice)
    await chain.mined(swapThroughRouter(chain, { from: alice, token, side: 'sell', amountIn: held / 3n }))
    await chain.mined(transfer(chain, { from: alice, currency: token, to: creator, amount: 5n }))
    await chain.mined(transfer(chain, { from: alice, currency: token, to: toAddress(`0x${'0'.repeat(36)}dead`), amount: 7n }))
  }
  const positionId = made[0]?.positionId ?? 0n
  await clanker.collect(alice, positionId)
  await chain.mined(swapThroughRouter(chain, { from: alice, token: first, side: 'buy', amountIn: parseEther('0.2') }))
  await clanker.handOver(creator, positionId, SUCCESSOR)
  await clanker.collect(alice, positionId)
  await clanker.collect(alice, made[1]?.positionId ?? 0n)
  await clanker.withdraw(creator, first, 5n)
  await updateClanker(chain, creator, second, [
    ['updateImage', 'ipfs://new'],
    ['updateMetadata', '{"description":"new","image":"ipfs://other"}'],
    ['updateAdmin', alice],
  ])
  await updateClanker(chain, alice, second, [['updateMetadata', '{"description":"newer"}']])
})
afterAll(() => chain?.stop())

const openReads = (database: typeof followed) => {
  const { chainId, weth } = chain.deployment
  const adapters = createAdapters({ weth, launchpads: clanker.launchpads })
  return createReads({
    db: database.kysely,
    chainId,
    weth,
    claimCall: ({ launchpad: _, ...target }) => adapters[0]?.claimCall(target) ?? null,
  })
}

describe('clanker-v3.1', () => {
  beforeAll(async () => {
    await (await openChainIndex(chain, followed, null, clanker.launchpads)).indexEach(1)
  })

  it('has the early wallets that a count over the logs gives', async () => {
    await expectEarlyAsCounted(followed.kysely, await countedChain(chain))
  })

  it('gives the same tables for a range as block by block', async () => {
    await (await openChainIndex(chain, backfilled, null, clanker.launchpads)).indexRange(1)
    expect(await dumpTables(backfilled.kysely)).toEqual(await dumpTables(followed.kysely))
  })

  it.each([0, 1])('agrees with the chain on price, pool, supply and holders (token %i)', async index => {
    const { token, pool } = made[index] ?? expect.unreachable()
    const { weth, abis } = chain.deployment
    const reads = openReads(followed)
    const indexed = await reads.token({ address: token })
    const slot0 = await call<readonly [bigint, number]>(pool, abis.pool, 'slot0')
    const price = priceFromSqrt(slot0[0], { tokenIsToken0: token < weth }, 18)
    expect(token < weth).toBe(index === 0)
    expect(indexed).toMatchObject({
      launchpad: 'clanker',
      creator,
      decimals: 18,
      totalSupply: String(await call(token, abis.token, 'totalSupply')),
      ...(await describedClanker(chain, token)),
      market: { priceWeth: price === null ? null : formatDecimal(price), tradeCount: index === 0 ? 4 : 3 },
      pool: {
        address: pool,
        type: 'uniswap-v3',
        quoteToken: weth,
        feeBps: 100,
        reserveToken: String(await balanceOf(token, pool)),
        reserveQuote: String(await balanceOf(weth, pool)),
        sqrtPriceX96: String(slot0[0]),
        tick: slot0[1],
        liquidity: String(await call(pool, abis.pool, 'liquidity')),
      },
      graduation: { status: 'none' },
      fees: { creatorFeeBps: index === 0 ? 40 : 80, accruedWeth: null, claimableWeth: null },
    })
    const holders = (await reads.holders({ address: token, limit: 100, excludeType: [] }))?.data ?? []
    for (const { address, balance } of holders) expect(balance).toBe(String(await balanceOf(token, address)))
    expect(holders.map(({ address, type }) => [address, type])).toEqual(
      expect.arrayContaining([
        [pool, 'pool'],
        [creator, 'creator'],
        [alice, 'wallet'],
        [`0x${'0'.repeat(36)}dead`, 'burn'],
        ...(index === 0 ? [[clanker.vault, 'locker']] : []),
      ]),
    )
    const locked = await Promise.all([clanker.vault, clanker.locker, clanker.factory].map(holder => balanceOf(token, holder)))
    expect(await reads.supply(token)).toMatchObject({ locked: locked.reduce((sum, amount) => sum + amount), burned: 7n })
    expect(holders.reduce((sum, { balance }) => sum + BigInt(balance), 0n)).toBe(BigInt(indexed?.totalSupply ?? 0))
  })

  it('has the creator as the maker of the buy inside the creation', async () => {
    const { token } = made[0] ?? expect.unreachable()
    const trades = await openReads(followed).trades({ address: token, limit: 10, order: 'asc' })
    expect(trades?.data[0]).toMatchObject({ maker: creator, side: 'buy', amountWeth: '0.5', feeWeth: '0.005', phase: 'pool' })
    expect(trades?.data.slice(1).map(({ maker }) => maker)).toEqual([alice, alice, alice])
  })

  it('keeps hostile text within bounds', async () => {
    const indexed = await openReads(followed).token({ address: made[1]?.token ?? expect.unreachable() })
    expect(indexed?.symbol).toBeNull()
    expect(indexed?.name).toBe(`AB\u202e${'x'.repeat(509)}`)
  })

  it('values a token that is paired with another token by that token’s market', async () => {
    const { token, pool } = made[2] ?? expect.unreachable()
    const { token: paired } = made[0] ?? expect.unreachable()
    const reads = openReads(followed)
    const indexed = (await reads.token({ address: token })) ?? expect.unreachable()
    expect(indexed.pool).toMatchObject({ address: pool, quoteToken: paired })
    const trades = (await reads.trades({ address: paired, limit: 100, order: 'asc' }))?.data ?? []
    const rate = Number(trades.findLast(({ blockNumber }) => Number(blockNumber) < Number(indexed.createdBlock))?.priceAfterWeth)
    const ratio = (Number(indexed.pool?.sqrtPriceX96) / 2 ** 96) ** 2
    const priceQuote = token < paired ? ratio : 1 / ratio
    expect(Number(indexed.market.priceWeth) / (priceQuote * rate)).toBeCloseTo(1, 9)
    expect(indexed.market.liquidityWeth).toBe('0')
  })

  it('knows what each recipient was paid, and for whom what lies in the position is', async () => {
    const { token, positionId } = made[0] ?? expect.unreachable()
    const { weth } = chain.deployment
    const reads = openReads(followed)
    const data = encodeFunctionData({ abi, functionName: 'collectRewards', args: [positionId] })
    for (const recipient of [RECIPIENT, SUCCESSOR]) {
      const claimable = await reads.claimable({ address: token, creator: recipient })
      expect(claimable?.claimable.map(({ currency }) => currency).toSorted()).toEqual([token, weth].toSorted())
      for (const { currency, accrued, amount, claimed, scope, claim } of claimable?.claimable ?? []) {
        // Who handed over has been paid all there was for them.
        const known = recipient === RECIPIENT ? { accrued: claimed, amount: '0', claim: null } : { accrued: null, amount: null }
        expect({ accrued, amount, scope, claim }).toEqual({ scope: 'token', claim: { to: clanker.locker, data }, ...known })
        // The second token's rewards went to the first recipient, too, in WETH and in that token.
        const other = recipient === RECIPIENT && currency === weth ? await claimedOf(1) : 0n
        expect(BigInt(claimed) + other).toBe(await balanceOf(currency, recipient))
        expect(BigInt(claimed)).toBeGreaterThan(recipient === SUCCESSOR && currency === token ? -1n : 0n)
      }
    }
  })

  async function claimedOf(index: number): Promise<bigint> {
    const claimable = await openReads(followed).claimable({ address: made[index]?.token ?? expect.unreachable(), creator: RECIPIENT })
    return BigInt(claimable?.claimable.find(({ currency }) => currency === chain.deployment.weth)?.claimed ?? 0)
  }
})
