import { createServer } from 'node:net'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { databaseCause } from '#store/connection/databaseCause.ts'
import { databaseFault, toDatabaseError } from '#store/connection/databaseErrors.ts'
import { openOrm } from '#test/support/database.ts'
import { listen } from '#test/support/listen.ts'

/* An operator read "the database can not be used" for everything, and "no PostgreSQL answers" for a server without a free slot. */

const withCode = (code: string, message: string) => Object.assign(new Error(message), { code })

test.each([
  ['ECONNREFUSED', 'connect ECONNREFUSED 10.0.0.1:5432', 'not reachable', 'start PostgreSQL'],
  ['ETIMEDOUT', 'no answer from the database for 25 s', 'does not answer', 'firewall'],
  ['25006', 'cannot execute UPDATE in a read-only transaction', 'takes no writes', 'the primary'],
  ['28P01', 'password authentication failed for user "me"', 'refuses this service', 'password'],
  ['40001', 'canceling statement due to conflict with recovery', 'replica has ended', 'max_standby_streaming_delay'],
  ['53400', 'temporary file size exceeds temp_file_limit (64kB)', 'limits the temporary files', 'raise temp_file_limit'],
  ['42501', 'permission denied for table token', 'denies this service a right', 'grant it to the role'],
  ['CERT_HAS_EXPIRED', 'certificate has expired', 'no encrypted connection', 'certificate of the server'],
  ['42501', 'could not open file "base/1/2": Read-only file system', 'disk is read-only', 'mount it for writing'],
  ['53100', 'could not extend file "base/1/2": No space left on device', 'disk is full', 'free space'],
  ['53200', 'out of memory', 'no memory', 'memory'],
  ['53300', 'sorry, too many clients already', 'no free connection slot', 'raise max_connections'],
  ['57014', 'canceling statement due to statement timeout', 'too slow or busy', 'load'],
  ['57P03', 'the database system is starting up', 'starting or stopping', 'log of the server'],
  ['58030', 'could not read block 7', 'disk fails', 'log of the server'],
])('%s is one sentence with the cause, what to do, and what the server said', (code, message, kind, remedy) => {
  for (const error of [withCode(code, message), toDatabaseError(withCode(code, message)), new AggregateError([withCode(code, message)])]) {
    const cause = databaseCause(error)
    expect(cause?.shown).toContain(kind)
    // It is public: no word of the server's.
    expect(cause?.shown).not.toMatch(/\d|base\/|"/)
    expect(cause?.full).toContain(remedy)
    expect(cause?.full).toMatch(new RegExp(`^${cause?.shown}: .+\\(${message.replaceAll(/[()]/g, '\\$&')}, ${code}\\)$`))
  }
})

test('a socket that this user may not use is refused, with what to do', () => {
  const error = Object.assign(new Error('connect EACCES /run/postgresql/.s.PGSQL.5432'), { code: 'EACCES', syscall: 'connect' })
  expect([databaseFault(error), databaseCause(error)?.full]).toEqual([
    'refused',
    expect.stringMatching(/^the database refuses this service: let the user that runs the service enter the folder .*EACCES\)$/),
  ])
})

test('a lost connection has no code', () => {
  expect(databaseCause(new Error('Connection terminated unexpectedly'))?.full).toMatch(
    /^the connection to the database failed: .*unexpectedly\)$/,
  )
})

/* A busy server that took more than 5 s for a connection was said to have lost one. */
test('a server that takes a connection and says nothing does not answer', async () => {
  const silent = createServer()
  onTestFinished(() => void silent.close())
  const port = await listen(silent)
  const orm = openOrm(`postgresql://tokenwire@127.0.0.1:${port}/tokenwire`, { connectTimeoutMs: 50 })
  const error: unknown = await sql`select 1`.execute(orm.em.getKysely<unknown>()).catch((error: unknown) => error)
  expect(databaseCause(error)).toEqual({
    shown: 'the database does not answer',
    full: expect.stringContaining('(Connection terminated due to connection timeout, ETIMEDOUT)') as unknown,
  })
})

test('a defect says nothing of the database', () => {
  for (const defect of [new TypeError('x is not a function'), withCode('42601', 'syntax error'), null])
    expect(databaseCause(defect)).toBeNull()
  expect(databaseFault(withCode('42501', 'permission denied for table token'))).toBe('refused')
})
