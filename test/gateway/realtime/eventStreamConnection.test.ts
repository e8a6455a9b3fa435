import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import type { Frame } from '#actors/token/frame.ts'
import { createAdmission } from '#gateway/admission/admission.ts'
import { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { Flusher } from '#gateway/outbox/outbox.ts'
import { EventStreamConnection } from '#gateway/realtime/eventStreamConnection.ts'
import type { HttpResponse } from '#gateway/uWebSockets.ts'
import { CONFIG } from '#test/gateway/startGateway.ts'
import { createTestCandles, createTestChannels, createTestLists } from '#test/support/actors.ts'
import { frameOf } from '#test/support/frames.ts'
import { addressOf } from '#test/support/snapshots.ts'

/** A response whose kernel takes what the test lets it take. */
class FakeResponse {
  readonly calls: string[] = []
  accepts = true
  writable: () => boolean = () => true

  write(chunk: string | Uint8Array): boolean {
    this.calls.push(typeof chunk === 'string' ? chunk.trim() : new TextDecoder().decode(chunk))
    return this.accepts
  }

  cork(write: () => void): this {
    write()
    return this
  }

  onWritable(handler: () => boolean): this {
    this.writable = handler
    return this
  }

  writeStatus = () => this
  writeHeader = () => this
  pause = () => this.calls.push('pause')
  resume = () => this.calls.push('resume')
  close = () => this.calls.push('close')
  end = () => this.calls.push('end')
}

const frame = (sequence: number): Frame =>
  frameOf({
    token: addressOf(1),
    sequence,
    completedAtMs: 0,
    webSocket: new Uint8Array(),
    eventStream: new TextEncoder().encode(`frame ${sequence}`),
  })

describe('EventStreamConnection', () => {
  it('proves with a comment, once, that a frame has left which nothing followed', () => {
    const { update, sweepAfter, taken } = fixture()
    update()
    expect(taken()).toEqual(['frame 1'])
    sweepAfter(3_000)
    update()
    sweepAfter(3_000)
    expect(taken()).toEqual(['frame 2'])
    sweepAfter(1_000)
    expect(taken()).toEqual([':'])
    sweepAfter(10_000)
    expect(taken()).toEqual([])
    sweepAfter(4_000)
    expect(taken()).toEqual([':'])
  })

  it('keeps a stuck stream open and quiet until it has been stuck for a minute', () => {
    const { update, sweepAfter, taken, response } = fixture()
    response.accepts = false
    update()
    expect(taken()).toEqual(['frame 1'])
    update()
    for (let second = 0; second < 7; second++) sweepAfter(1_000)
    expect(taken()).toEqual(['pause', 'resume', 'pause', 'resume'])
    sweepAfter(52_000)
    expect(taken()).toEqual(['pause', 'resume'])
    sweepAfter(1_000)
    expect(taken()).toEqual(['close'])
  })

  it('finds out by the comment that a stream is stuck', () => {
    const { update, sweepAfter, taken, response } = fixture()
    update()
    response.accepts = false
    sweepAfter(4_000)
    expect(taken()).toEqual(['frame 1', ':'])
    update()
    expect(taken()).toEqual([])
    response.accepts = true
    response.writable()
    expect(taken()).toEqual(['frame 2'])
  })

  it('writes a comment when the socket is writable and nothing is owed, since nothing else pushes on what is buffered', () => {
    const { update, taken, response } = fixture()
    update()
    expect(taken()).toEqual(['frame 1'])
    expect(response.writable()).toBe(true)
    expect(taken()).toEqual([':'])
  })

  it('writes the newest frame when the socket is writable', () => {
    const { update, taken, response } = fixture()
    response.accepts = false
    for (let n = 0; n < 4; n++) update()
    expect(taken()).toEqual(['frame 1'])
    response.writable()
    expect(taken()).toEqual(['frame 4'])
    response.accepts = true
    response.writable()
    expect(taken()).toEqual([':'])
    update()
    expect(taken()).toEqual(['frame 5'])
  })

  it('leaves a comment for the next sweep when this one has written enough', () => {
    const { clock, connection, taken } = fixture()
    const budget = { left: 0 }
    clock.nowMs = 20_000
    connection.sweep(clock.nowMs, budget)
    expect(taken()).toEqual([])
    connection.sweep(clock.nowMs, { left: 1 })
    expect(taken()).toEqual([':'])
  })
})

function fixture() {
  const clock = { nowMs: 0 }
  const now = () => clock.nowMs
  const logger = pino({ enabled: false })
  const stats = new RealtimeStats(now)
  const flusher = new Flusher({ schedule: flush => flush(), yieldTo: flush => flush(), now, stats, logger })
  const response = new FakeResponse()
  let subscription: { update(frame: Frame): void } | undefined
  const connection = new EventStreamConnection(
    {
      res: response as unknown as HttpResponse,
      subscription: { of: 'token', token: addressOf(1), lastSequence: null, delta: false, minIntervalMs: 0 },
      client: { address: '127.0.0.1', key: null, keyIn: 'nowhere' },
      headers: [],
      isAborted: () => false,
      onAborted: () => {},
    },
    {
      config: { maxMessagesPerSecond: 50, maxSubscriptionsPerConnection: 200, drainSeconds: 0, launchpads: CONFIG.launchpads },
      admission: createAdmission(CONFIG, logger),
      registry: {
        subscribe: (_, given) => {
          subscription = given
        },
        unsubscribe: () => {},
        internAddress: token => token,
      },
      channels: createTestChannels(),
      lists: createTestLists(),
      candles: createTestCandles(),
      flusher,
      stats,
      logger,
      now,
      epochMs: () => 0,
    },
    () => {},
  )
  connection.open()
  response.calls.length = 0
  let sequence = 0
  return {
    clock,
    response,
    connection,
    update: () => subscription?.update(frame(++sequence)),
    /** A sweep after some time. */
    sweepAfter: (ms: number) => {
      clock.nowMs += ms
      connection.sweep(clock.nowMs, { left: 1 })
    },
    taken: () => response.calls.splice(0),
  }
}
