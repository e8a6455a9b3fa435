import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { UNLIMITED } from '#rpc/limits.ts'
import { Limiter } from '#rpc/provider.ts'

/** Requests that end when they are told to. */
function openRequests(limiter: Limiter) {
  const ends: (() => void)[] = []
  const started: number[] = []
  const run = (request: number) =>
    limiter.run(async () => {
      started.push(request)
      await new Promise<void>(resolve => ends.push(resolve))
    })
  const end = async () => {
    ends.shift()?.()
    await nextTurn()
  }
  return { run, end, started }
}

const allowing = (concurrency: number) => new Limiter({ ...UNLIMITED, concurrency })

describe('the limiter', () => {
  it('lets all requests go at once before one was refused', async () => {
    const limiter = allowing(Number.POSITIVE_INFINITY)
    const { run, end, started } = openRequests(limiter)
    const all = Array.from({ length: 40 }, (_, request) => run(request))
    await nextTurn()
    expect([started.length, limiter.inFlight, limiter.hasRoom]).toEqual([40, 40, true])
    for (let ended = 0; ended < 40; ended++) await end()
    await Promise.all(all)
    expect(limiter.inFlight).toBe(0)
  })

  it('lets as many go as are allowed, in their order, and more as soon as more are', async () => {
    const limiter = allowing(1.9)
    const { run, end, started } = openRequests(limiter)
    const all = Array.from({ length: 6 }, (_, request) => run(request))
    await nextTurn()
    expect(started).toEqual([0])
    await end()
    expect(started).toEqual([0, 1])
    limiter.update({ ...limiter.limits, concurrency: 3 })
    await nextTurn()
    expect(started).toEqual([0, 1, 2, 3])
    limiter.update({ ...limiter.limits, concurrency: 1 })
    await end()
    await end()
    expect(started).toEqual([0, 1, 2, 3])
    for (let ended = 0; ended < 3; ended++) await end()
    await Promise.all(all)
    expect(started).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('passes on what a request throws, and goes on', async () => {
    const limiter = allowing(1)
    const failing = limiter.run(() => Promise.reject(new Error('broken')))
    const next = limiter.run(async () => 'next')
    await expect(failing).rejects.toThrow('broken')
    await expect(next).resolves.toBe('next')
  })
})
