import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { migrate } from '#store/migrations/migrate.ts'
import { announceMetadata, attachMetadata, readDueMetadata, readUnannounced, recordMetadata } from '#store/rows/metadata.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { addressOf, insertRows, tokenRow } from '#test/support/rows.ts'

const NAME = 'Migration0025ShownDocuments'

test('shows documents to tokens that missed them, and to no other', async () => {
  const { kysely: db, url } = await useDatabase()
  const uris = ['ipfs://read', 'ipfs://read', 'ipfs://empty', 'ipfs://pending', null]
  await insertRows(
    db,
    'token',
    uris.map((metadata_uri, index) => tokenRow(1 + index, { metadata_uri, sequence: 1 })),
  )
  const tokens = uris.map((_, index) => addressOf(1 + index))
  await attachMetadata(db, tokens)
  const due = await readDueMetadata(db, [{ lane: 'gateway', limit: 10 }], [])
  const documents = due.flatMap(({ key, uri }) => {
    if (uri === 'ipfs://pending') return []
    const document = uri === 'ipfs://read' ? { imageUrl: 'https://images.example/a.png', description: 'd', links: [] } : null
    return [{ key, state: 'read', attempts: 1, retryAfterMs: null, outcome: 'read', document } as const]
  })
  await recordMetadata(db, documents)
  await announceMetadata(db, await readUnannounced(db, 10), 2)
  const shown = async () => (await sql`select image_url, description from token order by address`.execute(db)).rows
  const before = await shown()
  expect(before.filter(row => (row as { description: string | null }).description !== null)).toHaveLength(2)

  await sql`update token set image_url = null, description = null where address = ${Buffer.from(tokens[1]?.slice(2) ?? '', 'hex')}`.execute(
    db,
  )
  await sql`delete from mikro_orm_migrations where name = ${NAME}`.execute(db)
  expect(await migrate(url, silentLogger)).toEqual([NAME])
  const waiting = (await readUnannounced(db, 10)).filter(({ token }) => token !== null)
  expect(waiting.map(({ token }) => token)).toEqual([tokens[1]])
  await announceMetadata(db, waiting, 3)
  expect(await shown()).toEqual(before)
})
