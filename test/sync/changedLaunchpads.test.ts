import { type Kysely, sql } from 'kysely'
import { expect, test } from 'vitest'
import type { LaunchpadConfig } from '#config'
import { createRandom, type Random } from '#devchain/traders/random.ts'
import type { Address, Hex } from '#domain/address.ts'
import { withSchema } from '#domain/databaseUrl.ts'
import { planLaunchpads } from '#launchpads/planLaunchpads.ts'
import { createAdapters } from '#launchpads/registry.ts'
import type { PairEvent } from '#resources/marketData.ts'
import type { LaunchpadsChange } from '#store/changeLaunchpads.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { readLateJoins } from '#store/latePairs.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { readFinality } from '#store/reads/marketData/finality.ts'
import { readPairEvents } from '#store/reads/marketData/pairEvents.ts'
import { readSequences } from '#store/rows/announcement.ts'
import { readQuoteCurrencies } from '#store/rows/quoteCurrencies.ts'
import { batchOf } from '#sync/fetch/span.ts'
import { toBytes } from '#tables/toBytes.ts'
import { clearTables, openOrm, silentLogger, type TestDatabase, useDatabase } from '#test/support/database.ts'
import { createForkingChain, type ForkingChain } from '#test/support/forkingChain.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { DOLLAR } from '#test/support/simulatedClanker.ts'
import {
  commitBatch,
  commitBlocks,
  indexAtOnce,
  LAUNCHPADS,
  type OpenedIndex,
  openIndex,
  openWriter,
  replaceWith,
  settle,
} from '#test/support/simulatedIndex.ts'
import { START_BLOCK, WETH } from '#test/support/simulatedLaunchpad.ts'
import { restoreDirectoryOf } from '#worker/restoreDirectory.ts'

/*
 * An index that follows its chain gets another list of launchpads: the new ones are indexed in a side index, up to a block below the cursor,
 * and join it. Reorgs come before and after. In the end every table is that of a fresh index of the last list.
 */

const DEPTH = 16
const SIDE = 'side'
const database = await useDatabase()
const fresh = await useDatabase()
const sideUrl = withSchema(database.url, SIDE)
await migrate(sideUrl, silentLogger)
const side = { orm: openOrm(sideUrl, { poolSize: 2 }) }

/** A part of the simulated launchpads, each of which may begin later. The pool that values a currency comes and goes like any other. */
function randomList(random: Random, chain: ForkingChain['chain']): readonly LaunchpadConfig[] {
  const late = Math.floor(chain.head().header.number / 3)
  const some = LAUNCHPADS.filter(() => random.chance(0.65)).map(entry =>
    random.chance(0.25) ? { ...entry, startBlock: START_BLOCK + random.integer(1, late) } : entry,
  )
  return some.length === 0 ? LAUNCHPADS.slice(0, 1) : some
}

const blocksOf = ({ chain }: ForkingChain, from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, above) => chain.at(from + above))

async function indexUpTo(index: OpenedIndex, forking: ForkingChain, from: number, ranged: number, to: number): Promise<void> {
  const [first, ...others] = blocksOf(forking, from, ranged)
  if (first !== undefined) await commitBatch(index, batchOf([first, ...others], 'range', index.directory, new Set()))
  for (const block of blocksOf(forking, Math.max(from, ranged + 1), to)) await commitBlocks(index, block)
}

/** Takes the index from one list to another at its cursor. @returns the index of the new list */
async function change(
  forking: ForkingChain,
  cursor: number,
  below: number,
  lists: { readonly before: readonly LaunchpadConfig[]; readonly after: readonly LaunchpadConfig[] },
  at: { readonly orm: TestDatabase['orm'] } = database,
): Promise<OpenedIndex> {
  const { before, after } = lists
  const genesisHash = forking.chain.at(0).header.hash
  const plan = planLaunchpads({ launchpads: before }, { launchpads: after }, await readQuoteCurrencies(database.kysely))
  const ancestor = cursor - below
  await clearTables(side.orm.em.getKysely<unknown>())
  if (plan.side.length > 0) {
    const sideIndex = await openIndex(side, { genesisHash, maxReorgDepth: 0, launchpads: plan.side })
    await indexUpTo(sideIndex, forking, sideIndex.directory.startBlock, ancestor - 3, ancestor)
    await settle(sideIndex, forking.chain.at(ancestor).header)
  }
  const leaving = new Set(plan.leaving)
  const joined = new Set(plan.joined)
  const adapters = createAdapters({ weth: WETH, launchpads: after })
  const directory = await restoreDirectoryOf(adapters, [
    {
      transaction: createTransaction(at.orm),
      launchpads: new Set(after.map(({ name }) => name).filter(name => !joined.has(name) && !leaving.has(name))),
    },
    { transaction: createTransaction(side.orm), launchpads: joined },
  ])
  const index = openWriter(at, { genesisHash, maxReorgDepth: DEPTH, launchpads: after }, directory)
  const known = directory.upTo(ancestor)
  const batches = blocksOf(forking, ancestor + 1, cursor).map(block => batchOf([block], 'live', known, new Set()))
  const wanted: LaunchpadsChange = {
    leaving: plan.leaving,
    joining: plan.side.length === 0 ? null : { schema: SIDE, names: plan.joined },
    launchpads: after,
    pegUsd: [],
  }
  await index.committer.change({ ancestor: forking.chain.at(ancestor).header, batches }, wanted)
  return index
}

/** What market-data sites are shown up to a block, of the pairs that are not late or of those of a join. */
async function shownUpTo(block: number, db: Kysely<unknown>, joined: number | null = null): Promise<readonly PairEvent[]> {
  // A job reads them from the chain.
  await sql`insert into currency (address, decimals, is_read)
    select quote_token, case quote_token when ${toBytes(DOLLAR)} then 6 else 18 end, true from pool group by quote_token
    on conflict (address) do update set decimals = excluded.decimals, is_read = true`.execute(db)
  const events = await readPairEvents(db, { fromBlock: 0, toBlock: block }, 1e6, joined)
  if (typeof events === 'string') throw new Error(events)
  return events
}

const pairs = async () => {
  const { rows } = await sql<{ pool: Hex }>`select pool from pool_creation`.execute(database.kysely)
  return new Set(rows.map(({ pool }) => pool))
}

async function sequencesOf(): Promise<ReadonlyMap<Address, number>> {
  const { rows } = await sql<{ address: Address }>`select address from token`.execute(database.kysely)
  return readSequences(
    database.kysely,
    rows.map(({ address }) => address),
  )
}

const SEEDS = Array.from(
  { length: Number(process.env['CHANGE_SEEDS'] ?? 4) },
  (_, index) => Number(process.env['CHANGE_SEED'] ?? 1) + index,
)

test.each(SEEDS)('any change of the list ends in the tables of a fresh index of the last list, seed %i', async seed => {
  await database.clear()
  await fresh.clear()
  const random = createRandom(seed)
  const forking = createForkingChain(random, DEPTH)
  forking.mine(random.integer(30, 60))
  let head = forking.chain.head().header.number
  let list = randomList(random, forking.chain)
  const genesisHash = forking.chain.at(0).header.hash
  let index = await openIndex(database, { genesisHash, maxReorgDepth: DEPTH, launchpads: list })
  await indexUpTo(index, forking, index.directory.startBlock, head - DEPTH - 4, head)
  for (let round = 0; round < 3; round++) {
    const after = randomList(random, forking.chain)
    const before = await sequencesOf()
    // After a change only the blocks above its ancestor can be undone.
    const below = random.integer(round === 0 ? 0 : 1, 5)
    const final = (await readFinality(database.kysely))?.number ?? 0
    const shown = await shownUpTo(final, database.kysely)
    index = await change(forking, head, below, { before: list, after })
    // Sites have asked for these blocks. Only what is gone may be missing.
    const stay = await pairs()
    expect(await shownUpTo(final, database.kysely)).toEqual(shown.filter(({ pair }) => stay.has(pair)))
    list = after
    for (const [token, sequence] of await sequencesOf()) expect(sequence).toBeGreaterThanOrEqual(before.get(token) ?? 0)

    const depth = random.integer(0, below)
    if (depth > 0) {
      const { added } = forking.fork(depth, 1)
      const ancestor = head - depth
      const known = index.directory.upTo(ancestor)
      const batches = added.map(block => batchOf([block], 'live', known, new Set()))
      await replaceWith(index, { ancestor: forking.chain.at(ancestor).header, batches })
      head = forking.chain.head().header.number
    }
    const more = random.integer(6, 9)
    forking.mine(more)
    await indexUpTo(index, forking, head + 1, 0, head + more)
    head += more
  }
  await settle(index, forking.chain.at(head).header)
  await indexAtOnce(fresh, forking.chain, head, list)
  expect(await dumpTables(database.kysely)).toEqual(await dumpTables(fresh.kysely))
  // All that sites are not shown with the others, they are shown apart.
  const joins = [null, ...(await readLateJoins(database.kysely)).map(({ block }) => block)]
  const parts = await Promise.all(joins.map(joined => shownUpTo(head, database.kysely, joined)))
  const inOrder = (events: readonly PairEvent[]) => events.map(event => JSON.stringify(event)).toSorted()
  expect(inOrder(parts.flat())).toEqual(inOrder(await shownUpTo(head, fresh.kysely)))
})
