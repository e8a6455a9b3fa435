import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import type { Address } from '#domain/address.ts'
import { withSchema } from '#domain/databaseUrl.ts'
import { hasCode } from '#errors'
import { isServedSchema, readServedSchema } from '#store/connection/databaseSchema.ts'
import { holdSessionLock, LOCKS } from '#store/connection/sessionLock.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { readChannelEvents } from '#store/reads/channelEvents.ts'
import { readSequences } from '#store/rows/announcement.ts'
import { switchSchema } from '#store/switchSchema.ts'
import { clearTables, openOrm, silentLogger, useDatabase } from '#test/support/database.ts'
import { createForkingChain, type ForkingChain } from '#test/support/forkingChain.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { commitBlocks, indexAtOnce, type OpenedIndex, openIndex } from '#test/support/simulatedIndex.ts'

const HEAD = 20
const DEPTH = 8
/** What was final in the served index at the switch. */
const database = await useDatabase()
const plain = new URL(database.url)
// The address of the tests' server sets the search_path, which is the subject here.
plain.searchParams.delete('options')
const url = plain.href
await migrate(withSchema(url, 'next'), silentLogger)
const orms = { main: openOrm(withSchema(url, 'public'), { poolSize: 2 }), next: openOrm(withSchema(url, 'next'), { poolSize: 2 }) }
let forking: ForkingChain
let served: Opened
let next: Opened

interface Opened {
  readonly orm: ReturnType<typeof openOrm>
  readonly index: OpenedIndex
}

beforeEach(async () => {
  for (const orm of Object.values(orms)) await clearTables(orm.em.getKysely<unknown>())
  await sql`comment on table public.block_undo is null; comment on table next.block_undo is null`.execute(database.kysely)
  forking = createForkingChain(createRandom(7), 64)
  forking.mine(HEAD)
  served = await open('main')
  next = await open('next')
})

const db = ({ orm }: Opened) => orm.em.getKysely<unknown>()
const sequencesOf = async (opened: Opened) => {
  const { rows } = await sql<{ address: Address }>`select address from token`.execute(db(opened))
  return readSequences(
    db(opened),
    rows.map(({ address }) => address),
  )
}

test('an index in a schema of its own is row for row one in a database of its own, and leaves the other alone', async () => {
  await follow(served, 1, HEAD)
  const before = await dumpTables(db(served))
  await follow(next, 1, HEAD)
  expect(await dumpTables(db(next))).toEqual(before)
  expect(await dumpTables(db(served))).toEqual(before)
})

test('both indexes have a writer’s lock of their own', async () => {
  const hold = (schema: string | null) =>
    holdSessionLock({
      url: withSchema(url, schema),
      key: LOCKS.writer,
      applicationName: 'test-lock',
      what: 'the lock',
      logger: silentLogger,
    })
  const held = [await hold(null), await hold('next')]
  expect(held.map(({ lock }) => lock !== null)).toEqual([true, true])
  expect((await hold('public')).lock).toBeNull()
  for (const { lock } of held) await lock?.release()
})

// Before the first switch of a database no index has the mark, and each took itself for the served one: both sent all webhooks.
test('one index is the served one, also before the first switch', async () => {
  const areServed = async () => [await isServedSchema(db(served)), await isServedSchema(db(next))]
  expect(await areServed()).toEqual([true, false])
  await follow(served, 1, 2)
  await follow(next, 1, 2)
  await switchSchema(url, 'next', silentLogger)
  expect(await areServed()).toEqual([false, true])
})

test('after a switch every sequence is above the earlier one, and the earlier writer can’t commit', async () => {
  // The new index is older: its sequences are lower.
  await follow(next, 1, HEAD)
  await follow(served, 1, HEAD)
  await sql`update token set sequence = sequence + 1000000`.execute(db(served))
  const before = await sequencesOf(served)
  expect(before.size).toBeGreaterThan(3)
  expect(await switchSchema(url, 'next', silentLogger)).toEqual({ from: 'public', block: HEAD })
  const after = await sequencesOf(next)
  for (const [token, sequence] of before) expect(after.get(token)).toBeGreaterThan(sequence)
  expect(await readServedSchema(db(served))).toBe('next')
  forking.mine(1)
  const late = follow(served, HEAD + 1, HEAD + 1)
  await expect(late).rejects.toSatisfy((error: unknown) => hasCode(error, 'database_taken'))
  await follow(next, HEAD + 1, HEAD + 1)
  // A session without a schema of its own gets the served one.
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(openOrm(url).em.getKysely<unknown>())
  expect(rows).toEqual([{ schema: 'next' }])
})

test('the switched index is still that of its chain', async () => {
  await follow(served, 1, HEAD)
  await follow(next, 1, HEAD)
  await switchSchema(url, 'next', silentLogger)
  const fresh = await useDatabase()
  await indexAtOnce(fresh, forking.chain, HEAD)
  const ofTokens = async (from: Parameters<typeof dumpTables>[0]) => (await dumpTables(from))['token']
  expect(await ofTokens(db(next))).toEqual(await ofTokens(fresh.kysely))
})

test('a position that the earlier index gave goes on in the new one: nothing twice, nothing left out', async () => {
  await follow(served, 1, HEAD)
  await follow(next, 1, HEAD)
  await sql`insert into reorg (number, from_block) values (1, 2), (2, 3), (3, 4)`.execute(db(next))
  await sql`insert into reorg (number, from_block) values (1, 5)`.execute(db(served))
  const read = (opened: Opened, after: { reorgs: number; place: { blockNumber: number; logIndex: number } } | null) =>
    readChannelEvents(db(opened), { channel: 'trades', after, through: null, limit: 1_000 }, 1)
  const { newest, reorgs } = await read(served, null)
  await switchSchema(url, 'next', silentLogger)
  forking.mine(3)
  await follow(next, HEAD + 1, HEAD + 3)
  const { rows } = await sql<{ trades: number }>`select count(*)::integer as trades from trade where block_number > ${HEAD}`.execute(
    db(next),
  )
  const continued = await read(next, { reorgs, place: newest })
  expect(continued.events.map(({ place }) => place.blockNumber).filter(number => number <= HEAD)).toEqual([])
  expect(continued.events).toHaveLength(rows[0]?.trades ?? -1)
  expect(continued.reorgs).toBeGreaterThanOrEqual(3)
})

describe('refuses', () => {
  test('a schema without an index', async () => {
    await expect(switchSchema(url, 'other', silentLogger)).rejects.toThrow('There is no index in schema other. SCHEMA=other npm start')
  })

  test('an index that is far behind', async () => {
    await follow(served, 1, HEAD)
    await sql`update chain_state set cursor_number = 5000`.execute(db(served))
    await follow(next, 1, 2)
    await expect(switchSchema(url, 'next', silentLogger)).rejects.toThrow(
      'The index in schema next is 4998 blocks behind the one in public',
    )
    expect(await readServedSchema(db(served))).toBe('public')
  })

  test('an index of another chain', async () => {
    await sql`update chain_state set chain_id = 2`.execute(db(next))
    await expect(switchSchema(url, 'next', silentLogger)).rejects.toThrow('is of another chain')
  })
})

test('the schema that is served already stays so', async () => {
  await follow(served, 1, 2)
  expect(await switchSchema(url, 'public', silentLogger)).toEqual({ from: 'public', block: 2 })
})

async function open(writer: keyof typeof orms): Promise<Opened> {
  const orm = orms[writer]
  return { orm, index: await openIndex({ orm }, { genesisHash: forking.chain.at(0).header.hash, maxReorgDepth: DEPTH, writer }) }
}

async function follow({ index }: Opened, from: number, to: number): Promise<void> {
  for (let number = from; number <= to; number++) await commitBlocks(index, forking.chain.at(number))
}
