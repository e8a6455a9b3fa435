import { sql } from 'kysely'
import { afterAll, afterEach, expect, test } from 'vitest'
import { awaitSessionLock, describeHolder, holdSessionLock, LOCKS, type SessionLock } from '#store/connection/sessionLock.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { startPostgresProxy } from '#test/support/faults/postgresProxy.ts'
import { createLogLines } from '#test/support/logLines.ts'

/*
 * A session whose client has died in silence held the lock for as long as TCP did: for minutes every start was refused, by a message that
 * named no process.
 */

/** The server ends a session after ten of them without a statement: it must not do so because this process is late. */
const PATIENT_MS = 2_000

const database = await useDatabase()
const proxy = await startPostgresProxy({ url: database.url })
const held: SessionLock[] = []
afterEach(async () => {
  for (const lock of held.splice(0)) await lock.release()
})
afterAll(() => proxy.stop())

async function hold(url: string, heartbeatMs: number, logger = silentLogger) {
  const input = { key: LOCKS.writer, applicationName: 'test-lock', what: 'the lock', logger, heartbeatMs }
  const outcome = await holdSessionLock({ ...input, url })
  if (outcome.lock !== null) held.push(outcome.lock)
  return outcome
}

const holders = async () =>
  (
    await sql<{ pid: number }>`select pid from pg_locks where locktype = 'advisory' and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())`.execute(database.kysely)
  ).rows

test('a holder that gives signs of life keeps the lock, and the refusal names it', async () => {
  await hold(database.url, PATIENT_MS)
  const [first] = await holders()
  const { lock, holder } = (await hold(database.url, PATIENT_MS)) as { lock: null; holder: Parameters<typeof describeHolder>[0] }
  expect(lock).toBeNull()
  expect(holder).toMatchObject({ pid: first?.pid, address: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as unknown })
  expect(describeHolder(holder)).toMatch(
    /^server process \d+, connected from 127\.0\.0\.1:\d+ for \d+ s, last heard of \d+ s ago; if that service is gone: select pg_terminate_backend\(\d+\)$/,
  )
})

test('who waits for a holder that is silent says so, and who that is', async () => {
  await hold(database.url, 60_000)
  const [first] = await holders()
  const log = createLogLines()
  const next = hold(database.url, PATIENT_MS, log.logger)
  const msg = expect.stringContaining(
    `waiting for the lock, which a silent session loses within 25 s: server process ${first?.pid},`,
  ) as unknown
  await expect.poll(log.lines).toMatchObject([{ msg }])
  await held.pop()?.release()
  expect((await next).lock).not.toBeNull()
})

test('the lock of a holder that has died in silence is given to the next one', async () => {
  await hold(proxy.url, 300)
  // At once: a session that is lost before could be followed by one that is not silent.
  proxy.silenceAll()
  const before = await holders()
  expect((await hold(database.url, 300)).lock).not.toBeNull()
  expect(await holders()).not.toEqual(before)
})

test('who waits for a lock gets it when the holder releases it, and stops waiting when asked', async () => {
  await hold(database.url, PATIENT_MS)
  const input = { url: proxy.url, key: LOCKS.writer, applicationName: 'test-lock', what: 'the lock', logger: silentLogger }
  const stopped = new AbortController()
  const given = awaitSessionLock(input, stopped.signal)
  const refused = awaitSessionLock({ ...input, url: database.url }, stopped.signal)
  // A database that is away for a moment ends no wait.
  proxy.cutAll()
  let isGiven = false
  for (const one of [given, refused]) void one.then(() => (isGiven = true))
  await holders()
  expect(isGiven).toBe(false)
  await held.pop()?.release()
  const lock = await Promise.race([given, refused])
  expect(await holders()).toHaveLength(1)
  stopped.abort()
  expect((await Promise.all([given, refused])).filter(one => one === null)).toHaveLength(1)
  if (lock !== null && lock !== undefined) held.push(lock)
})

test('a lock whose connection has died in silence is released while a heartbeat is under way', async () => {
  const asked = Promise.withResolvers<void>()
  await hold(proxy.url, 1_000)
  proxy.setMisfortune(({ sql: text }) => {
    if (!text.startsWith('do ')) return undefined
    asked.resolve()
    return { kind: 'silence', hears: false }
  })
  await asked.promise
  await expect(held.pop()?.release()).resolves.toBeUndefined()
  proxy.setMisfortune(undefined)
})
