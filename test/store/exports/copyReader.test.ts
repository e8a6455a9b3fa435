import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { withCopyReader } from '#store/exports/copyOut.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'

// The server ended an export whose reader took nothing for 20 s, such as `less`, or an upload.
test('a slow consumer has all the time it needs', async () => {
  const { url } = await useDatabase()
  const limits = await withCopyReader({ url, isReplica: false, logger: silentLogger }, async ({ db }) => {
    const names = ['statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout', 'tcp_user_timeout']
    const { rows } = await sql<{ name: string; setting: string }>`
      select name, setting from pg_settings where name = any(${names}::text[])`.execute(db)
    return rows.filter(({ setting }) => setting !== '0')
  })
  expect(limits).toEqual([])
})
