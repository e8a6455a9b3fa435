import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import type { TokenwireError } from '#errors'
import { watchRefusal } from '#process/watchRefusal.ts'
import { administer, openOrm, useDatabase } from '#test/support/database.ts'

/* The password was rotated: the health said so for ever, and the process never ended, so that no supervisor gave it the new one. */

const database = await useDatabase({ migrated: false })
const role = `rotated_${randomBytes(4).toString('hex')}`
await administer(sql`create role ${sql.id(role)} login password 'before'`)
afterAll(() => administer(sql`drop role if exists ${sql.id(role)}`))
const url = Object.assign(new URL(database.url), { username: role, password: 'before' }).href

const change = async (statement: ReturnType<typeof sql>) => {
  await administer(statement)
  await administer(sql`select pg_terminate_backend(pid) from pg_stat_activity where starts_with(usename::text, ${role})`)
}

test('waits while the password is wrong for less than a minute', async () => {
  const { setNow, ended, looked } = watched()
  await change(sql`alter role ${sql.id(role)} password 'after'`)
  await looked(2)
  setNow(59_000)
  await looked(2)
  await change(sql`alter role ${sql.id(role)} password 'before'`)
  await looked(2)
  setNow(600_000)
  await looked(2)
  expect(ended).toEqual([])
})

test.each([
  ['the password', sql`alter role ${sql.id(role)} password 'after'`, sql`alter role ${sql.id(role)} password 'before'`],
  [
    'the name of the role',
    sql`alter role ${sql.id(role)} rename to ${sql.id(`${role}_b`)}`,
    sql`alter role ${sql.id(`${role}_b`)} rename to ${sql.id(role)}`,
  ],
  ['the right to log in', sql`alter role ${sql.id(role)} nologin`, sql`alter role ${sql.id(role)} login`],
])('ends the process a minute after %s has changed, to be started again', async (_, changed, back) => {
  const { setNow, ended, looked } = watched()
  await change(changed)
  onTestFinished(async () => {
    await administer(back)
    await administer(sql`alter role ${sql.id(role)} password 'before'`)
  })
  await looked(2)
  expect(ended).toEqual([])
  // A session that was open may fail once in another way before it is refused: the minute counts from the first refusal.
  let nowMs = 0
  await expect
    .poll(() => {
      setNow((nowMs += 60_000))
      return ended
    })
    .toHaveLength(1)
  expect(ended[0]).toMatchObject({
    retryable: true,
    message: expect.stringMatching(/^DATABASE_URL: the database refuses this service: .*started again/),
  })
})

test('ends the process a minute after the name of the host is gone, and waits for a server that is away', async () => {
  const gone = watched(url.replace('127.0.0.1', 'gone.invalid'))
  const away = watched(url.replace(/:\d+\//, ':1/'))
  await Promise.all([gone.looked(2), away.looked(2)])
  gone.setNow(60_000)
  away.setNow(600_000)
  await expect.poll(() => gone.ended).toHaveLength(1)
  await away.looked(2)
  expect(away.ended).toEqual([])
})

/** A watch, as of time 0 until `setNow`. */
function watched(of = url) {
  const kysely = openOrm(of, { poolSize: 1 }).em.getKysely<unknown>()
  const ended: TokenwireError[] = []
  let nowMs = 0
  let looks = 0
  const db = () => {
    looks++
    return kysely
  }
  onTestFinished(watchRefusal({ db, onFailure: error => ended.push(error), lookEveryMs: 5, now: () => nowMs }))
  return {
    ended,
    setNow: (ms: number) => void (nowMs = ms),
    /** Resolves when so many looks have ended. */
    looked: async (count: number) => {
      const until = looks + count + 1
      await expect.poll(() => looks).toBeGreaterThanOrEqual(until)
    },
  }
}
