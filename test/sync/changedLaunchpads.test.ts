import { isDeepStrictEqual } from 'node:util'
import { type Kysely, sql } from 'kysely'
import { expect, test } from 'vitest'
import type { LaunchpadConfig } from '#config'
import { createRandom, type Random } from '#devchain/traders/random.ts'
import type { Hex } from '#domain/address.ts'
import { withSchema } from '#domain/databaseUrl.ts'
import { type LaunchpadsPlan, planLaunchpads } from '#launchpads/planLaunchpads.ts'
import { createAdapters } from '#launchpads/registry.ts'
import type { PairEvent } from '#resources/marketData.ts'
import { copyAhead, type LaunchpadsChange } from '#store/changeLaunchpads.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { readPairEvents } from '#store/reads/marketData.ts'
import { readFinality } from '#store/reads/page.ts'
import { readQuoteCurrencies } from '#store/rows/currencies.ts'
import { readRecentBlocks } from '#store/rows/cursor.ts'
import { readListInForce } from '#store/rows/listInForce.ts'
import { batchOf } from '#sync/prefetch.ts'
import { batchesOf } from '#sync/replacement.ts'
import { toBytes } from '#tables/columns.ts'
import { clearTables, openOrm, silentLogger, useDatabase } from '#test/support/database.ts'
import { createDeaths, type Deaths } from '#test/support/deaths.ts'
import { createDoubtfulClient } from '#test/support/doubtfulClient.ts'
import { createForkingChain, type ForkingChain } from '#test/support/forkingChain.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { createSeeds } from '#test/support/seeds.ts'
import { DOLLAR } from '#test/support/simulatedClanker.ts'
import {
  commitBatch,
  commitBlocks,
  cursorOf,
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
 * and join it. Reorgs come before and after. Processes are killed within their transactions, and others go on with what is in the database.
 * In the end every table is that of a fresh index of the last list, and a client has seen no sequence fall and no trade twice.
 */

const DEPTH = 16
const SIDE = 'side'
const [database, fresh] = [await useDatabase(), await useDatabase()]
const sideUrl = withSchema(database.url, SIDE)
await migrate(sideUrl, silentLogger)
const side = { orm: openOrm(sideUrl, { poolSize: 2 }) }

const { list: seeds } = createSeeds({ count: 'CHANGE_SEEDS', seed: 'CHANGE_SEED', failures: 'CHANGE_FAILURES', usual: 4, kept: [] })

test.each(seeds)('any change of the list ends in the tables of a fresh index of the last list, seed %i', async seed => {
  await database.clear()
  await fresh.clear()
  const random = createRandom(seed)
  const forking = createForkingChain(random, DEPTH)
  forking.mine(random.integer(30, 60))
  let head = forking.chain.head().header.number
  let list = randomList(random, forking.chain)
  const genesisHash = forking.chain.at(0).header.hash
  const deaths = createDeaths(random)
  const look = createDoubtfulClient(database.kysely)
  /** A process that starts: it follows the list that it finds. */
  const open = async () => {
    const stored = await sql`select from chain_state`.execute(database.kysely)
    const launchpads = stored.rows.length === 0 ? list : (await readListInForce(database.kysely)).launchpads
    return openIndex(database, { genesisHash, maxReorgDepth: DEPTH, launchpads, around: deaths.around })
  }
  let index = await indexUpTo(deaths, forking, open, { db: database.kysely, ranged: head - DEPTH - 4, to: head })
  /** Repeats a step, in new processes, until it is done. */
  const until = async (isDone: () => Promise<boolean>, step: () => Promise<unknown>): Promise<void> => {
    while (!(await isDone())) if (!(await deaths.survives(step))) index = await open()
    await look()
  }
  await look()
  for (let round = 0; round < 3; round++) {
    // What is only added is copied while the index goes on.
    const others = LAUNCHPADS.filter(({ name }) => !list.some(known => known.name === name))
    const after = round === 0 ? [...list, ...others] : randomList(random, forking.chain)
    // After a change only the blocks above its ancestor can be undone.
    const below = random.integer(round === 0 ? 0 : 1, 5)
    const final = (await readFinality(database.kysely))?.number ?? 0
    const before = head
    head += random.integer(1, 3)
    forking.mine(head - before)
    const followed = async () => {
      const cursor = await cursorOf(database.kysely)
      await commitUpTo(index, forking, (cursor?.number ?? before) + 1, 0, head)
    }
    const place = { cursor: head, ancestor: before - below, followed }
    const plan = await prepareSide(deaths, forking, place.ancestor, { before: list, after })
    const stays = list.filter(({ name }) => !plan.leaving.includes(name) && !plan.joined.includes(name))
    const shown = await shownUpTo(final, database.kysely, stays)
    const isChanged = async () => isDeepStrictEqual((await readListInForce(database.kysely)).launchpads, after)
    await until(isChanged, async () => {
      index = await change(deaths, forking, place, { plan, after })
    })
    // Sites have asked for these blocks of these launchpads.
    expect(await shownUpTo(final, database.kysely, stays)).toEqual(shown)
    list = after

    const places = (await readRecentBlocks(database.kysely, head - place.ancestor + 1)).filter(({ mergedWithNext }) => !mergedWithNext)
    const ancestor = random.pick(places).number
    const depth = head - ancestor
    if (depth > 0) {
      const { added } = forking.fork(depth, 1)
      const newest = forking.chain.head().header
      const isReplaced = async () => (await cursorOf(database.kysely))?.hash === newest.hash
      await until(isReplaced, () => {
        const known = index.directory.upTo(ancestor)
        const batches = added.map(block => batchOf([block], 'live', known, new Set()))
        return replaceWith(index, { ancestor: forking.chain.at(ancestor).header, batches })
      })
      head = newest.number
    }
    const more = random.integer(6, 9)
    forking.mine(more)
    head += more
    const reached = index
    let isFirst = true
    const goOn = async () => (isFirst ? ((isFirst = false), reached) : open())
    index = await indexUpTo(deaths, forking, goOn, { db: database.kysely, ranged: 0, to: head })
    await look()
  }
  await settle(index, forking.chain.at(head).header)
  await indexAtOnce(fresh, forking.chain, head, list)
  expect(await dumpTables(database.kysely)).toEqual(await dumpTables(fresh.kysely))
  expect(await shownUpTo(head, database.kysely, list)).toEqual(await shownUpTo(head, fresh.kysely, list))
})

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

async function commitUpTo(index: OpenedIndex, forking: ForkingChain, from: number, ranged: number, to: number): Promise<void> {
  const [first, ...others] = blocksOf(forking, from, ranged)
  if (first !== undefined) await commitBatch(index, batchOf([first, ...others], 'range', index.directory, new Set()))
  for (const block of blocksOf(forking, Math.max(from, ranged + 1), to)) await commitBlocks(index, block)
}

/** Indexes up to a block in as many processes as it takes. @returns the last one's index */
async function indexUpTo(deaths: Deaths, forking: ForkingChain, open: () => Promise<OpenedIndex>, at: Indexed): Promise<OpenedIndex> {
  for (;;) {
    const index = await open()
    const cursor = await cursorOf(at.db)
    const from = (cursor?.number ?? index.directory.startBlock - 1) + 1
    if (await deaths.survives(() => commitUpTo(index, forking, from, at.ranged, at.to))) return index
  }
}

interface Indexed {
  readonly db: Kysely<unknown>
  readonly ranged: number
  readonly to: number
}

interface Lists {
  readonly before: readonly LaunchpadConfig[]
  readonly after: readonly LaunchpadConfig[]
}

/** Indexes what joins. @returns what is to be changed at the block */
async function prepareSide(deaths: Deaths, forking: ForkingChain, ancestor: number, { before, after }: Lists): Promise<LaunchpadsPlan> {
  const genesisHash = forking.chain.at(0).header.hash
  const plan = planLaunchpads({ launchpads: before }, { launchpads: after }, await readQuoteCurrencies(database.kysely))
  const db = side.orm.em.getKysely<unknown>()
  await clearTables(db)
  if (plan.side.length > 0) {
    const open = () => openIndex(side, { genesisHash, maxReorgDepth: 0, launchpads: plan.side, around: deaths.around })
    const index = await indexUpTo(deaths, forking, open, { db, ranged: ancestor - 3, to: ancestor })
    await settle(index, forking.chain.at(ancestor).header)
  }
  return plan
}

interface Place {
  /** The blocks above are undone and applied again. */
  readonly ancestor: number
  /** Where the index stands once it is stopped. */
  readonly cursor: number
  /** Commits what the index follows while rows are copied. */
  readonly followed: () => Promise<unknown>
}

/** Takes the index at its cursor to the new list. @returns the index of that list */
async function change(
  { around }: Deaths,
  forking: ForkingChain,
  { cursor, ancestor, followed }: Place,
  { plan, after }: { readonly plan: LaunchpadsPlan; readonly after: readonly LaunchpadConfig[] },
): Promise<OpenedIndex> {
  const leaving = new Set(plan.leaving)
  const joined = new Set(plan.joined)
  const adapters = createAdapters({ weth: WETH, launchpads: after })
  const directory = await restoreDirectoryOf(adapters, [
    {
      transaction: createTransaction(database.orm),
      launchpads: new Set(after.map(({ name }) => name).filter(name => !joined.has(name) && !leaving.has(name))),
    },
    { transaction: createTransaction(side.orm), launchpads: joined },
  ])
  const genesisHash = forking.chain.at(0).header.hash
  const index = openWriter(database, { genesisHash, maxReorgDepth: DEPTH, launchpads: after, around }, directory)
  const known = directory.upTo(ancestor)
  const blocks = blocksOf(forking, ancestor + 1, cursor)
  const announced = new Set<Hex>()
  const batches = [blocks.slice(0, -3), blocks.slice(-3)].flatMap((some, part) => batchesOf(some, part === 1, known, announced))
  const wanted: LaunchpadsChange = {
    leaving: plan.leaving,
    joining: plan.side.length === 0 ? null : { schema: SIDE, names: plan.joined },
    launchpads: after,
    pegUsd: [],
  }
  const replacement = { ancestor: forking.chain.at(ancestor).header, batches }
  await around(createTransaction(database.orm))(async tx => {
    await copyAhead(tx, wanted)
    await followed()
    await index.committer.change(tx, wanted, replacement)
  })
  return index
}

/** What market-data sites are shown up to a block, launchpad by launchpad. */
async function shownUpTo(
  block: number,
  db: Kysely<unknown>,
  launchpads: readonly LaunchpadConfig[],
): Promise<readonly (readonly PairEvent[])[]> {
  // A job reads them from the chain.
  await sql`insert into currency (address, decimals, is_read)
    select quote_token, case quote_token when ${toBytes(DOLLAR)} then 6 else 18 end, true from pool group by quote_token
    on conflict (address) do update set decimals = excluded.decimals, is_read = true`.execute(db)
  return Promise.all(
    launchpads.map(async ({ name }) => {
      const events = await readPairEvents(db, name, { fromBlock: 0, toBlock: block }, 1e6)
      if (typeof events === 'string') throw new Error(events)
      return events
    }),
  )
}
