import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import { createRandom } from '#devchain/traders/random.ts'
import type { Address } from '#domain/address.ts'
import { withSchema } from '#domain/databaseUrl.ts'
import { holdSessionLock, LOCKS } from '#store/connection/sessionLock.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { rewind } from '#store/rewind.ts'
import { readBlockTimes } from '#store/rows/cursor.ts'
import { createChainRpc } from '#test/support/chainRpc.ts'
import { openOrm, silentLogger, useDatabase } from '#test/support/database.ts'
import { createForkingChain, type ForkingChain } from '#test/support/forkingChain.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { commitBlocks, cursorOf, indexAtOnce, type OpenedIndex, openIndex } from '#test/support/simulatedIndex.ts'
import { findWrongBlock, wrongBlockSentence } from '#worker/openIndexing.ts'

const database = await useDatabase()
const fresh = await useDatabase()
const HEAD = 30
const UNDOABLE = 16
let forking: ForkingChain

beforeEach(async () => {
  await database.clear()
  await fresh.clear()
  forking = createForkingChain(createRandom(5), 64)
  forking.mine(HEAD)
  await follow(await open(), 1)
})

const open = () => openIndex(database, { genesisHash: forking.chain.at(0).header.hash, maxReorgDepth: UNDOABLE })

async function follow(index: OpenedIndex, from: number): Promise<void> {
  for (let number = from; number <= HEAD; number++) await commitBlocks(index, forking.chain.at(number))
}

async function sequences(): Promise<ReadonlyMap<Address, number>> {
  const { rows } = await sql<{ address: Address; sequence: number }>`select address, sequence from token`.execute(database.kysely)
  return new Map(rows.map(({ address, sequence }) => [address, sequence]))
}

async function filledTables(): Promise<readonly string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' order by tablename`.execute(database.kysely)
  const filled = tables.map(async ({ name }) =>
    (await sql`select from ${sql.table(name)} limit 1`.execute(database.kysely)).rows.length > 0 ? [name] : [],
  )
  return (await Promise.all(filled)).flat()
}

it.each([
  ['a block that can be undone', 20, 19],
  ['all blocks', 'start', 0],
] as const)('goes back to %s, and what is indexed anew is right and newer', async (_, target, kept) => {
  const before = await sequences()
  const cursor = await rewind(database.url, target, silentLogger)
  expect(cursor?.number ?? 0).toBe(kept)
  if (kept > 0) {
    await indexAtOnce(fresh, forking.chain, kept)
    expect(await dumpTables(database.kysely)).toEqual(await dumpTables(fresh.kysely))
    await fresh.clear()
  } else expect(await filledTables()).toEqual(['chain_state', 'currency', 'dropped_token', 'metadata', 'mikro_orm_migrations', 'reorg'])

  await follow(await open(), kept + 1)
  await indexAtOnce(fresh, forking.chain, HEAD)
  expect(await dumpTables(database.kysely)).toEqual(await dumpTables(fresh.kysely))
  for (const [token, sequence] of await sequences()) expect(sequence).toBeGreaterThanOrEqual(before.get(token) ?? 0)
})

// The start and `db:check` named a block in the middle of a commit, and `db:rewind` refused it.
it('goes back to before all blocks of a commit, as a service makes it while it catches up', async () => {
  await database.clear()
  const index = await open()
  const blocks = Array.from({ length: HEAD }, (_, n) => forking.chain.at(n + 1))
  for (const block of blocks.slice(0, 20)) await commitBlocks(index, block)
  await commitBlocks(index, ...blocks.slice(20, 25))
  await follow(index, 26)
  await expect(rewind(database.url, 23, silentLogger)).resolves.toMatchObject({ number: 20 })
  await follow(await open(), 21)
  await indexAtOnce(fresh, forking.chain, HEAD)
  expect(await dumpTables(database.kysely)).toEqual(await dumpTables(fresh.kysely))
})

it('removes a side index with blocks that are undone, and leaves an older one', async () => {
  const sideUrl = withSchema(database.url, 'public_side')
  await migrate(sideUrl, silentLogger)
  const side = openOrm(sideUrl, { poolSize: 1 })
  await indexAtOnce({ orm: side }, forking.chain, 22)
  const exists = async () => (await sql`select from pg_namespace where nspname = 'public_side'`.execute(database.kysely)).rows.length === 1
  await rewind(database.url, 23, silentLogger)
  expect(await exists()).toBe(true)
  await rewind(database.url, 22, silentLogger)
  expect(await exists()).toBe(false)
})

it('keeps the index where the block is not indexed yet', async () => {
  await expect(rewind(database.url, HEAD + 5, silentLogger)).resolves.toMatchObject({ number: HEAD })
  expect(await cursorOf(database.kysely)).toMatchObject({ number: HEAD })
})

it('refuses a block whose before-images are gone, and names the oldest one', async () => {
  const dump = await dumpTables(database.kysely)
  await expect(rewind(database.url, 5, silentLogger)).rejects.toMatchObject({
    code: 'reorg_too_deep',
    message: `Block 5 can't be undone. The oldest block to which the index can go back is ${HEAD - UNDOABLE + 1}; start undoes all of them.`,
  })
  expect(await dumpTables(database.kysely)).toEqual(dump)
  await expect(rewind(database.url, HEAD - UNDOABLE + 1, silentLogger)).resolves.toMatchObject({ number: HEAD - UNDOABLE })
})

it('refuses while a service indexes into the database', async () => {
  const input = { url: database.url, key: LOCKS.writer, applicationName: 'test', what: 'the test', logger: silentLogger }
  const { lock } = await holdSessionLock(input)
  await expect(rewind(database.url, 20, silentLogger)).rejects.toMatchObject({ code: 'database_taken' })
  await lock?.release()
  expect(await cursorOf(database.kysely)).toMatchObject({ number: HEAD })
})

it('is told to the operator for the first block that is stored with a wrong time', async () => {
  const source = createChainSource({ rpc: createChainRpc([forking.chain]) })
  const stored = () => readBlockTimes(database.kysely, 0, 1_000)
  expect(await stored()).toHaveLength(HEAD)
  await expect(stored().then(blocks => findWrongBlock(source, blocks))).resolves.toBeNull()
  const { timestamp } = forking.chain.at(22).header
  for (const [table, column] of [
    ['block', 'number'],
    ['trade', 'block_number'],
  ] as const) {
    await sql`update ${sql.table(table)} set timestamp = timestamp + 3600 where ${sql.ref(column)} between 22 and 24`.execute(
      database.kysely,
    )
  }
  const wrong = await findWrongBlock(source, await stored())
  expect(wrong === null ? null : wrongBlockSentence(wrong)).toBe(
    `Block 22 is stored with the time ${timestamp + 3_600}, and the chain shows ${timestamp}. ` +
      'Stop the service and run: npm run db:rewind -- 22',
  )
})

it.each([
  [[], 1, 'usage: npm run db:rewind'],
  [['-5'], 1, 'usage: npm run db:rewind'],
  [['5'], 1, "Block 5 can't be undone."],
  [['20'], 0, 'The newest indexed block is 19 now.'],
  [['start'], 0, 'Nothing is indexed now.'],
])('is npm run db:rewind -- %s', async (args, code, text) => {
  const env = { PATH: process.env['PATH'], DATABASE_URL: database.url, LOG_LEVEL: 'silent' }
  const ended = await promisify(execFile)(process.execPath, ['src/commands/dbRewind.ts', ...args], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({ code: error.code, output: error.stdout + error.stderr }),
  )
  expect(ended).toEqual({ code, output: expect.stringContaining(text) })
})
