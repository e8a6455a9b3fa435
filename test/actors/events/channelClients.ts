import fc from 'fast-check'
import { pino } from 'pino'
import { expect } from 'vitest'
import { EventChannel } from '#actors/events/eventChannel.ts'
import { EventFilter, type EventFilters } from '#actors/events/eventFilter.ts'
import type { EventMessage, EventSubscriber } from '#actors/events/eventMessages.ts'
import { type ChannelPosition, comparePlaces, type EventPlace } from '#domain/eventPlace.ts'
import type { Trade } from '#resources/trades.ts'
import { MemoryEvents } from '#test/support/memoryEvents.ts'
import { addressOf } from '#test/support/snapshots.ts'

/** More events than this since a client's position are a gap. */
const MAX_REPLAYED = 12
const PAGES = { following: 4, behind: 3 }
/** Messages that a connection takes while its client does not read. */
const MAX_WAITING = 2

/** One connection of a client: what it is told waits while the client does not read. */
class Connection implements EventSubscriber {
  readonly #client: Client
  #waiting: (() => void)[] = []

  constructor(client: Client) {
    this.#client = client
  }

  get isDrained(): boolean {
    return this.#waiting.length === 0
  }

  get messages(): number {
    return this.#waiting.length
  }

  subscribed(position: ChannelPosition): void {
    this.#tell(() => this.#client.begin(position))
  }

  deliver(message: EventMessage, reorgs: number): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false
    this.#tell(() => this.#client.take(message, reorgs))
    return true
  }

  reorg(fromBlock: number, position: ChannelPosition): void {
    this.#tell(() => this.#client.forget(fromBlock, position))
  }

  gap(from: EventPlace, position: ChannelPosition): void {
    this.#tell(() => this.#client.repair(from, position))
  }

  read(): void {
    for (const run of this.#waiting.splice(0)) run()
  }

  #tell(run: () => void): void {
    if (this.#client.isReading) run()
    else this.#waiting.push(run)
  }
}

/** A client that keeps what it is told as the contract says, and fails where it is told something twice or out of order. */
export class Client {
  readonly filter: EventFilter
  readonly held = new Map<string, EventPlace>()
  isReading = true
  connection: Connection | null = null
  position: ChannelPosition | null = null
  /** What came before is not its own. */
  start: EventPlace | null = null
  gaps = 0
  /** The position of the newest reorg that voided everything. */
  begunAnew: ChannelPosition | null = null
  readonly #stored: MemoryEvents

  constructor(stored: MemoryEvents, filters: EventFilters) {
    this.#stored = stored
    this.filter = new EventFilter(filters)
  }

  begin(position: ChannelPosition): void {
    this.start ??= position.place
    this.position ??= position
  }

  take({ place, data }: EventMessage, reorgs: number): void {
    for (const { id, blockNumber, logIndex } of JSON.parse(data) as readonly Trade[]) {
      const at = { blockNumber: Number(blockNumber), logIndex }
      expect(this.held.has(id)).toBe(false)
      expect(comparePlaces(at, this.position?.place ?? at)).toBeGreaterThan(0)
      expect(at.blockNumber).toBe(place.blockNumber)
      this.held.set(id, at)
      this.position = { place: at, reorgs }
    }
    expect(this.position?.place).toEqual(place)
  }

  forget(fromBlock: number, position: ChannelPosition): void {
    for (const [id, at] of this.held) if (at.blockNumber >= fromBlock) this.held.delete(id)
    if (this.start !== null && comparePlaces(position.place, this.start) < 0) this.start = position.place
    this.position = position
    if (fromBlock === 0) this.begunAnew = position
  }

  /** As REST answers: what the database holds of the gap now. */
  repair(from: EventPlace, position: ChannelPosition): void {
    this.gaps++
    for (const event of this.#stored.events) {
      if (comparePlaces(event.place, from) <= 0 || comparePlaces(event.place, position.place) > 0 || !this.filter.fits(event)) continue
      this.held.set((event.data as Trade).id, event.place)
    }
    this.position = position
  }

  get expected(): readonly string[] {
    const { start, filter } = this
    if (start === null) return []
    return this.#stored.events.flatMap(event =>
      comparePlaces(event.place, start) > 0 && filter.fits(event) ? [(event.data as Trade).id] : [],
    )
  }
}

const FILTERS: readonly EventFilters[] = [
  {},
  { tokens: [addressOf(1), addressOf(2)] },
  { wallets: [addressOf(11)] },
  { tokens: [addressOf(2)], wallets: [addressOf(10), addressOf(11)] },
  { launchpads: ['clanker'] },
  { minWeth: '0.1' },
]

export class Fixture {
  readonly stored = new MemoryEvents(MAX_REPLAYED)
  readonly clients = FILTERS.map(filters => new Client(this.stored, filters))
  nowMs = 0
  failures = 0
  fails = false
  /** Every read answers after others have run: with what was stored when it began. */
  readonly channel = new EventChannel({
    channel: 'trades',
    read: async query => {
      if (this.fails) throw new Error('the database is away')
      const result = await this.stored.read(query)
      await turn()
      return result
    },
    ethUsd: () => null,
    logger: pino({ level: 'warn' }, { write: () => void this.failures++ }),
    now: () => this.nowMs,
    pages: PAGES,
  })

  connect(client: Client): void {
    if (client.connection !== null) return
    const connection = new Connection(client)
    client.connection = connection
    this.channel.subscribe(connection, client.filter, client.position ?? { place: null, reorgs: null })
  }

  /** What waits on the connection is lost. */
  disconnect(client: Client): void {
    if (client.connection === null) return
    this.channel.unsubscribe(client.connection)
    client.connection = null
  }

  resume(client: Client): void {
    client.isReading = true
    if (client.connection === null || client.connection.isDrained) return
    client.connection.read()
    this.channel.drained(client.connection)
  }

  /** Until all subscribers that read have everything. */
  async settle(): Promise<void> {
    for (let turns = 0; turns < 400; turns++) await turn()
  }
}

const turn = () =>
  new Promise<void>(resolve => {
    setImmediate(resolve)
  })

type Step =
  | { readonly kind: 'commit'; readonly trades: readonly (readonly [number, number])[] }
  | { readonly kind: 'reorg'; readonly dropped: number; readonly grown: number }
  | { readonly kind: 'connect' | 'disconnect' | 'stall' | 'resume'; readonly client: number }
  | { readonly kind: 'fail' | 'wait' }

const trade = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 10, max: 12 }))
const ofClient = (kind: 'connect' | 'disconnect' | 'stall' | 'resume', weight: number) => ({
  weight,
  arbitrary: fc.record({ kind: fc.constant(kind), client: fc.nat({ max: FILTERS.length - 1 }) }),
})
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('commit' as const), trades: fc.array(trade, { maxLength: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reorg' as const), dropped: fc.integer({ min: 1, max: 4 }), grown: fc.nat(4) }) },
  ofClient('connect', 4),
  ofClient('disconnect', 2),
  ofClient('stall', 2),
  ofClient('resume', 2),
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('wait' as const) }) },
)

export async function perform(fixture: Fixture, one: Step): Promise<void> {
  const { stored, channel } = fixture
  switch (one.kind) {
    case 'commit':
      stored.commit(...one.trades)
      channel.changed()
      return
    case 'reorg':
      stored.drop(one.dropped)
      for (let block = 0; block < one.grown; block++) stored.commit([1, 10], [2, 11])
      channel.changed()
      return
    case 'fail':
      fixture.fails = true
      channel.changed()
      await turn()
      fixture.fails = false
      return
    case 'wait':
      for (let turns = 0; turns < 6; turns++) await turn()
      return
    default: {
      const client = fixture.clients[one.client]
      if (client === undefined) return
      if (one.kind === 'connect') fixture.connect(client)
      if (one.kind === 'disconnect') fixture.disconnect(client)
      if (one.kind === 'stall') client.isReading = false
      if (one.kind === 'resume') fixture.resume(client)
      expect(client.connection?.messages ?? 0).toBeLessThanOrEqual(MAX_WAITING + 3)
    }
  }
}

/** A client comes back when a reorg has taken every block off the chain. */
export const EMPTIED: Step[] = [
  { kind: 'connect', client: 0 },
  { kind: 'wait' },
  { kind: 'commit', trades: [[2, 10]] },
  { kind: 'wait' },
  { kind: 'disconnect', client: 0 },
  { kind: 'reorg', dropped: 1, grown: 0 },
  { kind: 'wait' },
  { kind: 'connect', client: 1 },
  { kind: 'wait' },
]
