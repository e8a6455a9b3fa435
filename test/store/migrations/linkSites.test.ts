import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { migrate } from '#store/migrations/migrate.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { insertRows, tokenRow } from '#test/support/rows.ts'

const MIGRATION = 'Migration0021LinkSites'
const { kysely, url } = await useDatabase()

test('a stored link that leads to another site than its kind says becomes one of the kind other', async () => {
  const kept = [
    ['website', 'https://evil.example/'],
    ['x', 'https://x.com/token'],
    ['x', 'https://mobile.twitter.com/token?lang=en'],
    ['telegram', 'https://t.me/token'],
    ['discord', 'https://discord.gg/token'],
    ['farcaster', 'https://warpcast.com'],
    ['github', 'https://github.com:443/token#readme'],
    ['other', 'https://x.com/token'],
  ]
  const wrong = [
    ['x', 'https://evil.example/x.com/'],
    ['x', 'https://x.com.evil.example/'],
    ['x', 'https://evilx.com/'],
    ['x', 'https://xacom/'],
    ['telegram', 'https://t.me@evil.example/'],
    ['telegram', 'https://x.com/token'],
    ['github', 'https://evil.example/?a=.github.com/'],
  ]
  const linksOf = (pairs: readonly (readonly string[])[]) => JSON.stringify(pairs.map(([kind, url]) => ({ kind, url })))
  const all = linksOf([...kept, ...wrong])
  await insertRows(kysely, 'token', [tokenRow(1, { links: linksOf(kept) }), tokenRow(2, { links: all }), tokenRow(3, { links: null })])
  await sql`insert into metadata (key, uri, state, attempts, links) values ('', 'ipfs://a', 'announced', 1, ${all}::jsonb)`.execute(kysely)
  await sql`delete from mikro_orm_migrations where name = ${MIGRATION}`.execute(kysely)
  expect(await migrate(url, silentLogger)).toEqual([MIGRATION])
  const { rows } = await sql<{ links: string | null }>`
    (select links from token order by address) union all select links::text from metadata`.execute(kysely)
  const right = JSON.parse(linksOf(kept)) as unknown[]
  const checked = [...right, ...wrong.map(([, url]) => ({ kind: 'other', url }))]
  expect(rows.map(({ links }) => JSON.parse(links ?? 'null') as unknown)).toEqual([right, checked, null, checked])
  // What was right was not written.
  expect(rows[0]?.links).toBe(linksOf(kept))
})
