import { describe, expect, it } from 'vitest'
import { ClientError } from '#client/clientError.ts'
import { startReading } from '#client/reading.ts'
import { createTimers } from '#client/timers.ts'
import { SimulatedClock } from './simulatedClock.ts'

/** A reading whose reads take 3 s. */
function start(outcomes: (Error | null)[], isFollowed = false) {
  const clock = new SimulatedClock()
  const { signal: closed } = new AbortController()
  const timers = createTimers(clock, closed)
  const pauses = new Set<() => void>()
  const begun: number[] = []
  const ends: unknown[] = []
  const failures: unknown[] = []
  const polls: (boolean | null)[] = []
  const connection = { isFollowed }
  const polled = (isSuccess: boolean | null) => polls.push(isSuccess)
  const reading = startReading({ timers, random: () => 0.5, closed, pauses }, polled, {
    failed: error => failures.push(error),
    end: error => ends.push(error),
    isFollowed: () => connection.isFollowed,
    async read() {
      begun.push(clock.now())
      const error = outcomes.shift() ?? null
      await new Promise<void>(resolve => timers.after(3_000, resolve))
      if (error !== null) throw error
    },
  })
  return { clock, pauses, begun, ends, failures, polls, connection, reading }
}

const rejected = (status: number, code: string | null) =>
  new ClientError('rejected', 'no', {
    status,
    problem: code === null ? null : { type: '', title: '', status, detail: '', code, requestId: '' },
  })

describe('reading', () => {
  it('pauses from the end of a read, also of one that failed', async () => {
    const { clock, begun, reading } = start([new Error('later'), new Error('later')])
    reading.read()
    await clock.advance(40_000)
    // 5 s and 10 s after the ends of the first two, then 10 s.
    expect(begun).toEqual([0, 8_000, 21_000, 34_000])
    reading.stop()
    await clock.advance(60_000)
    expect([begun.length, clock.waiting]).toEqual([4, 0])
  })

  it('reads once more for all that is requested meanwhile, and not more than once a second', async () => {
    const { clock, begun, reading } = start([], true)
    reading.read()
    for (let n = 0; n < 20; n++) {
      reading.read()
      await clock.advance(100)
    }
    await clock.advance(5_100)
    expect(begun).toEqual([0, 4_000])
    reading.read()
    await clock.advance(60_000)
    expect(begun).toEqual([0, 4_000, 8_000])
  })

  it('reads at once when the network is back, and is not asked for otherwise', async () => {
    const { clock, pauses, begun, reading } = start([new Error('later')], true)
    reading.read()
    await clock.advance(3_100)
    const hurry = () => [...pauses].map(run => run())
    hurry()
    hurry()
    await clock.advance(3_100)
    hurry()
    await clock.advance(60_000)
    expect(begun).toEqual([0, 3_100])
    reading.stop()
    expect(pauses.size).toBe(0)
  })

  it('reports each read, and that it polls no more when a connection brings the changes or it is stopped', async () => {
    const { clock, polls, connection, reading } = start([null, new Error('later')])
    reading.read()
    await clock.advance(20_000)
    expect(polls).toEqual([true, false])
    await clock.advance(5_000)
    expect(polls).toEqual([true, false, true])
    connection.isFollowed = true
    await clock.advance(10_000)
    expect(polls).toEqual([true, false, true, null])
    reading.read()
    reading.stop()
    // Its read ends after it was stopped.
    await clock.advance(10_000)
    expect(polls).toEqual([true, false, true, null, null])
  })

  it('ends with what the service refuses, and with nothing that a proxy refuses', async () => {
    const proxied = [401, 403, 407, 408, 400].map(status => rejected(status, null))
    const { clock, ends, failures } = start([...proxied, rejected(400, 'invalid_parameter')])
    await clock.advance(400_000)
    expect(failures).toEqual(proxied)
    expect(ends).toMatchObject([{ problem: { code: 'invalid_parameter' } }])
    expect(clock.waiting).toBe(0)
  })
})
