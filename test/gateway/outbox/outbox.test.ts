import { describe, expect, it } from 'vitest'
import { Outbox } from '#gateway/outbox/outbox.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { FakeSink, outboxFixture as fixture, frame } from './outboxFixture.ts'

const A = addressOf(0xa)
const B = addressOf(0xb)
const C = addressOf(0xc)

const subscribed = (token: typeof A, sequence: number | null) => `{"type":"subscribed","token":"${token}","sequence":${sequence}}`

describe('Outbox', () => {
  it('writes nothing before the tick ends', () => {
    const { outbox, sink, endTick } = fixture()
    outbox.subscription(A).update(frame(A, 1))
    expect(sink.written).toEqual([])
    endTick()
    expect(sink.written).toEqual(['a1'])
  })

  it('writes a single frame without a cork and several in one', () => {
    const { outbox, sink, endTick } = fixture()
    const subscriptions = [A, B, C].map(token => outbox.subscription(token))
    subscriptions[0]?.update(frame(A, 1))
    endTick()
    expect(sink.corks).toBe(0)
    for (const subscription of subscriptions) subscription.update(frame(subscription.token, 2))
    endTick()
    expect(sink.corks).toBe(1)
    expect(sink.written).toEqual(['a1', 'a2', 'b2', 'c2'])
  })

  it('schedules one flush a tick for all connections', () => {
    const { outbox, flusher, stats, ticks, endTick } = fixture()
    const other = new FakeSink()
    const otherOutbox = new Outbox(other, flusher, stats, () => 0)
    outbox.subscription(A).update(frame(A, 1))
    outbox.subscription(B).update(frame(B, 1))
    otherOutbox.subscription(A).update(frame(A, 1))
    expect(ticks).toHaveLength(1)
    endTick()
    expect(other.written).toEqual(['a1'])
    expect(ticks).toHaveLength(0)
  })

  it('keeps only the newest frame of a token within a tick', () => {
    const { outbox, sink, stats, endTick } = fixture()
    const subscription = outbox.subscription(A)
    for (const sequence of [1, 2, 3]) subscription.update(frame(A, sequence))
    endTick()
    expect(sink.written).toEqual(['a3'])
    expect(stats.report()).toMatchObject({ deliveredTotal: 1, conflatedTotal: 2 })
  })

  it('ignores what is not newer than what it was offered before, written or not', () => {
    const { outbox, sink, endTick } = fixture()
    const subscription = outbox.subscription(A)
    subscription.snapshot(frame(A, 5))
    subscription.update(frame(A, 4))
    subscription.update(frame(A, 5))
    endTick()
    subscription.snapshot(frame(A, 5))
    subscription.update(frame(A, 3))
    endTick()
    expect(sink.written).toEqual(['a5'])
  })

  it('answers before it sends, and sends nothing of a token after it was unsubscribed', () => {
    const { outbox, sink, endTick } = fixture()
    const first = outbox.subscription(A)
    first.subscribed(1)
    first.snapshot(frame(A, 1))
    first.update(frame(A, 2))
    first.end()
    outbox.answer('unsubscribed')
    first.update(frame(A, 3))
    first.subscribed(3)
    const second = outbox.subscription(A)
    second.subscribed(3)
    second.snapshot(frame(A, 3))
    endTick()
    expect(sink.written).toEqual([subscribed(A, 1), 'unsubscribed', subscribed(A, 3), 'a3'])
  })

  it('stops when the socket is full and goes on, newest frames only, when it is writable', () => {
    const { outbox, sink, stats, endTick } = fixture()
    const [a, b, c] = [outbox.subscription(A), outbox.subscription(B), outbox.subscription(C)]
    sink.room = 1
    for (const subscription of [a, b, c]) subscription.update(frame(subscription.token, 1))
    endTick()
    expect(sink.written).toEqual(['a1', 'b1'])
    expect(outbox.isBlocked).toBe(true)
    expect([a.lagging, b.lagging, c.lagging]).toEqual([false, false, true])
    for (const sequence of [2, 3]) for (const subscription of [a, b, c]) subscription.update(frame(subscription.token, sequence))
    endTick()
    expect(sink.written).toHaveLength(2)
    expect([a.lagging, b.lagging, c.lagging]).toEqual([true, true, true])
    sink.buffered = 0
    sink.room = 10
    expect(outbox.resume()).toBe(true)
    expect(sink.written.slice(2)).toEqual(['c3', 'a3', 'b3'])
    expect([a.lagging, b.lagging, c.lagging]).toEqual([false, false, false])
    expect(stats.report()).toMatchObject({ deliveredTotal: 5, conflatedTotal: 4 })
    expect(outbox.resume()).toBe(false)
  })

  it('goes on after back-pressure that is found out only when the cork ends', () => {
    const { outbox, sink, endTick } = fixture()
    const [a, b] = [outbox.subscription(A), outbox.subscription(B)]
    sink.cork = write => {
      write()
      return false
    }
    for (const subscription of [a, b]) subscription.update(frame(subscription.token, 1))
    endTick()
    expect(outbox.isBlocked).toBe(true)
    a.update(frame(A, 2))
    endTick()
    expect(sink.written).toEqual(['a1', 'b1'])
    outbox.resume()
    expect(sink.written).toEqual(['a1', 'b1', 'a2'])
  })

  it('keeps what a full socket refuses', () => {
    const { outbox, sink, stats, endTick } = fixture()
    sink.buffered = 1
    const subscription = outbox.subscription(A)
    subscription.subscribed(1)
    subscription.snapshot(frame(A, 1))
    endTick()
    expect(sink.written).toEqual([])
    expect(stats.report().deliveredTotal).toBe(0)
    sink.buffered = 0
    outbox.resume()
    expect(sink.written).toEqual([subscribed(A, 1), 'a1'])
  })

  it('keeps answers in order over a full socket, before frames', () => {
    const { outbox, sink, endTick } = fixture()
    sink.room = 1
    for (const answer of ['1', '2', '3']) outbox.answer(answer)
    outbox.subscription(A).update(frame(A, 1))
    endTick()
    outbox.answer('4')
    endTick()
    expect(sink.written).toEqual(['1', '2'])
    sink.buffered = 0
    sink.room = 10
    outbox.resume()
    expect(sink.written).toEqual(['1', '2', '3', '4', 'a1'])
  })

  it('owes at most one frame per subscription however often a client comes and goes', () => {
    const { outbox, sink, endTick } = fixture()
    sink.room = 0
    outbox.answer('x')
    endTick()
    for (let sequence = 1; sequence <= 100; sequence++) {
      const subscription = outbox.subscription(A)
      subscription.snapshot(frame(A, sequence))
      subscription.end()
    }
    endTick()
    expect(outbox.isEmpty).toBe(true)
  })

  it('says when a client does not read its answers', () => {
    const { outbox, sink, endTick } = fixture()
    sink.room = 0
    outbox.answer('x')
    endTick()
    for (let answer = 0; answer < 1_024; answer++) outbox.answer('y')
    endTick()
    expect(sink.overflows).toBe(0)
    outbox.answer('z')
    endTick()
    expect(sink.overflows).toBe(1)
  })

  it('tells since when nothing was read', () => {
    const { outbox, sink, clock, endTick } = fixture()
    sink.room = 0
    clock.nowMs = 100
    outbox.answer('x')
    endTick()
    expect(outbox.stuckSinceMs).toBe(100)
    clock.nowMs = 200
    outbox.block()
    expect(outbox.stuckSinceMs).toBe(100)
    outbox.progress()
    expect(outbox.stuckSinceMs).toBe(200)
    sink.buffered = 0
    outbox.resume()
    expect(outbox.stuckSinceMs).toBeNull()
    outbox.progress()
    expect(outbox.stuckSinceMs).toBeNull()
  })

  it('writes nothing once it is closed', () => {
    const { outbox, sink, ticks, endTick } = fixture()
    const subscription = outbox.subscription(A)
    subscription.update(frame(A, 1))
    outbox.close()
    endTick()
    subscription.update(frame(A, 2))
    outbox.answer('x')
    expect(ticks).toHaveLength(0)
    expect(sink.written).toEqual([])
  })

  it('gives an event stream frames and no answers', () => {
    const { outbox, sink, endTick } = fixture('eventStream')
    const subscription = outbox.subscription(A)
    expect(subscription.transport).toBe('eventStream')
    subscription.subscribed(1)
    subscription.snapshot(frame(A, 1))
    endTick()
    expect(sink.written).toEqual(['a1'])
  })
})
