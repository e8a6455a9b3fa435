import assert from 'node:assert/strict'
import { pino } from 'pino'
import type { Frame } from '#actors/token/frame.ts'
import { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { Flusher, Outbox } from '#gateway/outbox/outbox.ts'
import type { Sink, WriteResult } from '#gateway/outbox/outboxSubscription.ts'
import { frameOf } from '#test/support/frames.ts'
import { addressOf } from '#test/support/snapshots.ts'
import type { MicroBenchmark, MicroTask } from './microBenchmark.ts'

const BATCH = 100
const BYTES = new Uint8Array(1_500)

export const outboxBenchmark: MicroBenchmark = {
  name: 'outbox',
  about: 'queues frames in one connection’s outbox and flushes them to a socket that only counts',
  tasks: () => [
    put('1 frame, put and flushed', 1, 'sent'),
    put('50 frames, put and flushed in one cork', 50, 'sent'),
    put('1 frame, put in place of an older one', 1, 'refused'),
  ],
}

/** A socket that only counts. */
class CountingSink implements Sink {
  readonly transport = 'webSocket'
  writes = 0
  corks = 0
  readonly #result: WriteResult

  constructor(result: WriteResult) {
    this.#result = result
  }

  writeFrame(): WriteResult {
    this.writes++
    return this.#result
  }

  writeAnswer(): WriteResult {
    return this.#result
  }

  cork(write: () => void): boolean {
    this.corks++
    write()
    return this.#result === 'sent'
  }

  tooManyAnswers(): void {}
}

function put(name: string, tokens: number, result: 'sent' | 'refused'): MicroTask {
  const stats = new RealtimeStats(() => performance.now())
  const flusher = new Flusher({ schedule: () => {}, yieldTo: () => {}, now: () => 0, stats, logger: pino({ enabled: false }) })
  const sink = new CountingSink(result)
  const outbox = new Outbox(sink, flusher, stats, () => performance.now())
  const subscriptions = Array.from({ length: tokens }, (_, index) => outbox.subscription(addressOf(index + 1)))
  const blocks: (readonly Frame[])[] = []
  let sequence = 0
  const nextFrames = () => {
    sequence++
    return subscriptions.map(({ token }) => frameOf({ token, sequence, completedAtMs: 0, webSocket: BYTES, eventStream: BYTES }))
  }
  const deliver = (frames: readonly Frame[] | undefined) => {
    for (const [index, subscription] of subscriptions.entries()) {
      const frame = frames?.[index]
      if (frame !== undefined) subscription.update(frame)
    }
    flusher.flush()
    return sink.writes
  }
  // A socket that refuses a frame is blocked from then on.
  deliver(nextFrames())
  return {
    name,
    batch: BATCH,
    check: () => {
      const { writes, corks } = sink
      const { conflatedTotal } = stats.report()
      deliver(nextFrames())
      const isSent = result === 'sent'
      assert.equal(outbox.isBlocked, !isSent)
      assert.equal(sink.writes, writes + (isSent ? tokens : 0))
      assert.equal(sink.corks, corks + (tokens === 1 ? 0 : 1))
      assert.equal(stats.report().conflatedTotal, conflatedTotal + (isSent ? 0 : 1))
    },
    prepare: () => {
      for (let index = 0; index < BATCH; index++) blocks[index] = nextFrames()
    },
    run: index => deliver(blocks[index]),
  }
}
