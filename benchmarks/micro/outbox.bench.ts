import assert from 'node:assert/strict'
import { pino } from 'pino'
import type { Frame } from '#actors/token/frame.ts'
import type { MicroBenchmark, MicroTask } from '#benchmarks/micro/microBenchmark.ts'
import { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { Flusher } from '#gateway/outbox/flusher.ts'
import { Outbox } from '#gateway/outbox/outbox.ts'
import type { Sink, WriteResult, Written } from '#gateway/outbox/sink.ts'
import { frameOf } from '#test/support/frames.ts'
import { addressOf } from '#test/support/snapshots.ts'

const BATCH = 100
const BYTES = new Uint8Array(1_500)

export const outboxBenchmark: MicroBenchmark = {
  name: 'outbox',
  about: 'queues frames in one connection’s outbox and flushes them to a socket that only counts',
  tasks: () => [putAndFlush(1), putAndFlush(50), conflate()],
}

/** A socket that only counts. */
class CountingSink implements Sink {
  readonly transport = 'webSocket'
  frames = 0
  corks = 0
  last: Written | null = null
  result: WriteResult = 'sent'

  writeFrame(frame: Written): WriteResult {
    if (this.result !== 'refused') {
      this.frames++
      this.last = frame
    }
    return this.result
  }

  writeAnswer(): WriteResult {
    return this.result
  }

  cork(write: () => void): boolean {
    this.corks++
    write()
    return this.result === 'sent'
  }

  tooManyAnswers(): void {}
}

function fixture(tokens: number) {
  const now = () => performance.now()
  const stats = new RealtimeStats(now)
  const flusher = new Flusher({ schedule: () => {}, yieldTo: () => {}, now: () => 0, stats, logger: pino({ enabled: false }) })
  const sink = new CountingSink()
  const outbox = new Outbox(sink, flusher, stats, now)
  const subscriptions = Array.from({ length: tokens }, (_, index) => outbox.subscription(addressOf(index + 1)))
  let sequence = 0
  const nextFrame = (token: Frame['token']): Frame => frameOf({ token, sequence, completedAtMs: 0, webSocket: BYTES, eventStream: BYTES })
  /** Makes a newer frame for each subscription. */
  const nextFrames = (): readonly Frame[] => {
    sequence++
    return subscriptions.map(({ token }) => nextFrame(token))
  }
  const put = (frames: readonly Frame[] | undefined) => {
    for (const [index, subscription] of subscriptions.entries()) {
      const frame = frames?.[index]
      if (frame !== undefined) subscription.update(frame)
    }
  }
  return { stats, flusher, sink, outbox, nextFrames, put }
}

function putAndFlush(tokens: number): MicroTask {
  const { flusher, sink, outbox, nextFrames, put } = fixture(tokens)
  const blocks: (readonly Frame[])[] = []
  return {
    name: tokens === 1 ? '1 frame, put and flushed' : `${tokens} frames, put and flushed in one cork`,
    batch: BATCH,
    check: () => {
      const { frames, corks } = sink
      const block = nextFrames()
      put(block)
      flusher.flush()
      assert.equal(sink.frames, frames + tokens)
      assert.equal(sink.corks, corks + (tokens === 1 ? 0 : 1))
      assert.equal(sink.last, block.at(-1))
      assert.ok(outbox.isEmpty)
    },
    prepare: () => {
      for (let index = 0; index < BATCH; index++) blocks[index] = nextFrames()
    },
    run: index => {
      put(blocks[index])
      flusher.flush()
      return sink.frames
    },
  }
}

function conflate(): MicroTask {
  const { stats, flusher, sink, outbox, nextFrames, put } = fixture(1)
  sink.result = 'refused'
  put(nextFrames())
  flusher.flush()
  const blocks: (readonly Frame[])[] = []
  return {
    name: '1 frame, put in place of an older one',
    batch: BATCH,
    check: () => {
      assert.ok(outbox.isBlocked)
      const { conflatedTotal } = stats.report()
      const { frames } = sink
      put(nextFrames())
      flusher.flush()
      assert.equal(stats.report().conflatedTotal, conflatedTotal + 1)
      assert.equal(sink.frames, frames)
    },
    prepare: () => {
      for (let index = 0; index < BATCH; index++) blocks[index] = nextFrames()
    },
    run: index => put(blocks[index]),
  }
}
