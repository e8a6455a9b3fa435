import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { CandleState } from '#actors/candles.ts'
import { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { StateSubscription } from '#gateway/outbox/eventSubscription.ts'
import type { Queued, Sink, WriteResult, Written } from '#gateway/outbox/outboxSubscription.ts'
import type { Candle, CandlesQuery } from '#resources/candles.ts'
import { createTestCandles, settle } from '#test/support/actors.ts'
import { addressOf } from '#test/support/snapshots.ts'

/*
 * What clients make of the messages, against the candles themselves, under any order of commits, reorgs, stalls and new connections. The
 * window is small, so that candles leave it often.
 */

const QUERY: CandlesQuery = { address: addressOf(1), interval: '1m', of: 'price', currency: 'weth', fill: false, limit: 4 }

interface Message {
  readonly sequence: number
  readonly from: number
  readonly data: readonly Candle[]
}

const client = fc.nat(1)
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    // Most commits change the newest candle, or add one.
    { weight: 4, arbitrary: fc.record({ do: fc.constant('commit' as const), drop: fc.nat(1), add: fc.nat(2) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('commit' as const), drop: fc.nat(8), add: fc.nat(6) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('stall' as const, 'read' as const, 'reconnect' as const), client }) },
    { weight: 3, arbitrary: fc.constant({ do: 'letRead' as const }) },
  ),
  { minLength: 1, maxLength: 40 },
)

it('are, folded by clients, the candles that REST answers', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async plan => {
      let stored: readonly Candle[] = []
      let commits = 0
      const page = () => {
        const data = stored.slice(-QUERY.limit)
        const [oldest] = data
        return { data, next: stored.length > QUERY.limit && oldest !== undefined ? { time: oldest.time } : null, asOfBlock: '1' }
      }
      const candles = createTestCandles(async () => page())
      const connect = () => {
        const joining = new FoldingClient()
        candles.subscribe(QUERY, joining.subscription)
        return joining
      }
      const clients = [connect(), connect()] as [FoldingClient, FoldingClient]
      const letRead = async () => {
        await settle()
        for (const one of clients) one.read()
      }
      for (const step of plan) {
        if (step.do === 'commit') {
          commits++
          const kept = stored.slice(0, Math.max(0, stored.length - step.drop))
          const last = kept.at(-1)?.time ?? 0
          // A candle after a reorg may be of another minute than the one in whose place it is.
          const added = Array.from({ length: step.add }, (_, n) => candleOf(last + 60 * (1 + n + (commits % 2)), commits))
          stored = [...kept, ...added]
          candles.changed(new Set([QUERY.address]))
        } else if (step.do === 'letRead') await letRead()
        else if (step.do === 'reconnect') {
          candles.unsubscribe(QUERY, clients[step.client === 0 ? 0 : 1].subscription)
          clients[step.client === 0 ? 0 : 1].subscription.end()
          clients[step.client === 0 ? 0 : 1] = connect()
        } else clients[step.client === 0 ? 0 : 1].isStalled = step.do === 'stall'
      }
      for (const one of clients) one.isStalled = false
      await letRead()
      for (const one of clients) {
        expect(one.candles.filter(({ time }) => time >= one.begins)).toEqual(stored.filter(({ time }) => time >= one.begins))
        // It knows at least the newest.
        expect(one.candles.slice(-1)).toEqual(stored.slice(-1))
      }
      await candles.stop()
    }),
    { numRuns: 500 },
  )
})

function candleOf(time: number, commit: number): Candle {
  const price = String(commit)
  return { time, open: price, high: price, low: price, close: price, volume: '1', trades: 1 }
}

type Step =
  | { readonly do: 'commit'; readonly drop: number; readonly add: number }
  | { readonly do: 'stall' | 'read' | 'reconnect'; readonly client: number }
  | { readonly do: 'letRead' }

/** A client that does with messages what their description says. */
class FoldingClient {
  candles: readonly Candle[] = []
  /** It knows the candles from here on. */
  begins = 0
  sequence = 0
  waiting: Queued | null = null
  isStalled = false
  readonly subscription: StateSubscription<CandleState>
  readonly #sink: Sink

  constructor() {
    const queue = {
      transport: 'webSocket',
      connection: {},
      minIntervalMs: 0,
      isBlocked: false,
      answer: () => undefined,
      enqueue: (queued: Queued) => {
        this.waiting = queued
      },
      dequeue: () => {
        this.waiting = null
      },
    } as const
    this.subscription = new StateSubscription(
      { channel: 'candles', id: 'chart', client: '127.0.0.1', takesChanges: true },
      queue,
      new RealtimeStats(() => 0),
    )
    this.#sink = {
      transport: 'webSocket',
      writeFrame: frame => this.#take(frame),
      writeAnswer: () => 'sent',
      cork: () => true,
      tooManyAnswers: () => undefined,
    }
  }

  read(): void {
    const { waiting } = this
    if (this.isStalled || waiting === null) return
    this.waiting = null
    expect(waiting.write(this.#sink)).toBe('sent')
  }

  #take({ webSocket }: Written): WriteResult {
    const { sequence, from, data } = JSON.parse(String(webSocket)) as Message
    expect(sequence).toBeGreaterThan(this.sequence)
    this.sequence = sequence
    this.candles = [...this.candles.filter(({ time }) => time < from), ...data]
    this.begins = from === 0 ? (data.length < QUERY.limit ? 0 : (data[0]?.time ?? 0)) : Math.min(this.begins, from)
    return 'sent'
  }
}
