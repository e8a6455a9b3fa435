import { afterEach, expect, test, vi } from 'vitest'
import { createDatabaseProbe } from '#gateway/health/readHealth.ts'
import { databaseCause } from '#store/connection/databaseErrors.ts'
import { silentLogger } from '#test/support/database.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { databaseAway } from './memoryReads.ts'

const QUIET = { logger: silentLogger, causeOf: databaseCause, redact: (text: string) => text }

afterEach(() => {
  vi.useRealTimers()
})

test('tells the latency of a database that answers', async () => {
  const probe = createDatabaseProbe({ ping: async () => 1.234_567, now: () => 0, ...QUIET })
  expect(await probe()).toEqual({ ok: true, latencyMs: 1.235, cause: null })
})

test('tells of a database that fails, and of one that does not answer in time', async () => {
  expect(await createDatabaseProbe({ ping: databaseAway, now: () => 0, ...QUIET })()).toMatchObject({
    ok: false,
    latencyMs: null,
    cause: { shown: expect.any(String) as unknown },
  })
  vi.useFakeTimers()
  const probing = createDatabaseProbe({ ping: () => new Promise<number>(() => {}), now: () => 0, ...QUIET })()
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await probing).toMatchObject({ ok: false, latencyMs: null, cause: { shown: expect.any(String) as unknown } })
})

test('survives a failure that comes after the time-out', async () => {
  vi.useFakeTimers()
  const failure = Promise.withResolvers<number>()
  const probing = createDatabaseProbe({ ping: () => failure.promise, now: () => 0, ...QUIET })()
  await vi.advanceTimersByTimeAsync(2_000)
  expect((await probing).ok).toBe(false)
  failure.reject(new Error('late'))
  await expect(failure.promise).rejects.toThrow('late')
})

test('asks the database at most twice a second, however many ask', async () => {
  let pings = 0
  let nowMs = 0
  const probe = createDatabaseProbe({ ping: async () => ++pings, now: () => nowMs, ...QUIET })
  await Promise.all([probe(), probe(), probe()])
  nowMs = 500
  await probe()
  expect(pings).toBe(1)
  nowMs = 501
  expect(await probe()).toEqual({ ok: true, latencyMs: 2, cause: null })
})

test('says and logs once why the database fails, without secrets, and when it is back', async () => {
  const { logger, lines } = createLogLines()
  const full = Object.assign(new Error('could not extend file "s3cret": No space left on device'), { code: '53100' })
  let nowMs = 0
  let fails = true
  const probe = createDatabaseProbe({
    ping: async () => {
      if (fails) throw full
      return 1
    },
    now: () => nowMs,
    logger,
    causeOf: databaseCause,
    redact: text => text.replaceAll('s3cret', '*'),
  })
  const sentence =
    'the database\'s disk is full: free space on the disk of the server; indexing then goes on by itself (could not extend file "*": No space left on device, 53100)'
  for (let time = 1; time <= 3; time++) {
    nowMs = time * 1_000
    expect((await probe()).cause).toEqual({ shown: "the database's disk is full", full: sentence })
  }
  fails = false
  nowMs = 10_000
  expect((await probe()).ok).toBe(true)
  expect(lines().map(({ msg, cause }) => [msg, cause])).toEqual([
    ['the database can not be used', sentence],
    ['the database can be used again', undefined],
  ])
})
