import { describe, expect, it } from 'vitest'
import { Outbox } from '#gateway/outbox/outbox.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { FakeSink, outboxFixture as fixture, frame } from './outboxFixture.ts'

const A = addressOf(0xa)
const B = addressOf(0xb)

describe('Flusher', () => {
  it('flushes the others when one fails', () => {
    const { flusher, outbox, sink, endTick } = fixture()
    flusher.add({
      nextToFlush: undefined,
      flushSlice: () => {
        throw new Error('a defect')
      },
    })
    outbox.subscription(A).update(frame(A, 1))
    endTick()
    expect(sink.written).toEqual(['a1'])
  })

  it('writes behind the others what is put in while it flushes', () => {
    const { flusher, outbox, sink, ticks, endTick } = fixture()
    const subscription = outbox.subscription(A)
    const other = outbox.subscription(B)
    flusher.add({ nextToFlush: undefined, flushSlice: () => subscription.update(frame(A, 1)) })
    other.update(frame(B, 1))
    endTick()
    expect(sink.written).toEqual(['b1', 'a1'])
    expect(ticks).toHaveLength(0)
  })

  describe('with more to write than a turn has time for', () => {
    /** Connections of which each takes 1 ms to write a frame: eight in a turn. */
    function crowd(count: number) {
      const { clock, ticks, turns, stats, flusher, endTick } = fixture()
      const sinks = Array.from({ length: count }, () => new FakeSink())
      const subscriptions = sinks.map(sink => {
        const outbox = new Outbox(sink, flusher, stats, () => clock.nowMs)
        const writeFrame = sink.writeFrame.bind(sink)
        sink.writeFrame = written => {
          clock.nowMs++
          return writeFrame(written)
        }
        return outbox.subscription(A)
      })
      const offer = (sequence: number) => {
        for (const subscription of subscriptions) subscription.update(frame(A, sequence))
      }
      const written = () => sinks.map(sink => sink.written.join(' '))
      const turn = () => turns.splice(0).forEach(run => run())
      return { ticks, turns, stats, flusher, sinks, subscriptions, offer, written, endTick, turn }
    }

    it('lets the event loop do other things in between and then goes on', () => {
      const { ticks, turns, offer, written, endTick, turn } = crowd(20)
      offer(1)
      endTick()
      expect(written()).toEqual(Array.from({ length: 20 }, (_, n) => (n < 8 ? 'a1' : '')))
      expect(turns).toHaveLength(1)
      turn()
      expect(written()).toEqual(Array.from({ length: 20 }, (_, n) => (n < 16 ? 'a1' : '')))
      turn()
      expect(written()).toEqual(Array.from({ length: 20 }, () => 'a1'))
      expect([...ticks, ...turns]).toEqual([])
    })

    it('writes a newer update that comes in between in place of the one that is not written yet', () => {
      const { ticks, turns, stats, offer, written, endTick, turn } = crowd(20)
      offer(1)
      endTick()
      offer(2)
      // What is put in now waits for its turn, too.
      expect(ticks).toEqual([])
      while (turns.length > 0) turn()
      expect(written()).toEqual(Array.from({ length: 20 }, (_, n) => (n < 8 ? 'a1 a2' : 'a2')))
      expect(stats.report()).toMatchObject({ deliveredTotal: 28, conflatedTotal: 12 })
    })

    it('writes nothing twice for a connection that flushes by itself while it stands in line', () => {
      const { flusher, sinks, subscriptions, stats, turns, offer, endTick, turn } = crowd(20)
      const late = new FakeSink()
      const outbox = new Outbox(late, flusher, stats, () => 0)
      const own = outbox.subscription(A)
      offer(1)
      own.update(frame(A, 1))
      endTick()
      outbox.flush()
      expect(late.written).toEqual(['a1'])
      own.update(frame(A, 2))
      subscriptions[0]?.update(frame(A, 2))
      while (turns.length > 0) turn()
      expect(late.written).toEqual(['a1', 'a2'])
      expect(sinks[0]?.written).toEqual(['a1', 'a2'])
      expect(stats.report()).toMatchObject({ deliveredTotal: 23, conflatedTotal: 0 })
    })

    it('begins with a new tick once all is written', () => {
      const { ticks, turns, offer, written, endTick, turn } = crowd(9)
      offer(1)
      endTick()
      while (turns.length > 0) turn()
      offer(2)
      expect(ticks).toHaveLength(1)
      endTick()
      while (turns.length > 0) turn()
      expect(written()).toEqual(Array.from({ length: 9 }, () => 'a1 a2'))
    })
  })

  it('lets the others write between the slices of one that is owed much', () => {
    const { flusher, stats, endTick } = fixture()
    const order: string[] = []
    const connection = (name: string, tokens: number) => {
      const sink = new FakeSink()
      sink.cork = write => {
        const before = sink.written.length
        write()
        order.push(`${name} ${sink.written.length - before}`)
        return true
      }
      const outbox = new Outbox(sink, flusher, stats, () => 0)
      return Array.from({ length: tokens }, (_, index) => outbox.subscription(addressOf(index + 1)))
    }
    const connections = [connection('greedy', 20), connection('one', 2), connection('other', 2)]
    for (const subscriptions of connections)
      for (const subscription of subscriptions) subscription.update(frame(subscription.token, 1, 16_384))
    endTick()
    expect(order).toEqual(['greedy 8', 'one 2', 'other 2', 'greedy 8', 'greedy 4'])
  })

  it('goes on behind the others when a reader that was stuck takes more again', () => {
    const { flusher, stats, sink, outbox, endTick } = fixture()
    sink.room = 0
    for (let n = 1; n <= 20; n++) outbox.subscription(addressOf(n)).update(frame(addressOf(n), 1, 16_384))
    endTick()
    expect(sink.written).toHaveLength(1)
    Object.assign(sink, { room: Number.POSITIVE_INFINITY, buffered: 0 })
    outbox.resume()
    expect(sink.written).toHaveLength(9)
    const other = new FakeSink()
    new Outbox(other, flusher, stats, () => 0).subscription(A).update(frame(A, 1))
    endTick()
    expect(other.written).toEqual(['a1'])
    expect(sink.written).toHaveLength(20)
  })
})
