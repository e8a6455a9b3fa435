import type { Logger } from 'pino'
import type { Address } from '#domain/address.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'
import type { ActorState, ActorStateName, ActorsHealth } from '#domain/health.ts'
import { type LoadOutcome, Loads } from './loads.ts'
import type { History, Quotes, Subscription } from './ports.ts'
import type { TokenEvent } from './token/events.ts'
import { createTokenMachine } from './token/machine.ts'
import { TokenActor, type TokenMachine } from './token/tokenActor.ts'

/** How often `sweep` wants to be called, in ms. */
export const SWEEP_INTERVAL_MS = 5_000

/** Actors kept though nobody watches them; past this the one that was left first goes at once. A client that comes and goes can't make more. */
const MAX_IDLE_ACTORS = 2_000

/** Actors that retry in one sweep: 10 ms of work, so that an outage does not delay the updates of other tokens. */
const RETRIED_AT_ONCE = 2_000

const CONCURRENT_LOADS = 8
const LOAD_TIMEOUT_MS = 15_000

export interface RegistryOptions {
  readonly history: History
  readonly quotes: Quotes
  readonly logger: Logger
  /** Monotonic, in ms: `performance.now`. */
  readonly now: () => number
  /** Wall clock: `() => new Date()`. */
  readonly date: () => Date
  /** Told when a token has an actor and when it has none any more, within the same call; for whoever can't ask `has`. Must not throw. */
  readonly watching?: { began(token: Address): void; ended(token: Address): void }
}

export type ActorSort = 'subscribers' | 'sequence' | 'lastUpdateAt'

export interface ActorsQuery {
  readonly state?: ActorStateName
  /** Largest or newest first; a `null` comes last. */
  readonly sort: ActorSort
  readonly limit: number
}

/**
 * The actors of the tokens that somebody watches: one per token, made for the first subscriber and removed some sweeps after the last one
 * has left. Everything that reaches an actor passes here; a token nobody watches costs one look-up.
 *
 * The number of actors is bounded by the subscriptions that connections may have.
 */
export class Registry {
  readonly #options: RegistryOptions
  readonly #machine: TokenMachine
  readonly #loads: Loads
  readonly #ethUsd: () => string | null
  readonly #actors = new Map<Address, TokenActor>()
  /** Nobody watches these; in the order in which they were left. */
  readonly #idle = new Set<TokenActor>()
  readonly #resyncing = new Set<TokenActor>()
  #failures = 0
  #passivations = 0
  #stopped = false

  constructor(options: RegistryOptions) {
    const { history, quotes, now } = options
    this.#options = options
    this.#loads = new Loads({
      history,
      now,
      concurrency: CONCURRENT_LOADS,
      timeoutMs: LOAD_TIMEOUT_MS,
      finished: (token, outcome) => this.#loaded(token, outcome),
    })
    this.#ethUsd = () => quotes.ethUsd()
    this.#machine = createTokenMachine({ load: token => this.#loads.request(token), ethUsd: this.#ethUsd })
  }

  /** Actors that failed and were replaced, since the start. */
  get failuresTotal(): number {
    return this.#failures
  }

  /** Actors that were removed because nobody watched them, since the start. */
  get passivationsTotal(): number {
    return this.#passivations
  }

  /**
   * Subscribes, or asks again. The subscription is answered once the token's state is known, which may be before this returns.
   *
   * @param held the newest sequence that the client says it has: no snapshot is offered unless there is a newer one
   */
  subscribe(token: Address, subscription: Subscription, held: number | null = null): void {
    if (this.#stopped) return
    const actor = this.#actors.get(token) ?? this.#activate(token, null)
    actor.join({ type: 'joined', subscription, held }, this.#ethUsd)
    this.#fileUnlessReplaced(actor)
  }

  /** The text of a token's address that its actor has, so that thousands of subscriptions need not each keep their own. */
  sameText(token: Address): Address {
    return this.#actors.get(token)?.token ?? token
  }

  /** Nothing is offered to the subscription after this. */
  unsubscribe(token: Address, subscription: Subscription): void {
    const actor = this.#actors.get(token)
    if (actor !== undefined) this.#send(actor, { type: 'left', subscription })
  }

  /** Whether the token has an actor: anybody subscribes to it, or did a moment ago. */
  has(token: Address): boolean {
    return this.#actors.has(token)
  }

  /** Passes a committed block on. Never throws and never waits; call it in the order of the commits. */
  dispatch(block: CommittedBlock): void {
    for (const snapshot of block.tokens) {
      const actor = this.#actors.get(snapshot.token.address)
      if (actor !== undefined) this.#send(actor, { type: 'committed', snapshot, completedAtMs: block.completedAtMs })
    }
    for (const token of block.unread) {
      const actor = this.#actors.get(token)
      if (actor !== undefined) this.#send(actor, { type: 'suspected' })
    }
    for (const token of block.dropped) {
      const actor = this.#actors.get(token)
      if (actor === undefined) continue
      // What is being loaded may be the state from before.
      this.#loads.cancel(token)
      this.#send(actor, { type: 'dropped' })
    }
  }

  /** Passivates actors that nobody watches and tries again what failed. To be called every `SWEEP_INTERVAL_MS`. */
  sweep(): void {
    this.#loads.sweep()
    const nowMs = this.#options.now()
    const retrying = firstOf(this.#resyncing, RETRIED_AT_ONCE)
    for (const actor of new Set([...this.#idle, ...retrying])) {
      // To the end of the line, so that every actor has its turn.
      this.#resyncing.delete(actor)
      this.#send(actor, { type: 'swept', nowMs })
    }
  }

  health(): ActorsHealth {
    const byState: Record<string, number> = { activating: 0, live: 0, resyncing: 0 }
    let subscribers = 0
    for (const actor of this.#actors.values()) {
      byState[actor.name] = (byState[actor.name] ?? 0) + 1
      subscribers += actor.subscribers.size
    }
    return { total: this.#actors.size, byState, subscribers }
  }

  list(query: ActorsQuery): readonly ActorState[] {
    const keyed = [...this.#actors.values()]
      .filter(actor => query.state === undefined || actor.name === query.state)
      .map(actor => ({ actor, key: sortKey(actor, query.sort) }))
    keyed.sort((a, b) => compareDescending(a.key, b.key))
    return keyed.slice(0, query.limit).map(({ actor }) => actor.state())
  }

  /** `null`: nobody watches the token. It counts the token's subscribers, so it is for people; see `sequence`. */
  get(token: Address): ActorState | null {
    return this.#actors.get(token)?.state() ?? null
  }

  /** The sequence of the state that the token's actor holds; `null`: it holds none, or there is no actor. */
  sequence(token: Address): number | null {
    return this.#actors.get(token)?.sequence ?? null
  }

  /** Stops all actors; what is called afterwards does nothing. */
  stop(): void {
    this.#stopped = true
    this.#loads.stop()
    for (const actor of this.#actors.values()) actor.stop()
    this.#actors.clear()
    this.#idle.clear()
    this.#resyncing.clear()
  }

  #activate(token: Address, replaces: TokenActor | null): TokenActor {
    const actor = new TokenActor({
      machine: this.#machine,
      token,
      replaces,
      nowMs: this.#options.now(),
      activatedAt: this.#options.date().toISOString(),
      failed: (failed, error) => this.#replace(failed, error),
    })
    this.#actors.set(token, actor)
    if (replaces === null) this.#options.watching?.began(token)
    actor.start()
    return this.#actors.get(token) ?? actor
  }

  #send(actor: TokenActor, event: TokenEvent): void {
    actor.send(event)
    this.#fileUnlessReplaced(actor)
  }

  /** An actor that failed over an event has been replaced. */
  #fileUnlessReplaced(actor: TokenActor): void {
    if (this.#actors.get(actor.token) === actor) this.#file(actor)
  }

  #file(actor: TokenActor): void {
    if (actor.name === 'passivated') {
      this.#remove(actor)
      return
    }
    if (actor.name === 'resyncing') this.#resyncing.add(actor)
    else this.#resyncing.delete(actor)
    if (actor.subscribers.size > 0) this.#idle.delete(actor)
    else this.#idle.add(actor)
    const [longest] = this.#idle
    if (longest !== undefined && this.#idle.size > MAX_IDLE_ACTORS) this.#send(longest, { type: 'evicted' })
  }

  #remove(actor: TokenActor): void {
    this.#passivations++
    this.#actors.delete(actor.token)
    this.#options.watching?.ended(actor.token)
    this.#idle.delete(actor)
    this.#resyncing.delete(actor)
    this.#loads.cancel(actor.token)
  }

  /** The subscribers go to a new actor, which reads the token after a pause that grows with the failures. */
  #replace(failed: TokenActor, error: unknown): void {
    this.#failures++
    this.#idle.delete(failed)
    this.#resyncing.delete(failed)
    this.#loads.cancel(failed.token)
    this.#options.logger.error({ token: failed.token, err: error }, 'token actor failed and is replaced')
    this.#file(this.#activate(failed.token, failed))
  }

  #loaded(token: Address, outcome: LoadOutcome): void {
    const actor = this.#actors.get(token)
    if (!outcome.ok) this.#options.logger.warn({ token, err: outcome.error }, 'token could not be loaded')
    if (actor === undefined) return
    const nowMs = this.#options.now()
    if (outcome.ok) this.#send(actor, { type: 'loaded', snapshot: outcome.snapshot, nowMs })
    else this.#send(actor, { type: 'loadFailed', nowMs })
  }
}

function firstOf<T>(items: Iterable<T>, count: number): readonly T[] {
  const first: T[] = []
  for (const item of items) {
    if (first.length === count) break
    first.push(item)
  }
  return first
}

function sortKey(actor: TokenActor, sort: ActorSort): number | string | null {
  switch (sort) {
    case 'subscribers':
      return actor.subscribers.size
    case 'sequence':
      return actor.sequence
    case 'lastUpdateAt':
      return actor.lastUpdateAt
  }
}

/** Keys of one sort are of one type; `null` comes last. */
function compareDescending(a: number | string | null, b: number | string | null): number {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return a < b ? 1 : -1
}
