import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { pino } from 'pino'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Transport } from '#actors/subscription.ts'
import type { Frame } from '#actors/token/frame.ts'
import { feedBlock, feedToken } from '#benchmarks/servers/feed.ts'
import { framesOf } from '#benchmarks/servers/frames.ts'
import { Session } from '#benchmarks/servers/session.ts'
import { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { Flusher, Outbox } from '#gateway/outbox/outbox.ts'
import type { Sink, WriteResult, Written } from '#gateway/outbox/outboxSubscription.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import { blockOf, createTestRegistry } from '#test/support/actors.ts'
import { stepUntil } from '#test/support/eventually.ts'
import { findProgram } from '#test/support/findProgram.ts'
import { frameOf } from '#test/support/frames.ts'

/*
 * The cost of fan-out in counts, which are equal on every machine. A change that raises one of them fails here. `npm run bench` compares
 * times.
 */

/** Bytes per delivery that V8 itself allocates now and then; a delivery allocates none. */
const BYTES_PER_DELIVERY = 4

/** An update of a token without holders, and one with 20 of them and a long text. */
const SMALL_BYTES = 2_157
const LARGE_BYTES = 16_315

/** Blocks whose updates of one connection fit into one write of 16 KB, the cork buffer of uWebSockets.js, and that take several. */
const SMALL_BLOCK = { touched: 9, tokens: 9, size: 'small' } as const
const LARGE_BLOCK = { touched: 50, tokens: 50, size: 'small' } as const
const CORK_BYTES = 16_384

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the budget of a delivery', () => {
  it.each([
    { webSocket: 1, eventStream: 0, forms: 1 },
    { webSocket: 1_000, eventStream: 0, forms: 1 },
    { webSocket: 1_000, eventStream: 200, forms: 2 },
  ])('encodes an update once for each transport: %j', ({ forms, ...connections }) => {
    const { sinks, commit, begin } = fixture(connections, 1)
    begin()
    const update = feedBlock(2, { touched: 1, tokens: 1, size: 'small' })
    const stringify = vi.spyOn(JSON, 'stringify')
    const encode = vi.spyOn(TextEncoder.prototype, 'encode')
    commit(update)
    // The state and its trades; the second form has the event's lines before the same JSON.
    expect(stringify).toHaveBeenCalledTimes(2)
    expect(encode).toHaveBeenCalledTimes(1 + forms)
    expect(new Set(sinks.flatMap(({ frames }) => [...frames])).size).toBe(forms)
    expect(sinks.every(({ writes }) => writes === 1)).toBe(true)
  })

  it('encodes nothing for a subscriber of a token whose update was encoded', () => {
    const { sinks, begin, join, flusher } = fixture({ webSocket: 1, eventStream: 1 }, 1)
    begin()
    const stringify = vi.spyOn(JSON, 'stringify')
    const encode = vi.spyOn(TextEncoder.prototype, 'encode')
    const joined = Array.from({ length: 100 }, (_, index) => join(index % 2 === 0 ? 'webSocket' : 'eventStream'))
    flusher.flush()
    const isUpdate = ([value]: readonly unknown[]) => typeof value === 'object' && value !== null && 'latestTrade' in value
    expect(stringify.mock.calls.filter(isUpdate)).toEqual([])
    expect(encode).not.toHaveBeenCalled()
    // All have the bytes of the snapshot that was sent to the first ones.
    expect(sinks).toHaveLength(2)
    expect(new Set(joined.flatMap(({ frames }) => [...frames])).size).toBe(2)
    expect(joined.every(({ writes }) => writes === 1)).toBe(true)
  })

  it('has no more bytes than it had', () => {
    const sizeOf = (size: 'small' | 'large') => [...framesOf(feedBlock(1, { touched: 1, tokens: 1, size })).values()][0]?.length
    expect(sizeOf('small')).toBeLessThanOrEqual(SMALL_BYTES)
    expect(sizeOf('large')).toBeLessThanOrEqual(LARGE_BYTES)
  })

  it('encodes nothing without subscribers', () => {
    const { commit, begin } = fixture({ webSocket: 1, eventStream: 0 }, 1)
    begin()
    const block = feedBlock(2, { touched: 100, tokens: 100, size: 'small' }).slice(1)
    const stringify = vi.spyOn(JSON, 'stringify')
    commit(block)
    expect(stringify).not.toHaveBeenCalled()
  })

  it('encodes an update that has to lose holders no second time', () => {
    const { commit, begin } = fixture({ webSocket: 1, eventStream: 0 }, 1)
    begin()
    const [update] = feedBlock(2, { touched: 1, tokens: 1, size: 'large' })
    if (update === undefined) throw new RangeError('no update')
    const tooLarge = { ...update, token: { ...update.token, description: 'd'.repeat(13_100) } }
    const whole = JSON.stringify(tooLarge).length
    const stringify = vi.spyOn(JSON, 'stringify')
    commit([tooLarge])
    const lengths = stringify.mock.results.map(({ value }) => String(value).length)
    expect(lengths.filter(length => length > whole / 2)).toHaveLength(1)
  })

  it.each([1, 2, 50, 60])('corks at most once per connection and block of %i tokens', tokens => {
    const { sinks, commit, begin } = fixture({ webSocket: 20, eventStream: 0 }, tokens)
    begin()
    commit(feedBlock(2, { touched: tokens, tokens, size: 'small' }))
    expect(sinks.map(({ writes, corks }) => [writes, corks])).toEqual(sinks.map(() => [tokens, tokens === 1 ? 0 : 1]))
  })

  it.each([
    ['one token', 1],
    ['50 tokens', 50],
  ])('allocates nothing per delivery of a block of %s', (_, tokens) => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const { sinks, flusher } = fixture({ webSocket: 0, eventStream: 0 }, tokens)
    expect(sinks).toEqual([])
    const stats = new RealtimeStats(() => 0)
    const sink = new CountingSink('webSocket')
    sink.isCounting = false
    const outbox = new Outbox(sink, flusher, stats, () => 0)
    const subscriptions = Array.from({ length: tokens }, (__, token) => outbox.subscription(feedToken(token)))
    const TURNS = 15
    const ROUNDS = Math.floor(30_000 / tokens)
    const bytes = new Uint8Array(1)
    const framesFor = (round: number) =>
      subscriptions.map(({ token }) => frameOf({ token, sequence: round, completedAtMs: 0, webSocket: bytes, eventStream: bytes }))
    const deliver = (frames: readonly (readonly Frame[])[]) => {
      for (const block of frames) {
        for (let index = 0; index < subscriptions.length; index++) {
          const frame = block[index]
          if (frame !== undefined) subscriptions[index]?.update(frame)
        }
        flusher.flush()
      }
    }
    const perDelivery = Array.from({ length: TURNS }, (__, turn) => {
      const frames = Array.from({ length: ROUNDS }, (__, round) => framesFor(turn * ROUNDS + round + 1))
      collect()
      const before = process.memoryUsage().heapUsed
      deliver(frames)
      return (process.memoryUsage().heapUsed - before) / (ROUNDS * tokens)
    })
    expect(sink.writes).toBe(TURNS * ROUNDS * tokens)
    // Code allocates until V8 has compiled it, which can take some turns.
    expect(Math.min(...perDelivery)).toBeLessThan(BYTES_PER_DELIVERY)
  })
})

const canRun = process.platform === 'linux' && findProgram({ names: ['cc'], aptPackage: 'gcc' }) !== null

describe.skipIf(!canRun)('the budget of a block on real sockets', () => {
  const CONNECTIONS = 5
  const BLOCKS = 4

  it.each([
    { block: { touched: 1, tokens: 1, size: 'small' } as const, why: 'one token' },
    { block: SMALL_BLOCK, why: 'nine tokens in 16 KB' },
    { block: LARGE_BLOCK, why: '50 tokens' },
  ])('is one write per connection and 16 KB, and no byte more than the updates: $why', async ({ block }) => {
    const blockBytes = [...framesOf(feedBlock(1, block)).values()].reduce((sum, { length }) => sum + length + (length < 126 ? 2 : 4), 0)
    const session = await Session.start('tokenwire')
    try {
      await session.open({ connections: CONNECTIONS, subscriptions: () => Array.from({ length: block.tokens }, (_, token) => token) })
      await session.deliver({ ...block, blocks: 1 })
      let writesPerBlock = Number.POSITIVE_INFINITY
      const deliver = async () => {
        const before = await session.load.count(0, CONNECTIONS)
        await session.deliver({ ...block, blocks: BLOCKS })
        const after = await session.load.count(0, CONNECTIONS)
        expect(after.bytes - before.bytes).toBe(blockBytes * BLOCKS * CONNECTIONS)
        writesPerBlock = (after.segments - before.segments) / BLOCKS / CONNECTIONS
      }
      // An update that does not fit into the rest of the 16 KB is written together with them. The kernel sends parts of a write to a load
      // that gets no processor for a while.
      await stepUntil(() => writesPerBlock <= Math.ceil(blockBytes / CORK_BYTES), deliver)
      expect(writesPerBlock).toBeGreaterThan(0)
    } finally {
      await session.stop()
    }
  })
})

/** The real path from the registry to sockets that only count. */
function fixture(connections: Readonly<Record<Transport, number>>, tokens: number) {
  const now = () => 0
  const registry = createTestRegistry({ ethUsd: () => '3000' })
  const stats = new RealtimeStats(now)
  const flusher = new Flusher({ schedule: () => {}, yieldTo: () => {}, now, stats, logger: pino({ enabled: false }) })
  const join = (transport: Transport) => {
    const sink = new CountingSink(transport)
    const outbox = new Outbox(sink, flusher, stats, now)
    for (let token = 0; token < tokens; token++) registry.subscribe(feedToken(token), outbox.subscription(feedToken(token)))
    return sink
  }
  const sinks = (['webSocket', 'eventStream'] as const).flatMap(transport =>
    Array.from({ length: connections[transport] }, () => join(transport)),
  )
  const commit = (snapshots: readonly TokenSnapshot[]) => {
    registry.dispatch(blockOf(...snapshots))
    flusher.flush()
  }
  /** The first commit sends every subscriber its snapshot. */
  const begin = () => {
    commit(feedBlock(1, { touched: tokens, tokens, size: 'small' }))
    for (const sink of sinks) Object.assign(sink, { writes: 0, corks: 0 })
    for (const sink of sinks) sink.frames.clear()
  }
  return { sinks, commit, begin, join, registry, flusher }
}

class CountingSink implements Sink {
  readonly transport: Transport
  readonly frames = new Set<Uint8Array | string>()
  writes = 0
  corks = 0
  isCounting = true

  constructor(transport: Transport) {
    this.transport = transport
  }

  writeFrame(frame: Written): WriteResult {
    this.writes++
    if (this.isCounting) this.frames.add(this.transport === 'webSocket' ? frame.webSocket : frame.eventStream)
    return 'sent'
  }

  writeAnswer(): WriteResult {
    return 'sent'
  }

  cork(write: () => void): boolean {
    this.corks++
    write()
    return true
  }

  tooManyAnswers(): void {}
}
