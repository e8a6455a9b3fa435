import fc from 'fast-check'
import { pino } from 'pino'
import type { Registry } from '#actors/registry.ts'
import { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { Flusher, Outbox } from '#gateway/outbox/outbox.ts'
import type { OutboxSubscription, Sink, WriteResult, Written } from '#gateway/outbox/outboxSubscription.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
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
export const readingStep = fc.record({ do: fc.constantFrom('stall' as const, 'drain' as const, 'cut' as const, 'move' as const), client })

type Stalling = Pick<StallingClient<unknown>, 'join' | 'cut' | 'stall' | 'drain'>

/** Some clients of two gateways. The second one may lag behind the first. Both forget all when they are restarted. */
export class StallingClients<Client extends Stalling> {
  readonly all: readonly Client[]
  readonly #flusher: Flusher
  readonly #start: () => Registry
  readonly #second = new Set<Client>()
  #gateways: readonly [Registry, Registry]
  /** What the second gateway has not been told; `null`: it does not lag. */
  #missed: CommittedBlock[] | null = null

  private constructor(start: () => Registry, open: (connect: (sink: Sink) => Outbox) => Client) {
    const now = () => 0
    const stats = new RealtimeStats(now)
    const flusher = new Flusher({ schedule: () => {}, yieldTo: () => {}, now, stats, logger: pino({ enabled: false }) })
    this.#flusher = flusher
    this.#start = start
    this.#gateways = [start(), start()]
    this.all = Array.from({ length: CLIENTS }, () => open(sink => new Outbox(sink, flusher, stats, now)))
  }

  static async join<Client extends Stalling>(start: () => Registry, open: (connect: (sink: Sink) => Outbox) => Client) {
    const clients = new StallingClients(start, open)
    for (const each of clients.all) each.join(clients.gatewayOf(each))
    await settle()
    return clients
  }

  gatewayOf(client: Client): Registry {
    return this.#gateways[this.#second.has(client) ? 1 : 0]
  }

  dispatch(block: CommittedBlock): void {
    this.#gateways[0].dispatch(block)
    if (this.#missed === null) this.#gateways[1].dispatch(block)
    else this.#missed.push(block)
  }

  /** `move`: the client is cut, and connects to the other gateway. */
  async perform(step: 'stall' | 'drain' | 'cut' | 'move', client: number): Promise<void> {
    const one = this.all[client]
    if (one === undefined) return
    if (step === 'stall' || step === 'drain') return one[step]()
    one.cut(this.gatewayOf(one))
    if (step === 'move' && !this.#second.delete(one)) this.#second.add(one)
    one.join(this.gatewayOf(one))
    await settle()
  }

  /** `lag`: the second gateway begins to lag, or is told what it has missed. */
  async share(step: 'restart' | 'tick' | 'lag'): Promise<void> {
    if (step === 'tick') return this.#flusher.flush()
    if (step === 'lag' && this.#missed !== null) return this.#catchUp()
    if (step === 'lag') return void (this.#missed = [])
    for (const each of this.all) each.cut(this.gatewayOf(each))
    for (const each of this.#gateways) each.stop()
    this.#gateways = [this.#start(), this.#start()]
    this.#missed = null
    for (const each of this.all) each.join(this.gatewayOf(each))
    await settle()
  }

  /** Lets each client read everything. */
  async *drained(): AsyncGenerator<Client> {
    await this.#catchUp()
    for (const each of this.all) {
      this.#flusher.flush()
      each.drain()
      this.#flusher.flush()
      yield each
    }
    for (const each of this.#gateways) each.stop()
  }

  async #catchUp(): Promise<void> {
    for (const block of this.#missed ?? []) this.#gateways[1].dispatch(block)
    this.#missed = null
    await settle()
  }
}
