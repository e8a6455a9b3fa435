import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useDatabase } from '#test/support/database.ts'

const run = (url: string, role: string) =>
  promisify(execFile)(process.execPath, ['src/commands/dbViews.ts', role], {
    env: { PATH: process.env['PATH'], DATABASE_URL: url, LOG_LEVEL: 'silent' },
  })

test('makes the views and the role, also a second time, and says what is left to do', async () => {
  const { url, kysely } = await useDatabase()
  const role = `analyst_${new URL(url).pathname.slice(-8)}`
  const first = await run(url, role)
  expect(first.stdout).toContain(
    `The views of schema tokenwire show the index in schema public. Role ${role} may read them and nothing else.`,
  )
  expect(first.stdout).toContain(`\\password ${role}`)
  expect((await run(url, role)).stdout).toBe(first.stdout)
  await sql`drop owned by ${sql.id(role)}; drop role ${sql.id(role)}`.execute(kysely)
})

// The service's own role got the limits of a reader: from its next connection on, the service could write nothing.
test('refuses a role that may write the index', async () => {
  const { url, kysely } = await useDatabase()
  const role = new URL(url).username
  const stderr = `role ${role} may write the index, which limits of a reader would keep it from; give another name\n`
  await expect(run(url, role)).rejects.toMatchObject({ code: 1, stderr })
  const { rows } = await sql`select rolconnlimit from pg_roles where rolname = ${role}`.execute(kysely)
  expect(rows).toEqual([{ rolconnlimit: -1 }])
})

test('says that there is no index yet', async () => {
  const { url } = await useDatabase({ migrated: false })
  await expect(run(url, 'of_no_index')).rejects.toMatchObject({ code: 1, stderr: 'The database has no index yet.\n' })
})

// It ended with the name of a column that an older index has not.
test('says that the index is of an older version', async () => {
  const { url, kysely } = await useDatabase()
  await sql`delete from mikro_orm_migrations where name = (select max(name) from mikro_orm_migrations)`.execute(kysely)
  const stderr = 'DATABASE_URL: start this version of the service first: it migrates the index\n'
  await expect(run(url, 'of_old_index')).rejects.toMatchObject({ code: 1, stderr })
})
