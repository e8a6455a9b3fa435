import { afterEach, expect, test, vi } from 'vitest'
import { createDatabaseProbe } from '#gateway/databaseProbe.ts'
import { databaseAway } from './memoryReads.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('tells the latency of a database that answers', async () => {
  const probe = createDatabaseProbe({ ping: async () => 1.234_567, now: () => 0 })
  expect(await probe()).toEqual({ ok: true, latencyMs: 1.235 })
})

test('tells of a database that fails, and of one that does not answer in time', async () => {
  expect(await createDatabaseProbe({ ping: databaseAway, now: () => 0 })()).toEqual({ ok: false, latencyMs: null })
  vi.useFakeTimers()
  const probing = createDatabaseProbe({ ping: () => new Promise<number>(() => {}), now: () => 0 })()
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await probing).toEqual({ ok: false, latencyMs: null })
})

test('survives a failure that comes after the time-out', async () => {
  vi.useFakeTimers()
  const failure = Promise.withResolvers<number>()
  const probing = createDatabaseProbe({ ping: () => failure.promise, now: () => 0 })()
  await vi.advanceTimersByTimeAsync(2_000)
  expect((await probing).ok).toBe(false)
  failure.reject(new Error('late'))
  await expect(failure.promise).rejects.toThrow('late')
})

test('asks the database at most twice a second, however many ask', async () => {
  let pings = 0
  let nowMs = 0
  const probe = createDatabaseProbe({ ping: async () => ++pings, now: () => nowMs })
  await Promise.all([probe(), probe(), probe()])
  nowMs = 500
  await probe()
  expect(pings).toBe(1)
  nowMs = 501
  expect(await probe()).toEqual({ ok: true, latencyMs: 2 })
})
