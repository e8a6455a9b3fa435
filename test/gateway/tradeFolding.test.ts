import fc from 'fast-check'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import type { Registry } from '#actors/registry.ts'
import { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { Flusher } from '#gateway/outbox/flusher.ts'
import { Outbox } from '#gateway/outbox/outbox.ts'
import type { OutboxSubscription } from '#gateway/outbox/outboxSubscription.ts'
import type { Sink, WriteResult, Written } from '#gateway/outbox/sink.ts'
import type { TokenUpdate } from '#protocol/tokenUpdate.ts'
import type { Trade } from '#resources/trades.ts'
import { blockOf, createTestRegistry, settle } from '#test/support/actors.ts'
import { TRADED, TradeChain } from '#test/support/tradeChain.ts'
import { TradeFold } from '#test/support/tradeFold.ts'

/*
 * A client that folds the updates of a token, and reads over REST where they say so, holds the trades that REST has: however slowly it
 * reads, however often its connection is cut and resumed, and through restarts and reorgs.
 */

const CLIENTS = 3
class Client implements Sink {
  readonly transport = 'webSocket'
  readonly fold = new TradeFold()
  readonly #connect: (sink: Sink) => Outbox
  outbox: Outbox
  subscription: OutboxSubscription
  sequence: number | null = null
  /** What the socket has taken that the client has not read. */
  #unread: TokenUpdate[] = []
  #isStalled = false
  /** Updates that wait for the answer of a read. */
  #waiting: TokenUpdate[] = []
  #answer: readonly Trade[] | null = null

  constructor(connect: (sink: Sink) => Outbox) {
    this.#connect = connect
    this.outbox = connect(this)
    this.subscription = this.outbox.subscription(TRADED)
  }

  /** The connection is lost, with what is under way on it. */
  cut(registry: Registry): void {
    this.subscription.end()
    registry.unsubscribe(TRADED, this.subscription)
    this.outbox.close()
    this.#unread = []
    this.#isStalled = false
    this.outbox = this.#connect(this)
    this.subscription = this.outbox.subscription(TRADED)
  }

  join(registry: Registry): void {
    this.subscription.asked(undefined, false)
    registry.subscribe(TRADED, this.subscription, this.sequence)
  }

  stall(): void {
    this.#isStalled = true
  }

  drain(): void {
    this.#isStalled = false
    for (const update of this.#unread.splice(0)) this.#receive(update)
    if (this.outbox.isBlocked) this.outbox.resume()
  }

  startReading(chain: TradeChain): void {
    if (this.fold.isBehind) this.#answer ??= chain.trades
  }

  endReading(): void {
    if (this.#answer === null) return
    this.fold.read(this.#answer)
    this.#answer = null
    for (const update of this.#waiting.splice(0)) this.fold.apply(update)
  }

  writeFrame(frame: Written): WriteResult {
    if (this.#isStalled && this.#unread.length > 0) return 'refused'
    const update = JSON.parse(new TextDecoder().decode(frame.webSocket as Uint8Array)) as TokenUpdate
    if (this.#isStalled) this.#unread.push(update)
    else this.#receive(update)
    return this.#isStalled ? 'full' : 'sent'
  }

  writeAnswer(): WriteResult {
    return 'sent'
  }

  cork(write: () => void): boolean {
    write()
    return !this.#isStalled
  }

  tooManyAnswers(): void {}

  #receive(update: TokenUpdate): void {
    this.sequence = update.sequence
    if (this.#answer === null) this.fold.apply(update)
    else this.#waiting.push(update)
  }
}

const client = fc.nat({ max: CLIENTS - 1 })
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('commit' as const), trades: fc.nat({ max: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('reorg' as const), depth: fc.integer({ min: 1, max: 3 }), trades: fc.nat({ max: 2 }) }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom('stall' as const, 'drain' as const, 'cut' as const), client }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('startReading' as const, 'endReading' as const), client }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('tick' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

async function run(steps: readonly Step[]): Promise<void> {
  const chain = new TradeChain()
  chain.commit(1)
  const now = () => 0
  const stats = new RealtimeStats(now)
  const flusher = new Flusher({ schedule: () => {}, yieldTo: () => {}, now, stats, logger: pino({ enabled: false }) })
  const start = () => createTestRegistry({ load: async () => [chain.snapshot] })
  let registry = start()
  const clients = Array.from({ length: CLIENTS }, () => new Client(sink => new Outbox(sink, flusher, stats, now)))
  for (const one of clients) one.join(registry)
  await settle()
  const dispatch = () => registry.dispatch(blockOf(chain.snapshot))
  for (const one of steps) {
    switch (one.do) {
      case 'commit':
        chain.commit(one.trades)
        dispatch()
        break
      case 'reorg':
        chain.reorg(one.depth, one.trades)
        dispatch()
        break
      case 'cut':
        clients[one.client]?.cut(registry)
        clients[one.client]?.join(registry)
        break
      case 'stall':
      case 'drain':
      case 'endReading':
        clients[one.client]?.[one.do]()
        break
      case 'startReading':
        clients[one.client]?.startReading(chain)
        break
      case 'restart':
        for (const each of clients) each.cut(registry)
        registry.stop()
        registry = start()
        for (const each of clients) each.join(registry)
        await settle()
        break
      case 'tick':
        flusher.flush()
        break
    }
  }
  flusher.flush()
  for (const each of clients) {
    each.drain()
    flusher.flush()
    each.endReading()
    each.startReading(chain)
    each.endReading()
    expect(each.fold.held).toEqual(chain.trades)
  }
  registry.stop()
}

it('gives a client that folds updates the trades of the database', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), run), { numRuns: 400 })
})
