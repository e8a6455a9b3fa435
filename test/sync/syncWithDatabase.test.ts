import { afterAll, beforeAll, expect, it } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import { createRandom } from '#devchain/traders/random.ts'
import { ACCOUNTS_FOR_TRADERS, createTraders, type Traders } from '#devchain/traders.ts'
import { createAdapters } from '#launchpads/registry.ts'
import { createRpc } from '#rpc/rpc.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { claimDatabase } from '#store/rows/cursor.ts'
import { readWatchRows } from '#store/rows/watchRows.ts'
import { createCommitter } from '#sync/committer.ts'
import { createSync } from '#sync/sync.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { silentLogger, type TestDatabase, useDatabase } from '#test/support/database.ts'
import { relayTo, startFakeProvider } from '#test/support/fakeProvider.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { restoreDirectory } from '#worker/restoreDirectory.ts'

const BACKFILLED = 130
const FOLLOWED = 10

const indexed = await useDatabase()
const expected = await useDatabase()
let chain: TestChain
let traders: Traders

beforeAll(async () => {
  chain = await startTestChain({ accounts: ACCOUNTS_FOR_TRADERS })
  traders = await createTraders({ chain, random: createRandom(20) })
  for (let count = 0; count < BACKFILLED; count++) await traders.block(8)
})
afterAll(() => chain?.stop())

/** An indexer as the service builds it. */
async function startIndexing(database: TestDatabase, urls: readonly string[]) {
  const { chainId, weth, launchpad, startBlock } = chain.deployment
  const launchpads = [{ name: 'reference', adapter: 'bonding-curve', startBlock, contracts: { factory: launchpad } }]
  const rpc = createRpc({ urls, chainId, logger: silentLogger, timeoutMs: 2_000 })
  await rpc.connect()
  const source = createChainSource({ rpc })
  const genesisHash = (await source.header(0)).hash
  await claimDatabase(database.kysely, { chainId, genesisHash, weth, launchpads }, 'test')
  const adapters = createAdapters({ weth, launchpads })
  const directory = restoreDirectory(adapters, await readWatchRows(database.kysely))
  const committer = createCommitter({
    transaction: createTransaction(database.orm),
    db: database.orm.em.getKysely<unknown>(),
    chainId,
    writer: 'test',
    weth,
    adapters,
    directory,
    maxReorgDepth: 0,
    isWatched: () => true,
    ethUsd: () => null,
    now: () => performance.now(),
    logger: silentLogger,
  })
  const sync = createSync({
    rpc,
    source,
    committer,
    watchlist: directory,
    genesisHash,
    maxReorgDepth: 0,
    confirmations: 0,
    logger: silentLogger,
  })
  const numbers: number[] = []
  sync.blocks.subscribe(({ number }) => numbers.push(number))
  const stop = async () => {
    await sync.stop()
    rpc.close()
  }
  return { sync, numbers, stop }
}

it('fills the tables as indexing every block by hand does, over a provider that fails now and then, and through a restart', async () => {
  const flaky = await startFakeProvider({ chain: relayTo(chain.anvil.url) })
  // Not while a service starts: what its first questions meet there is another test's subject.
  const fails = () => flaky.setMisbehaviour(() => (flaky.requests() % 7 === 0 ? { kind: 'reset' } : undefined))
  const first = await startIndexing(indexed, [flaky.url])
  fails()
  await expect.poll(() => first.numbers.length, { interval: 5 }).toBeGreaterThan(5)
  await first.stop()

  flaky.setMisbehaviour(() => undefined)
  const second = await startIndexing(indexed, [flaky.url])
  fails()
  for (let count = 0; count < FOLLOWED; count++) await traders.block(8)
  const head = await chain.head()
  await expect.poll(() => second.sync.view.state().indexedBlock, { interval: 20 }).toBe(head)
  await second.stop()
  await flaky.stop()
  // A range ahead of what is followed, then block by block.
  expect(first.numbers[0]).toBeGreaterThan(chain.deployment.startBlock)

  const byHand = await openChainIndex(chain, expected)
  await byHand.indexEach(chain.deployment.startBlock)
  const tables = await dumpTables(expected.kysely)
  expect(tables['trade']?.length).toBeGreaterThan(200)
  expect(await dumpTables(indexed.kysely)).toEqual(tables)
})
