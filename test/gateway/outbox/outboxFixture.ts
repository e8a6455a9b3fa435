import { pino } from 'pino'
import type { Transport } from '#actors/subscription.ts'
import type { Address } from '#domain/address.ts'
import { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { Flusher, Outbox } from '#gateway/outbox/outbox.ts'
import type { Sink, WriteResult, Written } from '#gateway/outbox/outboxSubscription.ts'
import { frameOf, type PlainFrame } from '#test/support/frames.ts'

/** A socket that takes as many writes as the test allows, and writes down what it took. */
export class FakeSink implements Sink {
  readonly written: string[] = []
  readonly transport: Transport
  /** Writes that leave; the one after them is buffered, and what follows is refused. */
  room = Number.POSITIVE_INFINITY
  buffered = 0
  corks = 0
  overflows = 0

  constructor(transport: Transport = 'webSocket') {
    this.transport = transport
  }

  writeFrame(frame: Written): WriteResult {
    const { token, sequence } = frame as PlainFrame
    return this.#write(`${Number(token).toString(16)}${sequence}`)
  }

  writeAnswer(text: string): WriteResult {
    return this.#write(text)
  }

  cork(write: () => void): boolean {
    this.corks++
    write()
    return this.buffered === 0
  }

  tooManyAnswers(): void {
    this.overflows++
  }

  #write(text: string): WriteResult {
    if (this.buffered > 0) return 'refused'
    this.written.push(text)
    if (this.room > 0) {
      this.room--
      return 'sent'
    }
    this.buffered++
    return 'full'
  }
}

export const frame = (token: Address, sequence: number, bytes = 0): PlainFrame =>
  frameOf({
    token,
    sequence,
    completedAtMs: 0,
    webSocket: new Uint8Array(bytes),
    eventStream: new Uint8Array(),
  })

/** An outbox and the flusher that it waits in, with time, ticks and turns that the test moves. */
export function outboxFixture(transport: Transport = 'webSocket') {
  const clock = { nowMs: 0 }
  const ticks: (() => void)[] = []
  const turns: (() => void)[] = []
  const stats = new RealtimeStats(() => clock.nowMs)
  const flusher = new Flusher({
    schedule: flush => ticks.push(flush),
    yieldTo: flush => turns.push(flush),
    now: () => clock.nowMs,
    stats,
    logger: pino({ enabled: false }),
  })
  const sink = new FakeSink(transport)
  const outbox = new Outbox(sink, flusher, stats, () => clock.nowMs)
  const endTick = () => {
    for (const tick of ticks.splice(0)) tick()
  }
  return { clock, ticks, turns, stats, flusher, sink, outbox, endTick }
}
