import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Address } from '#domain/address.ts'
import type { MetadataRecord } from '#domain/metadata.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import {
  announceMetadata,
  attachMetadata,
  countQueuedMetadata,
  readDueMetadata,
  readUnannounced,
  recordMetadata,
} from '#store/rows/metadata.ts'
import { useDatabase } from '#test/support/database.ts'
import { plansOf } from '#test/support/explain.ts'
import { addressOf, insertRows, tokenRow } from '#test/support/rows.ts'

const database = await useDatabase()
const db = database.kysely

beforeEach(() => database.clear())

const keyOf = (uri: string) => `0x${createHash('sha256').update(uri).digest('hex')}` as const

async function attach(to: Queryable, tokens: readonly Address[]): Promise<void> {
  for (const statement of attachMetadata(tokens)) await statement.execute(to)
}

async function launch(uris: readonly (string | null)[], from = 1) {
  const rows = uris.map((metadata_uri, index) => tokenRow(from + index, { metadata_uri }))
  await insertRows(db, 'token', rows)
  const addresses = uris.map((_, index) => addressOf(from + index))
  await attach(db, addresses)
  return addresses
}

function record(uri: string, changes: Partial<MetadataRecord> = {}): MetadataRecord {
  return { key: keyOf(uri), state: 'pending', attempts: 1, retryAfterMs: 60_000, outcome: 'too_slow', document: null, ...changes }
}

const DOCUMENT = { imageUrl: 'https://images.example/a.png', description: 'd', links: [] }

/** The database, which does something else after that many statements. */
function interrupted(statements: number, run: () => Promise<unknown>): Queryable {
  let left = statements
  const executor = db.getExecutor().withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (--left === 0) await run()
      return result
    },
  })
  return { getExecutor: () => executor }
}

describe('the work of reading metadata', () => {
  test('begins with the launch, once per URI, for tokens that have one', async () => {
    await launch(['ipfs://a', 'ipfs://a', null, `data:,${'😀'.repeat(8_000)}`])
    const due = await readDueMetadata(
      db,
      [
        { lane: 'gateway', limit: 10 },
        { lane: 'local', limit: 10 },
        { lane: 'web', limit: 10 },
      ],
      [],
    )
    expect(due).toEqual([
      { key: keyOf('ipfs://a'), uri: 'ipfs://a', lane: 'gateway', attempts: 0 },
      expect.objectContaining({ lane: 'local' }),
    ])
    expect(await countQueuedMetadata(db, 10)).toBe(2)
    expect(await countQueuedMetadata(db, 1)).toBe(1)
  })

  test.each([0, 1, 2, 3])('loses no token whose document is read after statement %i of its launch', async statements => {
    await launch(['ipfs://a'])
    await insertRows(db, 'token', [tokenRow(2, { metadata_uri: 'ipfs://a' })])
    const read = () => recordMetadata(db, [record('ipfs://a', { state: 'read', document: DOCUMENT, outcome: 'read' })])
    if (statements === 0) await read()
    await attach(interrupted(statements, read), [addressOf(2)])
    await announceMetadata(db, await readUnannounced(db, 10), 1)
    const { rows } = await sql<{ description: string | null }>`select description from token`.execute(db)
    expect(rows).toEqual([{ description: 'd' }, { description: 'd' }])
  })

  test.each([
    ['https://a.example', 'web'],
    [' HTTP://a.example', 'web'],
    ['ipfs://https://', 'gateway'],
    ['DATA:,{}', 'local'],
    ['\n{"a":1}', 'local'],
    ['', 'gateway'],
  ])('takes the way of %j to be %s', async (uri, lane) => {
    await launch([uri])
    expect(await readDueMetadata(db, [{ lane: lane as 'web', limit: 1 }], [])).toHaveLength(1)
  })

  test('gives what was tried least often first, then the newest, what is due alone, and nothing that is under way', async () => {
    await launch(['ipfs://a', 'ipfs://b', 'ipfs://c', 'ipfs://d', 'ipfs://e'])
    await recordMetadata(db, [record('ipfs://a', { retryAfterMs: -1_000 }), record('ipfs://b', { retryAfterMs: 60_000 })])
    await sql`update metadata set next_attempt_at_ms = next_attempt_at_ms - 5 where uri = 'ipfs://c'`.execute(db)
    const due = (limit: number) => readDueMetadata(db, [{ lane: 'gateway', limit }], [keyOf('ipfs://e')])
    expect((await due(9)).map(({ uri }) => uri)).toEqual(['ipfs://d', 'ipfs://c', 'ipfs://a'])
    expect((await due(2)).map(({ uri }) => uri)).toEqual(['ipfs://d', 'ipfs://c'])
    expect(await due(0)).toEqual([])
  })

  test('keeps the first document of a URI, and what was given up', async () => {
    await launch(['ipfs://a', 'ipfs://b'])
    const read = record('ipfs://a', { state: 'read', retryAfterMs: null, document: DOCUMENT })
    await recordMetadata(db, [read, record('ipfs://b', { state: 'refused', retryAfterMs: null })])
    await recordMetadata(db, [record('ipfs://a'), record('ipfs://b')])
    const { rows } = await sql`select uri, state, next_attempt_at_ms, description from metadata order by uri`.execute(db)
    expect(rows).toEqual([
      { uri: 'ipfs://a', state: 'read', next_attempt_at_ms: null, description: 'd' },
      { uri: 'ipfs://b', state: 'refused', next_attempt_at_ms: null, description: null },
    ])
  })

  test('is not over for a URI while a token that was launched meanwhile waits for it', async () => {
    await launch(['ipfs://a'])
    const early = await readUnannounced(db, 10)
    expect(early).toEqual([])
    await recordMetadata(db, [record('ipfs://a', { state: 'read', retryAfterMs: null, document: DOCUMENT })])
    const [waiting] = await readUnannounced(db, 10)
    // As a launch does whose statement came before the document: it waits.
    await insertRows(db, 'token', [tokenRow(2, { metadata_uri: 'ipfs://a' })])
    await sql`insert into metadata_waiting (key, token) select key, decode(${addressOf(2).slice(2)}, 'hex') from metadata`.execute(db)
    await announceMetadata(db, [waiting ?? expect.unreachable()], 1)
    expect(await readUnannounced(db, 10)).toEqual([{ key: keyOf('ipfs://a'), token: addressOf(2) }])
  })

  test('is found through its indexes, however much there is', async () => {
    await sql`insert into metadata (key, uri, state, attempts, next_attempt_at_ms)
      select sha256(n::text::bytea), 'ipfs://' || n, case when n % 50 = 0 then 'pending' when n % 1000 = 1 then 'read' else 'announced' end, n % 3,
        case when n % 50 = 0 then n end from generate_series(1, 20000) as n`.execute(db)
    await sql`analyze metadata, metadata_waiting`.execute(db)
    const plans = await plansOf(db, async queryable => {
      await readDueMetadata(
        queryable,
        [
          { lane: 'gateway', limit: 24 },
          { lane: 'web', limit: 8 },
        ],
        [],
      )
      await readUnannounced(queryable, 200)
      await countQueuedMetadata(queryable, 1_000)
    })
    for (const plan of plans) {
      expect(plan.map(node => node['Index Name'])).toEqual(
        expect.arrayContaining([expect.stringMatching(/^metadata_(?:due|unannounced)$/)]),
      )
      expect(plan.filter(node => node['Relation Name'] === 'metadata').map(node => node['Node Type'])).not.toContain('Seq Scan')
    }
  })
})

test('the image that a contract names is shown before the one of its metadata, once it is read', async () => {
  await insertRows(db, 'token', [tokenRow(1, { metadata_uri: 'ipfs://a', image_uri: 'ipfs://"own"' })])
  await attach(db, [addressOf(1)])
  const own = await readDueMetadata(db, [{ lane: 'local', limit: 9 }], [])
  expect(own.map(({ uri }) => JSON.parse(uri) as unknown)).toEqual([{ image: 'ipfs://"own"' }])
  const read = async (uri: string, imageUrl: string | null) => {
    await recordMetadata(db, [record(uri, { state: 'read', retryAfterMs: null, document: { ...DOCUMENT, imageUrl } })])
    await announceMetadata(db, await readUnannounced(db, 9), 1)
    return (await sql<object>`select image_url as image, description from token`.execute(db)).rows
  }
  expect(await read('ipfs://a', 'https://images.example/a.png')).toEqual([{ image: 'https://images.example/a.png', description: 'd' }])
  expect(await read(own[0]?.uri ?? '', 'https://images.example/own.png')).toEqual([
    { image: 'https://images.example/own.png', description: 'd' },
  ])
  // An image that can't be shown leaves the other one.
  await sql`update token set image_uri = 'ftp://no'`.execute(db)
  await attach(db, [addressOf(1)])
  const [unusable] = await readDueMetadata(db, [{ lane: 'local', limit: 9 }], [])
  expect(await read(unusable?.uri ?? '', null)).toEqual([{ image: 'https://images.example/a.png', description: 'd' }])
})

describe('a token whose URI changes', () => {
  const shown = async () =>
    (
      await sql<object>`select metadata_uri as uri, image_url as image, (select count(*)::integer from metadata_waiting) as waiting from token`.execute(
        db,
      )
    ).rows
  const move = async (uri: string | null) => {
    await sql`update token set metadata_uri = ${uri}`.execute(db)
    await attach(db, [addressOf(1)])
    return shown()
  }

  test('shows no document of another one, and at once the one that was read', async () => {
    await launch(['ipfs://a'])
    await recordMetadata(db, [record('ipfs://a', { state: 'read', retryAfterMs: null, document: DOCUMENT })])
    await announceMetadata(db, await readUnannounced(db, 9), 1)
    expect(await shown()).toEqual([{ uri: 'ipfs://a', image: DOCUMENT.imageUrl, waiting: 0 }])
    expect(await move('ipfs://b')).toEqual([{ uri: 'ipfs://b', image: null, waiting: 1 }])
    expect(await move('ipfs://a')).toEqual([{ uri: 'ipfs://a', image: DOCUMENT.imageUrl, waiting: 1 }])
    expect(await move(null)).toEqual([{ uri: null, image: null, waiting: 1 }])
    await recordMetadata(db, [record('ipfs://b', { state: 'read', retryAfterMs: null, document: DOCUMENT })])
    await announceMetadata(db, await readUnannounced(db, 9), 2)
    expect(await shown()).toEqual([{ uri: null, image: null, waiting: 0 }])
  })
})
