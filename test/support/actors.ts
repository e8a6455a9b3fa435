import { pino } from 'pino'
import { createWatchedCandles, type WatchedCandles, type WatchedCandlesOptions } from '#actors/candles.ts'
import { createEventChannels, type EventChannels } from '#actors/events/eventChannel.ts'
import { createLists, type Lists, type ListsOptions } from '#actors/lists.ts'
import { createRegistry, type Registry, type RegistryOptions } from '#actors/registry.ts'
import type { Subscription, Transport } from '#actors/subscription.ts'
import type { Frame } from '#actors/token/frame.ts'
import type { Address } from '#domain/address.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import { MemoryEvents } from '#test/support/memoryEvents.ts'
import { hashOf } from '#test/support/snapshots.ts'

export type Call =
  | { readonly type: 'subscribed'; readonly sequence: number | null }
  | { readonly type: 'snapshot' | 'update'; readonly sequence: number; readonly frame: Frame }

/** A subscription that records its calls. */
export class RecordingSubscription implements Subscription {
  readonly calls: Call[] = []
  lagging = false
  /** Whether updates replace unsent ones. */
  replaces = false
  readonly transport: Transport
  readonly client: object

  constructor(transport: Transport = 'webSocket', client: object = {}) {
    this.transport = transport
    this.client = client
  }

  subscribed(sequence: number | null): void {
    this.calls.push({ type: 'subscribed', sequence })
  }

  holds(): void {}

  snapshot(frame: Frame): void {
    this.calls.push({ type: 'snapshot', sequence: frame.sequence, frame })
  }

  update(frame: Frame): boolean {
    this.calls.push({ type: 'update', sequence: frame.sequence, frame })
    return this.replaces
  }

  /** The calls, as `subscribed 7`, `snapshot 7`, `update 8`. */
  get log(): readonly string[] {
    return this.calls.map(call => `${call.type} ${call.sequence}`)
  }

  get frames(): readonly Frame[] {
    return this.calls.flatMap(call => (call.type === 'subscribed' ? [] : [call.frame]))
  }
}

interface PendingLoad {
  readonly token: Address
  resolve(): void
  reject(): void
}

/** A database in memory. The test releases its answers; each is the state at the time of the query. */
export class HeldHistory {
  readonly stored = new Map<Address, TokenSnapshot>()
  readonly pending: PendingLoad[] = []
  loads = 0

  /** Answers a batch when the test has released each of its tokens, and fails it with the first that fails. */
  readonly load = async (tokens: readonly Address[]): Promise<readonly TokenSnapshot[]> => {
    const found = await Promise.all(tokens.map(token => this.#hold(token)))
    return found.filter(snapshot => snapshot !== null)
  }

  #hold(token: Address): Promise<TokenSnapshot | null> {
    this.loads++
    const snapshot = this.stored.get(token) ?? null
    return new Promise((resolve, reject) => {
      const remove = () => this.pending.splice(this.pending.indexOf(load), 1)
      const load: PendingLoad = {
        token,
        resolve: () => {
          remove()
          resolve(snapshot)
        },
        reject: () => {
          remove()
          reject(new Error('the database is away'))
        },
      }
      this.pending.push(load)
    })
  }

  store(snapshot: TokenSnapshot): TokenSnapshot {
    this.stored.set(snapshot.token.address, snapshot)
    return snapshot
  }
}

/** A registry with the given dependencies, and without a database, a price or a log otherwise. */
export function createTestRegistry(options: Partial<RegistryOptions> = {}): Registry {
  return createRegistry({
    load: async () => [],
    ethUsd: () => null,
    onActivated: () => {},
    onPassivated: () => {},
    logger: pino({ enabled: false }),
    now: () => 0,
    epochMs: () => 0,
    ...options,
  })
}

/** Channels over the given events: default: none. */
export function createTestChannels(events = new MemoryEvents(), now = () => 0): EventChannels {
  return createEventChannels({ read: events.read, ethUsd: () => null, logger: pino({ enabled: false }), now })
}

/** Lists over a read of tokens. Default: there are none. */
export function createTestLists(
  read: ListsOptions['read'] = async () => ({ data: [], next: null, asOfBlock: '456' }),
  count: ListsOptions['count'] = async () => null,
): Lists {
  return createLists({
    read,
    count,
    ethUsd: () => '3000',
    logger: pino({ enabled: false }),
    epochMs: () => 1_795_000_000_000,
    now: () => 0,
  })
}

/** Candles over a read of them. Default: no token is indexed. */
export function createTestCandles(read: WatchedCandlesOptions['read'] = async () => null): WatchedCandles {
  return createWatchedCandles({ read, logger: pino({ enabled: false }), epochMs: () => 1_795_000_000_000 })
}

/** A registry on a history in memory and clocks that the test moves. */
export class RegistryFixture {
  readonly history = new HeldHistory()
  nowMs = 1_000
  /** The price that the registry reads; may throw. */
  ethUsd: () => string | null = () => null
  /** The tokens that have an actor, as `onActivated` and `onPassivated` report them. */
  readonly watched = new Set<Address>()
  /** Actors that failed and were replaced, as the log reports them. */
  failures = 0
  readonly registry = createTestRegistry({
    onActivated: token => this.watched.add(token),
    onPassivated: token => this.watched.delete(token),
    load: this.history.load,
    ethUsd: () => this.ethUsd(),
    logger: pino({ level: 'error' }, { write: () => void this.failures++ }),
    now: () => this.nowMs,
    epochMs: () => 1_795_000_000_000 + this.nowMs,
  })

  /** @param stored states in the history */
  constructor(...stored: readonly TokenSnapshot[]) {
    for (const snapshot of stored) this.history.store(snapshot)
  }

  /** A new subscription to a token. @param held the sequence that its client says it has */
  join(token: Address, held?: number): RecordingSubscription {
    const subscription = new RecordingSubscription()
    this.registry.subscribe(token, subscription, held)
    return subscription
  }

  /** Stores a state as the database would and dispatches the block that made it. */
  commit(snapshot: TokenSnapshot): void {
    this.history.store(snapshot)
    this.registry.dispatch(blockOf(snapshot))
  }

  /** Lets all pending loads answer, and the loads that follow from them. */
  async answerLoads(): Promise<void> {
    await settle()
    while (this.history.pending.length > 0) {
      this.history.pending[0]?.resolve()
      await settle()
    }
  }

  async failLoads(): Promise<void> {
    await settle()
    while (this.history.pending.length > 0) this.history.pending[0]?.reject()
    await settle()
  }

  sweep(times = 1, everyMs = 5_000): void {
    for (let sweep = 0; sweep < times; sweep++) {
      this.nowMs += everyMs
      this.registry.sweep()
    }
  }
}

export function blockOf(...tokens: readonly TokenSnapshot[]): CommittedBlock {
  return { number: 456, hash: hashOf(456), timestamp: 1_795_000_000, completedAtMs: 900, tokens, unread: [], dropped: [] }
}

/** Runs the continuations of all settled promises. */
export async function settle(): Promise<void> {
  await new Promise<void>(resolve => {
    setImmediate(resolve)
  })
}
