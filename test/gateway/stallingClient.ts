import fc from 'fast-check'
import { pino } from 'pino'
import type { Registry } from '#actors/registry.ts'
import { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { Flusher } from '#gateway/outbox/flusher.ts'
import { Outbox } from '#gateway/outbox/outbox.ts'
import type { OutboxSubscription } from '#gateway/outbox/outboxSubscription.ts'
import type { Sink, WriteResult, Written } from '#gateway/outbox/sink.ts'
import { settle } from '#test/support/actors.ts'
import { TRADED } from '#test/support/tradeChain.ts'

/** A client of one token that reads slowly, and whose connection is cut and resumed. */
export abstract class StallingClient<Message> implements Sink {
  readonly transport = 'webSocket'
  readonly #connect: (sink: Sink) => Outbox
  #outbox: Outbox
  protected subscription: OutboxSubscription
  /** What the socket has taken that the client has not read. */
  #unread: Message[] = []
  #isStalled = false

  constructor(connect: (sink: Sink) => Outbox) {
    this.#connect = connect
    this.#outbox = connect(this)
    this.subscription = this.#outbox.subscription(TRADED)
  }

  abstract join(registry: Registry): void

  /** The socket has taken the message. */
  protected taken(_message: Message): void {}

  protected abstract receive(message: Message): void

  /** The connection is lost, with what is under way on it. */
  cut(registry: Registry): void {
    this.subscription.end()
    registry.unsubscribe(TRADED, this.subscription)
    this.#outbox.close()
    this.#unread = []
    this.#isStalled = false
    this.#outbox = this.#connect(this)
    this.subscription = this.#outbox.subscription(TRADED)
  }

  stall(): void {
    this.#isStalled = true
  }

  drain(): void {
    this.#isStalled = false
    for (const message of this.#unread.splice(0)) this.receive(message)
    if (this.#outbox.isBlocked) this.#outbox.resume()
  }

  writeFrame(frame: Written): WriteResult {
    if (this.#isStalled && this.#unread.length > 0) return 'refused'
    const message = JSON.parse(new TextDecoder().decode(frame.webSocket as Uint8Array)) as Message
    this.taken(message)
    if (this.#isStalled) this.#unread.push(message)
    else this.receive(message)
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
}

const CLIENTS = 3

/** One of the clients. */
export const client = fc.nat({ max: CLIENTS - 1 })
export const commitStep = fc.record({ do: fc.constant('commit' as const), trades: fc.nat({ max: 3 }) })
export const reorgStep = fc.record({
  do: fc.constant('reorg' as const),
  depth: fc.integer({ min: 1, max: 3 }),
  trades: fc.nat({ max: 2 }),
})
export const readingStep = fc.record({ do: fc.constantFrom('stall' as const, 'drain' as const, 'cut' as const), client })

type Stalling = Pick<StallingClient<unknown>, 'join' | 'cut' | 'stall' | 'drain'>

/** Some clients of one registry, which forgets all when it is restarted. */
export class StallingClients<Client extends Stalling> {
  readonly all: readonly Client[]
  readonly #flusher: Flusher
  readonly #start: () => Registry
  registry: Registry

  private constructor(start: () => Registry, open: (connect: (sink: Sink) => Outbox) => Client) {
    const now = () => 0
    const stats = new RealtimeStats(now)
    const flusher = new Flusher({ schedule: () => {}, yieldTo: () => {}, now, stats, logger: pino({ enabled: false }) })
    this.#flusher = flusher
    this.#start = start
    this.registry = start()
    this.all = Array.from({ length: CLIENTS }, () => open(sink => new Outbox(sink, flusher, stats, now)))
  }

  static async join<Client extends Stalling>(start: () => Registry, open: (connect: (sink: Sink) => Outbox) => Client) {
    const clients = new StallingClients(start, open)
    for (const each of clients.all) each.join(clients.registry)
    await settle()
    return clients
  }

  perform(step: 'stall' | 'drain' | 'cut', client: number): void {
    const one = this.all[client]
    one?.[step](this.registry)
    if (step === 'cut') one?.join(this.registry)
  }

  async share(step: 'restart' | 'tick'): Promise<void> {
    if (step === 'tick') return this.#flusher.flush()
    for (const each of this.all) each.cut(this.registry)
    this.registry.stop()
    this.registry = this.#start()
    for (const each of this.all) each.join(this.registry)
    await settle()
  }

  /** Lets each client read everything. */
  *drained(): Generator<Client> {
    for (const each of this.all) {
      this.#flusher.flush()
      each.drain()
      this.#flusher.flush()
      yield each
    }
    this.registry.stop()
  }
}
