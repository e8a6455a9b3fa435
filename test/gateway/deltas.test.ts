import process from 'node:process'
import fc from 'fast-check'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import type { Registry } from '#actors/registry.ts'
import { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { Flusher } from '#gateway/outbox/flusher.ts'
import { Outbox } from '#gateway/outbox/outbox.ts'
import type { OutboxSubscription } from '#gateway/outbox/outboxSubscription.ts'
import type { Sink, WriteResult, Written } from '#gateway/outbox/sink.ts'
import { applyDelta } from '#protocol/applyDelta.ts'
import { encodeUpdate } from '#protocol/encodeUpdate.ts'
import { tokenDeltaSchema } from '#protocol/schemas/messages.ts'
import type { TokenDelta, TokenUpdate, UpdatedState } from '#protocol/tokenUpdate.ts'
import { snapshotWithUsd, type TokenSnapshot } from '#resources/tokenSnapshot.ts'
import { blockOf, createTestRegistry, settle } from '#test/support/actors.ts'
import { ChangingToken } from '#test/support/changingToken.ts'
import { TRADED } from '#test/support/tradeChain.ts'

/*
 * A client that applies deltas holds the state of the newest sequence that it was sent, byte for byte: however slowly it reads, and through
 * cuts, restarts, reorgs, prices of ether, truncated updates and changes of its subscription.
 */

/** Number of runs, and the seed of the first. */
const RUNS = Number(process.env['DELTA_RUNS'] ?? 60)
const SEED = process.env['DELTA_SEED']

const CLIENTS = 3

type Message = TokenUpdate | TokenDelta
type State = Pick<UpdatedState, 'sequence' | 'token' | 'latestTrade' | 'holders'>

const textOf = ({ token, latestTrade, holders }: Pick<State, 'token' | 'latestTrade' | 'holders'>) =>
  JSON.stringify([token, latestTrade, holders])

/** All states of the token that a client may hold, as text. */
class Truth {
  ethUsd: string | null = '3000'
  readonly #states = new Map<number, Set<string>>()

  /** Call it after each change of the token or of the price. */
  note(snapshot: TokenSnapshot): void {
    const { update } = encodeUpdate(snapshotWithUsd(snapshot, this.ethUsd))
    const states = this.#states.get(update.sequence) ?? new Set()
    this.#states.set(update.sequence, states.add(textOf(update)).add(textOf({ ...update, holders: [] })))
  }

  has(state: State): boolean {
    return this.#states.get(state.sequence)?.has(textOf(state)) === true
  }
}

class Client implements Sink {
  readonly transport = 'webSocket'
  readonly #connect: (sink: Sink) => Outbox
  readonly #truth: Truth
  outbox: Outbox
  subscription: OutboxSubscription
  state: State | null = null
  deltas = 0
  #withDeltas = true
  /** The sequence that this connection was sent last, as long as all was sent with deltas. */
  #sent: number | null = null
  #unread: Message[] = []
  #isStalled = false

  constructor(connect: (sink: Sink) => Outbox, truth: Truth) {
    this.#connect = connect
    this.#truth = truth
    this.outbox = connect(this)
    this.subscription = this.outbox.subscription(TRADED)
  }

  cut(registry: Registry): void {
    this.subscription.end()
    registry.unsubscribe(TRADED, this.subscription)
    this.outbox.close()
    this.#unread = []
    this.#isStalled = false
    this.#sent = null
    this.outbox = this.#connect(this)
    this.subscription = this.outbox.subscription(TRADED)
  }

  join(registry: Registry, { holders = true, deltas = true, isFresh = false } = {}): void {
    this.#withDeltas = deltas
    this.subscription.wantHolders(holders)
    this.subscription.wantDeltas(deltas)
    this.subscription.asked(undefined, false)
    registry.subscribe(TRADED, this.subscription, isFresh ? null : (this.state?.sequence ?? null))
  }

  stall(): void {
    this.#isStalled = true
  }

  drain(): void {
    this.#isStalled = false
    for (const message of this.#unread.splice(0)) this.#receive(message)
    if (this.outbox.isBlocked) this.outbox.resume()
  }

  writeFrame(frame: Written): WriteResult {
    if (this.#isStalled && this.#unread.length > 0) return 'refused'
    const message = JSON.parse(new TextDecoder().decode(frame.webSocket as Uint8Array)) as Message
    if (message.type === 'token.delta') {
      expect(this.#withDeltas).toBe(true)
      expect(message.base).toBe(this.#sent)
      expect(message.sequence).toBeGreaterThan(message.base)
      tokenDeltaSchema.parse(message)
    }
    this.#sent = message.sequence
    if (this.#isStalled) this.#unread.push(message)
    else this.#receive(message)
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

  #receive(message: Message): void {
    if (message.type === 'token.delta') this.deltas++
    if (message.type === 'token.update') this.state = message
    else if (this.state === null) throw new Error('a delta without a state before it')
    else this.state = { ...(applyDelta(this.state, message) as State), sequence: message.sequence }
    expect(this.#truth.has(this.state)).toBe(true)
  }
}

const client = fc.nat({ max: CLIENTS - 1 })
const step = fc.oneof(
  { weight: 10, arbitrary: fc.record({ do: fc.constant('commit' as const), trades: fc.nat({ max: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('reorg' as const), depth: fc.integer({ min: 1, max: 3 }), trades: fc.nat({ max: 2 }) }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom('stall' as const, 'drain' as const, 'cut' as const), client }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('join' as const), client, holders: fc.boolean(), deltas: fc.boolean(), isFresh: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('price' as const), ethUsd: fc.constantFrom('3000', '3100', null) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('restart' as const, 'drop' as const) }) },
  { weight: 14, arbitrary: fc.record({ do: fc.constant('tick' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

let deltas = 0

async function run(steps: readonly Step[], seed: number): Promise<void> {
  const chain = new ChangingToken(seed)
  const truth = new Truth()
  const now = () => 0
  const stats = new RealtimeStats(now)
  const flusher = new Flusher({ schedule: () => {}, yieldTo: () => {}, now, stats, logger: pino({ enabled: false }) })
  const start = () => createTestRegistry({ load: async () => [chain.snapshot], ethUsd: () => truth.ethUsd })
  let registry = start()
  const commit = () => {
    truth.note(chain.snapshot)
    registry.dispatch(blockOf(chain.snapshot))
  }
  chain.commit(1)
  truth.note(chain.snapshot)
  const clients = Array.from({ length: CLIENTS }, () => new Client(sink => new Outbox(sink, flusher, stats, now), truth))
  for (const one of clients) one.join(registry)
  await settle()
  for (const one of steps) {
    switch (one.do) {
      case 'commit':
        chain.commit(one.trades)
        commit()
        break
      case 'reorg':
        chain.reorg(one.depth, one.trades)
        commit()
        break
      case 'cut':
        clients[one.client]?.cut(registry)
        clients[one.client]?.join(registry)
        break
      case 'stall':
      case 'drain':
        clients[one.client]?.[one.do]()
        break
      case 'join':
        clients[one.client]?.join(registry, one)
        break
      case 'price':
        truth.ethUsd = one.ethUsd
        truth.note(chain.snapshot)
        break
      case 'drop':
        registry.dispatch({ ...blockOf(), dropped: [TRADED] })
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
  chain.commit(1)
  commit()
  for (const each of clients) {
    flusher.flush()
    each.drain()
    flusher.flush()
    expect(each.state?.sequence).toBe(chain.snapshot.token.sequence)
    deltas += each.deltas
  }
  registry.stop()
}

it('makes of deltas and full updates the state that the database has', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), fc.nat(), run), {
    numRuns: RUNS,
    ...(SEED !== undefined && { seed: Number(SEED) }),
  })
  // It would prove nothing if the clients had been sent full updates only.
  expect(deltas).toBeGreaterThan(RUNS * 5)
})
