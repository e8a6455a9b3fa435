import { afterAll, expect, it } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import { ACCOUNTS_FOR_TRADERS, createTraders } from '#devchain/traders.ts'
import { startTestChain } from '#test/support/chain.ts'
import { type TestDatabase, useDatabase } from '#test/support/database.ts'
import { relayTo, startFakeProvider } from '#test/support/fakeProvider.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { startSync } from '#test/support/startSync.ts'

const BACKFILLED = 130
const FOLLOWED = 10

const indexed = await useDatabase()
const expected = await useDatabase()

const chain = await startTestChain({ accounts: ACCOUNTS_FOR_TRADERS })
const traders = await createTraders({ chain, random: createRandom(20) })
for (let count = 0; count < BACKFILLED; count++) await traders.block(8)
afterAll(() => chain?.stop())

const startIndexing = (database: TestDatabase, urls: readonly string[]) => {
  const { launchpad, startBlock } = chain.deployment
  const launchpads = [{ name: 'reference', adapter: 'bonding-curve', startBlock, contracts: { factory: launchpad } }]
  return startSync(chain, database, { urls, launchpads, maxReorgDepth: 0 })
}

it('fills the tables as indexing every block by hand does, over a provider that fails now and then, and through a restart', async () => {
  const flaky = await startFakeProvider({ chain: relayTo(chain.anvil.url) })
  // Not while a service starts: what its first questions meet there is another test's subject.
  const fails = () => flaky.setMisbehaviour(() => (flaky.requests() % 7 === 0 ? { kind: 'reset' } : undefined))
  const first = await startIndexing(indexed, [flaky.url])
  fails()
  await expect.poll(() => first.blocks.length, { interval: 5 }).toBeGreaterThan(5)
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
  expect(first.blocks[0]?.number).toBeGreaterThan(chain.deployment.startBlock)

  const byHand = await openChainIndex(chain, expected)
  await byHand.indexEach(chain.deployment.startBlock)
  const tables = await dumpTables(expected.kysely)
  expect(tables['trade']?.length).toBeGreaterThan(200)
  expect(await dumpTables(indexed.kysely)).toEqual(tables)
})
