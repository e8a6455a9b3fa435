import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Sink } from '#gateway/outbox/outboxSubscription.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { outboxFixture as fixture, frame } from './outboxFixture.ts'

const A = addressOf(0xa)
const B = addressOf(0xb)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** An outbox with a subscription to A that wants a state at most every second, and how to let time pass. */
function paced() {
  const made = fixture()
  const { outbox, clock, endTick } = made
  const subscription = outbox.subscription(A)
  subscription.wantInterval(1_000, outbox)
  const pass = (ms: number) => {
    clock.nowMs += ms
    vi.advanceTimersByTime(ms)
    endTick()
  }
  return { ...made, subscription, pass }
}

describe('a subscription with a least time between messages', () => {
  it('gets the first state at once, and then the newest one at most that often', () => {
    const { subscription, sink, pass, stats } = paced()
    subscription.update(frame(A, 1))
    pass(0)
    expect(sink.written).toEqual(['a1'])
    for (let sequence = 2; sequence <= 19; sequence++) {
      subscription.update(frame(A, sequence))
      pass(100)
    }
    expect(sink.written).toEqual(['a1', 'a11'])
    pass(1_000)
    expect(sink.written).toEqual(['a1', 'a11', 'a19'])
    expect(stats.report()).toMatchObject({ deliveredTotal: 3, conflatedTotal: 16 })
    pass(10_000)
    subscription.update(frame(A, 20))
    pass(0)
    expect(sink.written.at(-1)).toBe('a20')
  })

  it('holds up no other subscription, and no answer', () => {
    const { outbox, subscription, sink, pass } = paced()
    const other = outbox.subscription(B)
    subscription.update(frame(A, 1))
    pass(0)
    subscription.update(frame(A, 2))
    other.update(frame(B, 2))
    outbox.answer('pong')
    pass(1)
    expect(sink.written).toEqual(['a1', 'pong', 'b2'])
  })

  it('counts the time from the write, also of a reader that was slow', () => {
    const { outbox, subscription, sink, pass } = paced()
    sink.room = 0
    subscription.update(frame(A, 1))
    pass(0)
    subscription.update(frame(A, 2))
    pass(5_000)
    expect(sink.written).toEqual(['a1'])
    Object.assign(sink, { room: 9, buffered: 0 })
    outbox.resume()
    expect(sink.written).toEqual(['a1', 'a2'])
    subscription.update(frame(A, 3))
    pass(999)
    expect(sink.written).toEqual(['a1', 'a2'])
    pass(1)
    expect(sink.written).toEqual(['a1', 'a2', 'a3'])
  })

  it('follows another least time from the next subscribe on, with what waits', () => {
    const { outbox, subscription, sink, pass } = paced()
    subscription.update(frame(A, 1))
    pass(0)
    subscription.update(frame(A, 2))
    pass(10)
    subscription.wantInterval(0, outbox)
    pass(0)
    expect(sink.written).toEqual(['a1', 'a2'])
  })

  it('gets nothing once it has ended, and leaves no timer', () => {
    const { subscription, sink, pass } = paced()
    subscription.update(frame(A, 1))
    pass(0)
    subscription.update(frame(A, 2))
    subscription.end()
    expect(vi.getTimerCount()).toBe(0)
    pass(5_000)
    expect(sink.written).toEqual(['a1'])
  })

  it('gets the messages of a channel that came meanwhile together, in order', () => {
    const { outbox, sink, pass } = paced()
    const queue = outbox.paced(1_000)
    const waiting: string[] = []
    const queued = {
      next: null,
      get frameBytes() {
        return waiting.length
      },
      write: (to: Sink) => to.writeAnswer(waiting.shift() ?? ''),
    }
    const add = (text: string) => {
      waiting.push(text)
      if (waiting.length === 1) queue.enqueue(queued)
    }
    add('first')
    pass(0)
    for (const text of ['second', 'third', 'fourth']) add(text)
    pass(999)
    expect(sink.written).toEqual(['first'])
    pass(1)
    expect(sink.written).toEqual(['first', 'second', 'third', 'fourth'])
  })
})
