import { parseAbi, parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import type { LaunchpadConfig } from '#config'
import { parseLaunchpads } from '#configuration/launchpads.ts'
import { type Address, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import { createUnseenPools } from '#jobs/unseenPools.ts'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import { startTestChain } from '#test/support/chain.ts'
import { balanceOf, chainReads } from '#test/support/chainReads.ts'
import { contractAt } from '#test/support/contractAt.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { deployContract } from '#test/support/deployContract.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { NOTE_ABI, ODD_CONTRACTS, ODD_EVENTS, ODD_PAD_ABI } from '#test/support/oddPad.ts'

const ONE = 2n ** 96n
const AMOUNT = 10n ** 18n

const database = await useDatabase()
const oneByOne = await useDatabase()

const chain = await startTestChain()
const { weth, uniswapFactory } = chain.deployment
const pad = contractAt(chain, await deployContract(chain, ODD_CONTRACTS.get('OddPad'), [weth, uniswapFactory]), ODD_PAD_ABI)
const stranger = contractAt(chain, await deployContract(chain, ODD_CONTRACTS.get('Provider'), [weth, uniswapFactory]), ODD_PAD_ABI)
const router = await deployContract(chain, ODD_CONTRACTS.get('Router'), [])
const users = [3, 4, 5, 6, 7].map(chain.account)
const launchpads = configured(ODD_EVENTS)
const reads = chainReads(chain, database, launchpads)

// Equal buys for A, B, C and D had been served as B, C, D and D, and as A four times with a tax, so that no bundle was seen.
describe('the makers of a bundle on a curve', () => {
  it.each([
    ['that sends before its events', 0n, false, 0n],
    ['that sends after its events', 0n, false, 1n],
    ['that sends now before, now after them', 0n, false, 2n],
    ['whose router pays them all afterwards', 0n, false, 3n],
    ['of tokens with a tax', 3n, false, 0n],
    ['of tokens with a tax that no event shows', 3n, true, 1n],
  ])('%s are those who hold the tokens', async (_, tax, hides, order) => {
    const note = await launched(tax, hides)
    await pad.send(chain.account(2), 'bundle', [note, users, AMOUNT, order, router], 5_000n)
    for (const user of users) await contractAt(chain, note, NOTE_ABI).send(user, 'approve', [pad.address, AMOUNT])
    const sellers = users.toReversed()
    await pad.send(chain.account(2), 'unbundle', [note, sellers, AMOUNT / 2n, order === 0n])
    await indexed()
    const trades = await reads.tradesOf(note)
    expect(trades.map(({ side, maker }) => [side, maker])).toEqual([
      ...users.map(user => ['buy', user]),
      ...sellers.map(user => ['sell', user]),
    ])
    expect(new Set(trades.map(({ txHash }) => txHash)).size).toBe(2)
    const early = await reads.earlyWallets({ address: note })
    expect(early?.classes.find(one => one.class === 'bundler')?.wallets).toBe(5)
  })
})

describe('a Uniswap v3 pool that is older than the graduation that names it', () => {
  let note: Address
  let pool: Address
  const [lower, upper] = [200, 400]

  it('has what its balances are, before and after a stranger takes out what it had put in', async () => {
    note = await launched(0n, false)
    const side = chain.deployment.weth < note ? ([lower, upper] as const) : ([-upper, -lower] as const)
    await stranger.send(chain.account(8), 'open', [note, ONE], parseEther('0.2'))
    pool = await poolOf(note)
    await stranger.send(chain.account(8), 'add', [pool, note, ...side, 10n ** 19n])
    expect(await balanceOf(chain, chain.deployment.weth, pool)).toBeGreaterThan(parseEther('0.09'))
    await pad.send(chain.account(2), 'graduate', [note, ONE, parseEther('1')], parseEther('2'))
    await expectReserves(note, pool)
    await stranger.send(chain.account(8), 'remove', [pool, ...side, 10n ** 19n])
    await expectReserves(note, pool)
    await stranger.send(chain.account(8), 'buy', [pool, note, users[0] as Address, parseEther('0.1')], parseEther('0.1'))
    await expectReserves(note, pool)
    expect((await reads.tokenOf(note)).market.liquidityWeth).not.toMatch(/^-/)
  })

  it('is known from its first log where it is made in the block that announces it', async () => {
    const fresh = await launched(0n, false)
    await pad.send(chain.account(2), 'graduate', [fresh, ONE, parseEther('1')], parseEther('2'))
    await expectReserves(fresh, await poolOf(fresh))
  })

  it('gives the same rows block by block', async () => {
    await (await openChainIndex(chain, oneByOne, null, launchpads)).indexEach(chain.deployment.startBlock)
    expect(await dumpTables(oneByOne.kysely)).toEqual(await dumpTables(database.kysely))
  })

  it('has unknown reserves where no node has the state of the block, also after they would have become negative', async () => {
    await database.clear()
    const index = await openChainIndex(chain, database, null, launchpads, () => true, undefined, { answers: () => null })
    await index.indexRange(chain.deployment.startBlock)
    const token = await reads.tokenOf(note)
    expect([token.pool?.reserveToken, token.pool?.reserveQuote, token.market.liquidityWeth]).toEqual([null, null, null])
    expect(token.market.priceWeth).not.toBeNull()
  })
})

describe('a graduation into a pool that the mapping does not lead to', () => {
  it('shows no numbers of it, and says what to check', async () => {
    const made = { factory: chain.deployment.uniswapFactory, codeHash: `0x${'1'.repeat(64)}` }
    const wrong = configured({ ...ODD_EVENTS, graduate: { ...ODD_EVENTS.graduate, pool: made } })
    await database.clear()
    await (await openChainIndex(chain, database, null, wrong)).indexRange(chain.deployment.startBlock)
    const unseen = createUnseenPools({ db: database.kysely, logger: silentLogger })
    unseen.committed()
    await unseen.stop()
    const [problem, ...others] = unseen.problems()
    expect(others).toEqual([])
    expect(problem).toMatch(/^launchpad odd: token 0x[0-9a-f]{40} graduated into 0x[0-9a-f]{40}, .*codeHash/)
    const token = await reads.tokenOf(/token (0x\w+)/.exec(problem ?? '')?.[1] as Address)
    expect(token.pool).toMatchObject({ type: 'uniswap-v3', reserveToken: null, reserveQuote: null })
    expect(token.market.liquidityWeth).toBeNull()
  })

  it('is no problem of a mapping that leads to it', async () => {
    await indexed()
    const unseen = createUnseenPools({ db: database.kysely, logger: silentLogger })
    unseen.committed()
    await unseen.stop()
    expect(unseen.problems()).toEqual([])
  })
})

it('a supply leaves out what lies in the zero address, whether its contract burns that or not', async () => {
  const note = await launched(0n, false)
  const contract = contractAt(chain, note, NOTE_ABI)
  await pad.send(chain.account(2), 'bundle', [note, users, AMOUNT, 0n, router], 5_000n)
  await contract.send(users[0] as Address, 'burn', [AMOUNT / 4n])
  await indexed()
  expect(BigInt((await reads.tokenOf(note)).totalSupply)).toBe(await contract.read('totalSupply'))
  await contract.send(users[1] as Address, 'transfer', [ZERO_ADDRESS, AMOUNT / 2n])
  await indexed()
  expect(BigInt((await reads.tokenOf(note)).totalSupply)).toBe((await contract.read('totalSupply')) - AMOUNT / 2n)
  expect(await balanceOf(chain, note, ZERO_ADDRESS)).toBe(AMOUNT / 2n)
})

function configured(events: object): readonly LaunchpadConfig[] {
  const entry = { name: 'odd', adapter: 'bonding-curve', factory: pad.address, startBlock: chain.deployment.startBlock, events }
  const result = parseLaunchpads(JSON.stringify({ weth: chain.deployment.weth, launchpads: [entry] }), ADAPTER_KINDS)
  return result.kind === 'valid' ? result.value.launchpads : expect.unreachable(result.problems.join('\n'))
}

async function launched(tax: bigint, hides: boolean): Promise<Address> {
  const { logs } = await pad.send(chain.account(1), 'launch', [tax, hides])
  return toAddress(`0x${(logs.at(-1)?.topics[1] ?? '').slice(26)}`)
}

async function indexed(): Promise<void> {
  await database.clear()
  await (await openChainIndex(chain, database, null, launchpads)).indexRange(chain.deployment.startBlock)
}

const FACTORY_ABI = parseAbi(['function getPool(address, address, uint24) view returns (address)'])

async function poolOf(note: Address): Promise<Address> {
  const { uniswapFactory, weth } = chain.deployment
  return toAddress(await contractAt(chain, uniswapFactory, FACTORY_ABI).read('getPool', [note, weth, 10_000]))
}

async function expectReserves(note: Address, pool: Address): Promise<void> {
  await indexed()
  const [token, quote] = await Promise.all([balanceOf(chain, note, pool), balanceOf(chain, chain.deployment.weth, pool)])
  expect((await reads.tokenOf(note)).pool).toMatchObject({ address: pool, reserveToken: String(token), reserveQuote: String(quote) })
}
