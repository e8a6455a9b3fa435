import { createServer } from 'node:net'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { databaseCause, databaseFault, toDatabaseError } from '#store/connection/databaseErrors.ts'
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
  ['42P01', 'relation "token" does not exist', 'other tables than', 'restore a backup'],
  ['08P01', 'server login failed: no such user', 'the connection to the database failed', 'pooler'],
  ['08P01', 'unsupported startup parameter in options: search_path', 'refuses this service', 'ignore_startup_parameters'],
  ['28000', 'no pg_hba.conf entry for host "10.1.2.3", user "me", database "a", no encryption', 'refuses this', 'add sslmode=require'],
  ['22003', 'integer out of range', 'contradict what this service', 'db:check'],
  ['23505', 'duplicate key value violates unique constraint "block_pkey"', 'contradict what this service', 'db:check'],
  ['25P03', 'terminating connection due to idle-in-transaction timeout', 'ends idle sessions', 'idle_in_transaction_session_timeout'],
  ['26000', 'prepared statement "s1" does not exist', 'a session to several clients', 'session pooling'],
  ['42601', 'syntax error at or near "merge"', 'does not take a statement', 'product that speaks its protocol'],
  ['0A000', 'this feature is not supported', 'does not offer something', 'in the settings of a managed server'],
  ['54001', 'stack depth limit exceeded', 'a limit of the database server', 'raise the limit'],
  ['55006', 'database "x" is being accessed by other users', 'in use or not ready', 'pg_locks'],
  ['P0001', 'rows of this table may not change', 'something that was added', 'trigger'],
  ['PT402', 'raised by a hook', 'does not take a statement', 'report the statement'],
  ['XX000', 'Tenant or user not found', 'a failure of its own', 'project'],
  ['XX001', 'invalid page in block 7 of relation base/1/2', 'files are damaged', 'backup'],
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

// https://www.postgresql.org/docs/current/errcodes-appendix.html: "a step of indexing failed" was all that was said of most of them.
test('every class of errors has a sentence that does not depend on the code', () => {
  const classes =
    '03 08 09 0A 0B 0F 0L 0P 0Z 20 21 22 23 24 25 26 27 28 2B 2D 2F 34 38 39 3B 3D 3F 40 42 44 53 54 55 57 58 72 F0 HV P0 XX'.split(' ')
  const ofClass = (of: string) => databaseCause(withCode(`${of}0ZZ`, 'said by the server'))
  expect(classes.filter(of => ofClass(of) === null)).toEqual([])
  expect(new Set(classes.map(of => ofClass(of)?.shown)).size).toBeGreaterThan(10)
})

test('a full queue of notifications is told from other limits, in any language', () => {
  const full = Object.assign(withCode('54000', 'zu viele Benachrichtigungen'), { routine: 'PreCommit_Notify' })
  expect(databaseCause(full)?.full).toMatch(/^the queue of notifications of the database server is full: .*end the session/)
  expect(databaseCause(withCode('54000', 'index row size 3000 exceeds'))?.shown).toBe('a limit of the database server is reached')
})

// "raise the limit that its words name" where there is none to raise, and "give its server more memory" for a setting.
test.each([
  ['54000', 'keine Befehle mehr', { routine: 'GetNewTransactionId' }, 'takes no writes until it is vacuumed', 'replication slots'],
  ['54000', 'keine MultiXactIds mehr', { routine: 'GetNewMultiXactId' }, 'takes no writes until it is vacuumed', 'run vacuum'],
  ['53200', 'Shared Memory aufgebraucht', { hint: 'Sie müssen eventuell »max_locks_per_transaction« erhöhen.' }, 'table of locks', 'hint'],
  ['53200', 'Speicher aufgebraucht', { hint: 'noch etwas' }, 'has no memory left', 'more memory'],
])('%s %s is told from others of its code by more than its words', (code, message, more, shown, remedy) => {
  const cause = databaseCause(Object.assign(withCode(code, message), more))
  expect(cause?.shown).toContain(shown)
  expect(cause?.full).toContain(remedy)
})

// On a machine without IPv6, Supabase's own address was "not reachable: start PostgreSQL".
test('an IPv6 address without a way to it is told from a server that is off', () => {
  const unreached = (address: string) =>
    Object.assign(withCode('ENETUNREACH', `connect ENETUNREACH ${address}:5432 - Local (:::0)`), { address, port: 5432 })
  const cause = databaseCause(new AggregateError([unreached('2600:1f1e:75b:4b01::1')]))
  expect(cause?.shown).toBe('the database is not reachable')
  expect(cause?.full).toMatch(/IPv4, such as that of its pooler in session mode \(connect ENETUNREACH 2600:.*\)$/)
  expect(databaseCause(unreached('10.1.2.3'))?.full).toContain('start PostgreSQL')
  const refused = Object.assign(withCode('ECONNREFUSED', 'connect ECONNREFUSED 10.1.2.3:5432'), { address: '10.1.2.3', port: 5432 })
  expect(databaseCause(new AggregateError([unreached('2600:1f1e:75b:4b01::1'), refused]))?.full).toContain('start PostgreSQL')
})

// The start was tried again without end.
test('a parameter that a pooler does not take ends the start', () => {
  expect(databaseFault(withCode('08P01', 'unsupported startup parameter: search_path'))).toBe('refused')
  expect(databaseFault(withCode('08P01', 'server login failed: no such user'))).toBe('unavailable')
})

test("the server's own advice is repeated to operators, and to nobody else", () => {
  const hint = 'to learn how to allow an extension see https://go.example.com/1'
  const cause = databaseCause(Object.assign(withCode('0A000', 'extension "pg_trgm" is not allow-listed'), { hint }))
  expect(cause?.full).toMatch(new RegExp(`\\(extension "pg_trgm" is not allow-listed, 0A000, ${hint}\\)$`))
  expect(cause?.shown).not.toContain('allow')
})

test('a defect says nothing of the database', () => {
  const ofFiles = Object.assign(new Error('EBUSY: resource busy'), { code: 'EBUSY' })
  for (const defect of [new TypeError('x is not a function'), ofFiles, null]) expect(databaseCause(defect)).toBeNull()
  expect(databaseFault(withCode('42501', 'permission denied for table token'))).toBe('refused')
})
