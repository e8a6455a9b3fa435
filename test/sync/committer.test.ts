import { sql } from 'kysely'
import { encodeFunctionData, parseAbi, parseEther } from 'viem'
import { expect, test } from 'vitest'
import {
  buyOnCurve,
  claim,
  graduate,
  type Launched,
  launch,
  readLaunched,
  sellOnCurve,
  sendCall,
  swapDirectly,
  swapThroughRouter,
  transfer,
  wrap,
} from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import type { Transaction } from '#store/connection/transaction.ts'
import { claimDatabase } from '#store/rows/cursor.ts'
import type { ProjectedBatch } from '#sync/state.ts'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'

const followed = await useDatabase()
const backfilled = await useDatabase()
const DAY = 86_400
const chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 3 * DAY })
/** Blocks whose events change nothing. */
const { token, idleBlocks } = await mineChain()
/** What every way to index the chain has to give: that of block by block. */
const blocks = await (await openChainIndex(chain, followed)).indexEach(1)
const expected = await dumpTables(followed.kysely)

test('a chain indexed block by block, in one range or in three gives the same tables', async () => {
  expect(expected['trade']).toHaveLength(8)

  const atOnce = await openChainIndex(chain, backfilled)
  await atOnce.indexRange(1)
  expect(await dumpTables(backfilled.kysely)).toEqual(expected)

  await backfilled.clear()
  const restarted = await openChainIndex(chain, backfilled)
  await restarted.indexRange(1, 3)
  await restarted.indexRange(4, 9)
  // Another process takes over, with nothing but the database.
  await (await openChainIndex(chain, backfilled)).indexRange(10)
  expect(await dumpTables(backfilled.kysely)).toEqual(expected)

  const sequences = blocks
    .flatMap(block => block.tokens.filter(entry => entry.token.address === token.token))
    .map(entry => entry.token.sequence)
  expect(sequences.length).toBeGreaterThan(10)
  expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b))
})

/** When a range is prepared, seen from the one before it. */
const MOMENTS = ['before its transaction', 'after its rows, inside its transaction', 'after its commit'] as const

test.each(MOMENTS)('a range that is prepared while the one before it is committed, %s, gives the same tables', async moment => {
  const head = await chain.head()
  for (const cuts of [
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
    [3, 5, 9, 12],
    [4, 10],
  ]) {
    const ends = [...cuts.filter(cut => cut < head), head]
    await backfilled.clear()
    let inside: () => Promise<void> = async () => undefined
    const around = (transaction: Transaction): Transaction => {
      return work => transaction(async db => work(db).then(async result => inside().then(() => result)))
    }
    const index = await openChainIndex(chain, backfilled, null, undefined, undefined, around)
    const prepare = async (at: number, previous: ProjectedBatch | null) => {
      const to = ends[at]
      return to === undefined ? null : index.committer.prepare(await index.range((ends[at - 1] ?? 0) + 1, to), previous)
    }
    let prepared = await prepare(0, null)
    for (let next = 1; prepared !== null; next++) {
      const current: ProjectedBatch = prepared
      const ahead = moment === MOMENTS[0] ? await prepare(next, current) : null
      let meanwhile: ProjectedBatch | null = null
      inside = async () => {
        if (moment === MOMENTS[1]) meanwhile = await prepare(next, current)
      }
      await index.committer.commit({ kind: 'batch', to: current.to, batch: current })
      prepared = ahead ?? meanwhile ?? (moment === MOMENTS[2] ? await prepare(next, current) : null)
    }
    const cursor = (await index.committer.recentBlocks()).at(-1) ?? expect.unreachable()
    expect(cursor.number).toBe(head)
    await index.committer.commit({ kind: 'settle', to: cursor })
    expect(await dumpTables(backfilled.kysely)).toEqual(expected)
  }
})

test('refuses a range that was prepared on another one than the last', async () => {
  await followed.clear()
  const index = await openChainIndex(chain, followed)
  const first = await index.committer.prepare(await index.range(1, 5), null)
  const other = { ...first, to: { ...first.to, hash: `0x${'ab'.repeat(32)}` as const } }
  const second = await index.committer.prepare(await index.range(6, 8), other)
  await index.committer.commit({ kind: 'batch', to: first.to, batch: first })
  const tables = await dumpTables(followed.kysely)
  await expect(index.committer.commit({ kind: 'batch', to: second.to, batch: second })).rejects.toMatchObject({
    code: 'rpc_inconsistent',
    retryable: true,
  })
  expect(await dumpTables(followed.kysely)).toEqual(tables)
})

test('a silent token loses its window when the chain moves on, with a new sequence and the same source block', () => {
  const last = blocks.at(-1)?.tokens.find(entry => entry.token.address === token.token)
  expect(last?.token.market.trades.m5).toEqual({ buys: 0, sells: 0, buyers: 0, sellers: 0 })
  expect(last?.token.market.volumeWeth.m5).toBe('0')
  expect(last?.token.market.trades.h1.buys).toBeGreaterThan(0)
  expect(Number(last?.token.asOfBlock)).toBeLessThan(blocks.at(-1)?.number ?? 0)
})

test('windows that are left alone while the index is behind are right again with the last block', async () => {
  await backfilled.clear()
  const ofBehind = await (await openChainIndex(chain, backfilled)).indexEach(1, { behind: true })
  expect(await dumpTables(backfilled.kysely)).toEqual(expected)
  // The last block is empty: it is time alone that changes the token.
  expect(ofBehind.at(-1)?.tokens.map(entry => entry.token.address)).toContain(token.token)
})

// Transfers of nothing by a stranger once cost each watcher of the token an update per block.
test('a block whose events change nothing gives no token a new sequence', () => {
  const idle = blocks.filter(({ number }) => idleBlocks.includes(number))
  expect(idle.map(({ tokens, unread }) => [...tokens, ...unread])).toEqual([[], [], []])
})

test('the state of a token without subscribers is not read, and it is named all the same', async () => {
  await followed.clear()
  const index = await openChainIndex(chain, followed, null, undefined, address => address === token.token)
  const committed = await index.indexEach(1)
  const read = committed.flatMap(({ tokens }) => tokens.map(entry => entry.token.address))
  const unread = committed.flatMap(block => block.unread)
  expect(new Set(read)).toEqual(new Set([token.token]))
  expect(unread).not.toContain(token.token)
  expect(unread.length).toBeGreaterThan(0)
})

test('a block that is committed again gives the same answer and changes nothing', async () => {
  await followed.clear()
  const index = await openChainIndex(chain, followed)
  const head = await chain.head()
  await index.indexRange(1, head - 1)
  const [first] = await index.indexEach(head)
  const tables = await dumpTables(followed.kysely)
  const [again] = await index.indexEach(head)
  const addresses = first?.tokens.map(entry => entry.token.address) ?? []
  expect(addresses.length).toBeGreaterThan(1)
  expect(addresses).toEqual(addresses.toSorted())
  expect({ ...again, completedAtMs: 0 }).toEqual({ ...first, completedAtMs: 0 })
  expect(await dumpTables(followed.kysely)).toEqual(tables)
})

test('a range names the tokens that it changed without reading their state', async () => {
  await followed.clear()
  const { tokens, unread } = await (await openChainIndex(chain, followed)).indexRange(1)
  expect(tokens).toEqual([])
  expect(unread).toContain(token.token)
})

test('refuses a batch that does not follow the cursor', async () => {
  await followed.clear()
  const index = await openChainIndex(chain, followed)
  await index.indexRange(1, 3)
  await expect(index.indexRange(6, 7)).rejects.toMatchObject({ code: 'rpc_inconsistent' })
})

// What a lost commit had announced stayed known, so the contracts of tokens that are indexed again were not stored again.
test('goes on from the cursor of a database that has lost commits', async () => {
  await followed.clear()
  const index = await openChainIndex(chain, followed)
  const head = await chain.head()
  const [range, rest] = [await index.range(1, 3), await index.range(4, head)]
  await index.indexRange(1, 3)
  const { discoveries } = await index.committer.prepare(rest, null)
  expect(discoveries).not.toEqual([])
  await index.indexRange(4, head)
  expect((await index.committer.prepare(rest, null)).discoveries).toEqual([])
  await sql`update chain_state set cursor_number = 3`.execute(followed.kysely)
  await index.committer.recentBlocks()
  expect((await index.committer.prepare(rest, null)).discoveries).toEqual(discoveries)
  await sql`update chain_state set cursor_number = null`.execute(followed.kysely)
  await index.committer.recentBlocks()
  expect((await index.committer.prepare(range, null)).discoveries).not.toEqual([])
})

test('refuses the commits of a process from which another one has taken the database', async () => {
  await followed.clear()
  const first = await openChainIndex(chain, followed)
  await first.indexRange(1, 3)
  const second = await openChainIndex(chain, followed)
  await expect(first.indexRange(4, 5)).rejects.toMatchObject({ code: 'database_taken', retryable: false })
  await second.indexRange(4, 5)
  expect((await second.committer.recentBlocks()).at(-1)?.number).toBe(5)
})

test('refuses a database of other contracts or another chain, and says what differs', async () => {
  await followed.clear()
  await openChainIndex(chain, followed)
  const genesis = await chain.client.getBlock({ blockNumber: 0n })
  const { chainId, weth, launchpad, startBlock } = chain.deployment
  const launchpads = [{ name: 'reference', adapter: 'bonding-curve', startBlock, contracts: { factory: launchpad } }]
  const identity = { chainId, genesisHash: genesis.hash, weth, launchpads }
  await expect(claimDatabase(followed.kysely, identity, 'a')).resolves.toEqual(launchpads)
  await expect(claimDatabase(followed.kysely, { ...identity, chainId: 1 }, 'a')).rejects.toThrow(/chain 31337, and the RPC serves chain 1/)
  await expect(claimDatabase(followed.kysely, { ...identity, genesisHash: `0x${'ab'.repeat(32)}` }, 'a')).rejects.toThrow(
    /begins with 0xabab/,
  )
})

function balanceOf(token: Address, holder: Address): Promise<bigint> {
  const { abis } = chain.deployment
  return chain.client.readContract({ address: token, abi: abis.token, functionName: 'balanceOf', args: [holder] })
}

/** Collects nothing, as anyone may from any pool. */
function collectNothing(pool: Address, from: Address) {
  const abi = parseAbi(['function collect(address,int24,int24,uint128,uint128)'])
  const data = encodeFunctionData({ abi, args: [from, -200, 200, 0n, 0n] })
  return sendCall(chain, { from, to: pool, data })
}

async function poolOf(token: Address): Promise<Address> {
  const { abis, uniswapFactory, weth } = chain.deployment
  const args = [token, weth, 10_000] as const
  const pool = await chain.client.readContract({ address: uniswapFactory, abi: abis.factory, functionName: 'getPool', args })
  return (pool as string).toLowerCase() as Address
}

/** A launch, trades over a day, a graduation, trades in the pool, claims, and blocks whose events change nothing. */
async function mineChain(): Promise<{ readonly token: Launched; readonly idleBlocks: readonly number[] }> {
  const [, creator, alice, bob] = chain.accounts as [Address, Address, Address, Address]
  const token = readLaunched(
    await chain.mined(launch(chain, { from: creator, name: 'Alpha', symbol: 'ALP', firstBuyWei: parseEther('0.1') })),
  )
  await chain.mined(buyOnCurve(chain, { from: alice, curve: token.curve, paidWei: parseEther('1') }))
  await chain.mine(1, 400)
  const held = await balanceOf(token.token, alice)
  await chain.mined(sellOnCurve(chain, { from: alice, token: token.token, curve: token.curve, amount: held / 3n }))
  await chain.mine(1, 4_000)
  await chain.mined(transfer(chain, { from: alice, currency: token.token, to: bob, amount: held / 5n }))
  await chain.mined(
    transfer(chain, { from: bob, currency: token.token, to: '0x000000000000000000000000000000000000dead' as Address, amount: 7n }),
  )
  await chain.mine(1, DAY)
  const other = readLaunched(await chain.mined(launch(chain, { from: bob, name: 'Beta', symbol: 'BET' })))
  await chain.mined(buyOnCurve(chain, { from: alice, curve: other.curve, paidWei: 1n }))
  await chain.mined(buyOnCurve(chain, { from: bob, curve: token.curve, paidWei: parseEther('10') }))
  const graduated = await chain.mined(graduate(chain, { from: bob, token: token.token }))
  expect(graduated.status).toBe('success')
  await chain.mined(swapThroughRouter(chain, { from: alice, token: token.token, side: 'buy', amountIn: parseEther('0.3') }))
  await chain.mined(swapThroughRouter(chain, { from: alice, token: token.token, side: 'sell', amountIn: held / 10n }))
  await chain.mined(wrap(chain, { from: bob, amountWei: parseEther('1') }))
  await chain.mined(
    swapDirectly(chain, { from: bob, token: token.token, pool: await poolOf(token.token), side: 'buy', amountIn: parseEther('0.2') }),
  )
  await chain.mined(claim(chain, { from: creator, token: token.token }))
  const idle = { currency: token.token, amount: 0n }
  const stranger = await chain.mined(transfer(chain, { ...idle, from: creator, to: alice }))
  const toItself = await chain.mined(transfer(chain, { ...idle, from: alice, to: alice, amount: 5n }))
  const collected = await chain.mined(collectNothing(await poolOf(token.token), bob))
  const idleBlocks = [stranger, toItself, collected].map(({ blockNumber }) => Number(blockNumber))
  await chain.mine(1, 301)
  return { token, idleBlocks }
}
