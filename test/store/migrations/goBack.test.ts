import { sql } from 'kysely'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import { withSchema } from '#domain/databaseUrl.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { readFinality } from '#store/reads/page.ts'
import { addMigration } from '#test/support/addMigration.ts'
import { silentLogger, type TestDatabase, useDatabase } from '#test/support/database.ts'
import { createForkingChain, type ForkingChain } from '#test/support/forkingChain.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { commitBlocks, cursorOf, indexAtOnce, openIndex, settle } from '#test/support/simulatedIndex.ts'

/* A database is left by an earlier version, the chain is replaced, and this version migrates the database and goes on. */

const HEAD = 112
const UNDOABLE = 104
const FINAL = HEAD - UNDOABLE
/** Indexed once, for every test to copy. */
const base = await useDatabase()

beforeAll(async () => {
  await follow(base, grow(), 1, HEAD)
  await base.orm.close(true)
})

const CHANGES = changesByKind()
const cases = Object.keys(CHANGES).flatMap((kind, at) =>
  (at === 0 || at === 2 ? [1, 3, 100] : [[100, 3, 1][at % 3] ?? 1]).map(depth => [kind, depth] as const),
)

describe('after an upgrade', () => {
  it.each(cases)('with %s, a reorg of %i blocks leaves what a fresh index has', async (kind, depth) => {
    const { before = [], migration } = CHANGES[kind] ?? expect.unreachable()
    const database = await useDatabase({ copyOf: base })
    const fresh = await useDatabase()
    for (const statement of before) await sql.raw(statement).execute(database.kysely)
    const sequences = await readSequences(database)
    onTestFinished(addMigration(migration))
    const forking = grow()
    forking.fork(depth, 2)

    expect((await migrate(database.url, silentLogger)).length).toBeGreaterThan(0)
    // What was final stays final, and nothing else is.
    expect(await cursorOf(database.kysely)).toMatchObject({ number: FINAL })
    expect(await readFinality(database.kysely)).toMatchObject({ number: FINAL })
    const { rows: reorgs } = await sql`select number, from_block from reorg`.execute(database.kysely)
    expect(reorgs).toEqual([{ number: 1, from_block: FINAL + 1 }])
    if (before.length === 0) await migrate(fresh.url, silentLogger)
    const head = forking.chain.head().header.number
    await follow(database, forking, FINAL + 1, head)
    await indexAtOnce(fresh, forking.chain, head)
    expect(await dumpTables(database.kysely)).toEqual(await dumpTables(fresh.kysely))
    for (const [token, sequence] of await readSequences(database)) expect(sequence).toBeGreaterThanOrEqual(sequences.get(token) ?? 0)
    // The next reorg is undone by images of the new form.
    const undone = forking.chain.at(head - 3).header
    const index = await openIndex(database, { genesisHash: forking.chain.at(0).header.hash, maxReorgDepth: UNDOABLE })
    await index.committer.commit({ kind: 'replace', to: undone, replacement: { ancestor: undone, batches: [] }, depth: 3 })
    await follow(database, forking, head - 2, head)
    expect(await dumpTables(database.kysely)).toEqual(await dumpTables(fresh.kysely))
  })

  it('stands where it stood when the migrations leave rows and images alone', async () => {
    const database = await useDatabase({ copyOf: base })
    onTestFinished(addMigration(['create index trade_next on trade (maker)', 'alter table token add column next text'], true))
    await migrate(database.url, silentLogger)
    const tables = await dumpTables(database.kysely)
    expect(await cursorOf(database.kysely)).toMatchObject({ number: HEAD })
    const forking = grow()
    const undone = forking.chain.at(FINAL).header
    const index = await openIndex(database, { genesisHash: forking.chain.at(0).header.hash, maxReorgDepth: UNDOABLE })
    await index.committer.commit({ kind: 'replace', to: undone, replacement: { ancestor: undone, batches: [] }, depth: UNDOABLE })
    await follow(database, forking, FINAL + 1, HEAD)
    expect(await dumpTables(database.kysely)).toEqual(tables)
  })

  it.each([
    ['rows of balance', 'update balance set balance = 0'],
    ['rows of next', 'create table next as select address from token'],
    ['a table in a way that its images forbid', `alter table token add column next text default ''`],
    ['trader.trades integer', 'alter table trader drop column trades'],
  ])('is refused when a migration says that it leaves the images alone, and changes %s', async (what, statement) => {
    const database = await useDatabase({ copyOf: base })
    onTestFinished(addMigration([statement], true))
    await expect(migrate(database.url, silentLogger)).rejects.toThrow(
      `Migration9999Next: keepsImages is wrong, since the migration changes ${what}`,
    )
    expect(await cursorOf(database.kysely)).toMatchObject({ number: HEAD })
  })

  // The names of tables in a schema without tables were those of the served index, which was undone and lost its images.
  it('of nothing, in a new schema beside an index, leaves that index as it is', async () => {
    const database = await useDatabase({ copyOf: base })
    const images = () => sql`select * from block_undo order by block_number, position`.execute(database.kysely)
    const before = await images()
    await migrate(withSchema(database.url, 'next'), silentLogger)
    expect(await cursorOf(database.kysely)).toMatchObject({ number: HEAD })
    expect((await images()).rows).toEqual(before.rows)
  })

  it('is refused when nobody has said what undoing a block does to a table with numbers of blocks', async () => {
    const database = await useDatabase({ copyOf: base })
    await sql`create table renamed (block_number bigint)`.execute(database.kysely)
    onTestFinished(addMigration(['alter table renamed rename to trade_next']))
    await expect(migrate(database.url, silentLogger)).rejects.toThrow('the rows of renamed')
  })

  it('begins anew where every block can be undone, and changes nothing where none can', async () => {
    onTestFinished(addMigration(['alter table token add column next text']))
    const forking = createForkingChain(createRandom(4), UNDOABLE)
    forking.mine(9)
    const [young, fixed, fresh] = [await useDatabase(), await useDatabase(), await useDatabase()]
    await follow(young, forking, 1, 9)
    await indexAtOnce(fixed, forking.chain, 9)
    for (const { url } of [young, fixed, fresh]) await migrate(url, silentLogger)
    expect(await cursorOf(young.kysely)).toBeNull()
    expect(await cursorOf(fixed.kysely)).toMatchObject({ number: 9 })
    await indexAtOnce(fresh, forking.chain, 9)
    expect(await dumpTables(fixed.kysely)).toEqual(await dumpTables(fresh.kysely))
    forking.chain.drop(9)
    forking.mine(9)
    await follow(young, forking, 1, 9)
    await fresh.clear()
    await indexAtOnce(fresh, forking.chain, 9)
    expect(await dumpTables(young.kysely)).toEqual(await dumpTables(fresh.kysely))
  })
})

async function readSequences({ kysely }: TestDatabase): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ address: string; sequence: number }>`select address, sequence from token`.execute(kysely)
  return new Map(rows.map(({ address, sequence }) => [address, sequence]))
}

/** The same chain each time. */
function grow(): ForkingChain {
  const forking = createForkingChain(createRandom(4), UNDOABLE)
  forking.mine(HEAD)
  return forking
}

/** As a service that starts does: far blocks together, the first and the last ones one by one. */
async function follow(database: TestDatabase, { chain }: ForkingChain, from: number, to: number): Promise<void> {
  const index = await openIndex(database, { genesisHash: chain.at(0).header.hash, maxReorgDepth: UNDOABLE })
  const blocks = Array.from({ length: to - from + 1 }, (_, above) => chain.at(from + above))
  const together = from === 1 ? 0 : Math.max(0, blocks.length - 4)
  await commitBlocks(index, ...blocks.slice(0, together))
  for (const block of blocks.slice(together)) await commitBlocks(index, block)
  await settle(index, chain.at(to).header)
}

interface Change {
  /** Makes the database that of an earlier version. */
  readonly before?: readonly string[]
  /** Of the migration that is added. */
  readonly migration: readonly string[]
}

/** Kinds of changes that a migration can make to tables whose rows are undone. */
function changesByKind(): Readonly<Record<string, Change>> {
  return {
    'a column added': { migration: ['alter table token add column next text'] },
    'a column added with a default': { migration: ['alter table balance add column next integer not null default 7'] },
    'a column filled from other rows': {
      before: ['alter table token drop column ath_price_weth'],
      migration: [
        'alter table token add column ath_price_weth numeric',
        'update token set ath_price_weth = (select max(high) from candle where candle.token = token.address)',
      ],
    },
    'a column with another type': { migration: ['alter table trader alter column trades type numeric'] },
    'a column with another name': {
      before: ['alter table pool rename column reserve_quote to quote_reserve', 'alter table candle rename column high to highest'],
      migration: ['alter table pool rename column quote_reserve to reserve_quote', 'alter table candle rename column highest to high'],
    },
    'a column removed': {
      before: ['alter table token add column gone integer', 'update token set gone = 1', 'alter table candle add column gone integer'],
      migration: ['alter table token drop column gone', 'alter table candle drop column gone'],
    },
    'a table added': { migration: ['create table next (token bytea primary key, block_count bigint not null)'] },
  }
}
