import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import { type Address, toAddress } from '#domain/address.ts'
import { classesOf, EARLY_CLASSES, type EarlyClass } from '#domain/earlyWallets.ts'
import { countEarly } from '#test/support/countEarly.ts'
import { type TestDatabase, useDatabase } from '#test/support/database.ts'
import { tradeEarly } from '#test/support/earlyRush.ts'
import { createForkingChain, type ForkingChain } from '#test/support/forkingChain.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { commitBlocks, indexAtOnce, openIndex, replaceWith, settle, wholeBlock } from '#test/support/simulatedIndex.ts'
import { TRANSFER } from '#test/support/simulatedLogs.ts'

/* Early wallets in the markets of all simulated launchpads, with forks: as a count over the chain's transfers and the trades gives them. */

const indexed = await useDatabase()
const fresh = await useDatabase()
const DEPTH = 8
const STEPS = 45
/** Most blocks are within the five seconds of a launch. */
const BLOCK_SECONDS = [1, 2, 2, 3, 6]

async function grow(forking: ForkingChain, seed: number): Promise<void> {
  const random = createRandom(seed)
  const { chain } = forking
  const index = await openIndex(indexed, { genesisHash: chain.at(0).header.hash, maxReorgDepth: DEPTH })
  for (let step = 0; step < STEPS; step++) {
    forking.mine(1, random.pick(BLOCK_SECONDS))
    await commitBlocks(index, chain.head())
    const most = Math.min(DEPTH, chain.head().header.number - 1)
    if (most < 1 || !random.chance(0.2)) continue
    const { added } = forking.fork(random.integer(1, most), 1)
    const [first] = added
    if (first === undefined) continue
    await replaceWith(index, { ancestor: chain.at(first.header.number - 1).header, batches: added.map(wholeBlock) })
  }
  await settle(index, chain.head().header)
}

interface Counted {
  readonly launchpad: string
  readonly classes: Readonly<Record<EarlyClass, number>>
}

async function expectAsCounted({ kysely }: TestDatabase, { chain }: ForkingChain): Promise<readonly Counted[]> {
  const times = new Map<number, number>()
  for (let number = 0; number <= chain.head().header.number; number++) times.set(number, chain.at(number).header.timestamp)
  const { rows: tokens } = await sql<{ address: Address; creator: Address; launchpad: string; block: number }>`
    select address, creator, launchpad, created_block as block from token`.execute(kysely)
  const { rows: trades } = await sql<{
    token: Address
    blockNumber: number
    logIndex: number
    txHash: `0x${string}`
    side: 'buy' | 'sell'
    maker: Address
    amount: string
  }>`
    select token, block_number as "blockNumber", log_index as "logIndex", tx_hash as "txHash", side, maker, amount_token as amount
    from trade`.execute(kysely)
  const { rows: balances } = await sql<{ token: Address; holder: Address; type: string; classes: number }>`
    select token, holder, type, classes from balance`.execute(kysely)
  const counted: Counted[] = []
  for (const { address, creator, launchpad, block } of tokens) {
    const transfers = chain
      .logs()
      .filter(log => log.address === address && log.topics[0] === TRANSFER)
      .map(({ blockNumber, logIndex, txHash, topics: [, from = '0x', to = '0x'], data }) => {
        return { blockNumber, logIndex, txHash, from: addressOf(from), to: addressOf(to), amount: BigInt(data) }
      })
    const swaps = trades
      .filter(trade => trade.token === address)
      .map(trade => ({ ...trade, amount: BigInt(trade.amount), timestamp: times.get(trade.blockNumber) ?? 0 }))
    const own = balances.filter(({ token }) => token === address)
    const types = new Map(own.map(({ holder, type }) => [holder, type]))
    const expected = countEarly({
      creator,
      launchedAt: times.get(block) ?? 0,
      events: [...transfers, ...swaps].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex),
      isWallet: account => (types.get(account) ?? 'wallet') === 'wallet',
    })
    for (const { holder, classes } of own) {
      const names = EARLY_CLASSES.filter(name => expected[name].has(holder))
      expect([launchpad, address, holder, types.get(holder), classesOf(classes)]).toEqual([
        launchpad,
        address,
        holder,
        types.get(holder),
        names,
      ])
    }
    const sizes = EARLY_CLASSES.map(name => [name, own.filter(({ holder }) => expected[name].has(holder)).length] as const)
    counted.push({ launchpad, classes: Object.fromEntries(sizes) as Record<EarlyClass, number> })
  }
  return counted
}

const addressOf = (word: string) => toAddress(`0x${word.slice(-40)}`)

it('every class of every launchpad is as counted from the chain, through forks, and the same after a rebuild', async () => {
  const seen: Record<string, Record<string, number>> = {}
  for (const seed of [1, 2]) {
    for (const database of [indexed, fresh]) await database.clear()
    const forking = createForkingChain(createRandom(seed), DEPTH, undefined, undefined, tradeEarly)
    await grow(forking, seed)
    for (const { launchpad, classes } of await expectAsCounted(indexed, forking)) {
      for (const name of EARLY_CLASSES) (seen[launchpad] ??= {})[name] = (seen[launchpad]?.[name] ?? 0) + classes[name]
    }
    await indexAtOnce(fresh, forking.chain, forking.chain.head().header.number)
    expect(await dumpTables(indexed.kysely)).toEqual(await dumpTables(fresh.kysely))
  }
  expect(Object.keys(seen).toSorted()).toEqual(['clanker', 'clanker4', 'reference', 'zora'])
  for (const [launchpad, classes] of Object.entries(seen))
    for (const name of EARLY_CLASSES) expect([launchpad, name, (classes[name] ?? 0) > 0]).toEqual([launchpad, name, true])
})
