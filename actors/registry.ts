import type { Logger } from 'pino'
import type { Address } from '#domain/address.ts'
import { getOrInsert } from '#domain/maps.ts'
import type { ActorSort, ActorState, ActorsQuery } from '#resources/actors.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { ActorsHealth } from '#resources/health.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import type { Subscription } from './subscription.ts'
import { type Predecessor, TokenActor } from './token/tokenActor.ts'
import type { ActorEvent } from './token/tokenState.ts'

/** The time between two calls of `sweep`. */
export const SWEEP_INTERVAL_MS = 5_000

/** The most actors without subscribers. Beyond it, the longest idle one is removed at once, so that clients can't add any number. */
const MAX_IDLE_ACTORS = 2_000

/** The most actors that retry in one sweep, which takes some 10 ms: an outage must not delay the updates of other tokens. */
const RETRIES_PER_SWEEP = 2_000

/** Two batches leave the database's other connections to requests. */
const CONCURRENT_LOADS = 2
/** The most tokens per batch: one statement of a few ms, whose outcomes keep the event loop busy for about as long. */
const LOAD_BATCH = 128
const LOAD_TIMEOUT_MS = 15_000

export interface RegistryOptions {
  /** Reads committed states in one statement, without the tokens that are not indexed. When it rejects, the actors load again later. */
  readonly load: (tokens: readonly Address[]) => Promise<readonly TokenSnapshot[]>
  /** USD per ETH as a plain decimal; `null`: no price may be shown. */
  readonly ethUsd: () => string | null
  /** Called when an address gets or loses its actor, before the call that causes it returns. Must not throw. */
  readonly onActivated: (token: Address) => void
  readonly onPassivated: (token: Address) => void
  readonly logger: Logger
  /** Monotonic milliseconds, for durations. */
  readonly now: () => number
  /** Unix milliseconds, for times that operators see. */
  readonly epochMs: () => number
}

/**
 * The actors of all watched addresses: one per address, created for its first subscriber and removed some sweeps after the last one has
 * left. Every event for an actor passes through here. For a token without an actor, it costs one look-up.
 */
export interface Registry {
  /**
   * Subscribes, possibly again. The subscription is answered when the token's state is known, which may be before this returns, and gets a
   * snapshot only of a state that is newer than `lastSequence`, the newest one that the client says it has.
   */
  subscribe(token: Address, subscription: Subscription, lastSequence?: number | null): void
  unsubscribe(token: Address, subscription: Subscription): void
  /** The string that the token's actor uses for its address, so that thousands of subscriptions share one string. */
  internAddress(token: Address): Address
  /** Passes a committed block on. Never throws, never waits. Call it in the order of the commits. */
  dispatch(block: CommittedBlock): void
  sweep(): void
  health(): ActorsHealth
  list(query: ActorsQuery): readonly ActorState[]
  /** `null`: the token has no actor. Walks over all subscribers of the token: for operators. */
  get(token: Address): ActorState | null
  /** The sequence of the state that the token's actor has; `null`: it has none, or there is no actor. Costs one look-up. */
  sequence(token: Address): number | null
  stop(): void
}

export function createRegistry({ load, ethUsd, onActivated, onPassivated, logger, now, epochMs }: RegistryOptions): Registry {
  const actors = new Map<Address, TokenActor>()
  /** The actors without subscribers, in the order in which they lost the last one. */
  const idle = new Set<TokenActor>()
  const resyncing = new Set<TokenActor>()
  let isStopped = false
  const loads = createLoads({
    load,
    now,
    concurrency: CONCURRENT_LOADS,
    batchSize: LOAD_BATCH,
    timeoutMs: LOAD_TIMEOUT_MS,
    onLoaded,
    onFailed: (tokens, err) => logger.warn({ err, tokens: tokens.length, first: tokens[0] }, 'tokens could not be loaded'),
  })

  function begin(token: Address, predecessor: Predecessor | null): TokenActor {
    const activatedAt = new Date(epochMs()).toISOString()
    const actor = new TokenActor({ token, load: loads.request, ethUsd, onFailure: replace, nowMs: now(), activatedAt }, predecessor)
    actors.set(token, actor)
    return actor
  }

  function activate(token: Address): TokenActor {
    onActivated(token)
    return begin(token, null)
  }

  /** Gives the subscribers of a failed actor to a new one, which loads the token after a delay that grows with the failures. */
  function replace(failed: TokenActor, error: unknown): void {
    const { token, subscribers, eventsHandled } = failed
    loads.cancel(token)
    logger.error({ token, err: error }, 'token actor failed and is replaced')
    idle.delete(failed)
    resyncing.delete(failed)
    updateQueues(begin(token, { subscribers, eventsHandled, failures: failed.failuresAt(now()) }))
  }

  function send(actor: TokenActor, event: ActorEvent): void {
    actor.send(event)
    // An actor that has failed on the event is replaced already, and its successor is in the queues.
    if (actors.get(actor.token) === actor) updateQueues(actor)
  }

  /** Updates, after an event, whether the actor is idle or waits for a retry, and removes it when it has passivated. */
  function updateQueues(actor: TokenActor): void {
    if (actor.name === 'passivated') {
      remove(actor)
      return
    }
    if (actor.name === 'resyncing') resyncing.add(actor)
    else resyncing.delete(actor)
    if (actor.subscribers.size > 0) idle.delete(actor)
    else idle.add(actor)
    const [longestIdle] = idle
    if (longestIdle !== undefined && idle.size > MAX_IDLE_ACTORS) send(longestIdle, { type: 'evicted' })
  }

  function remove(actor: TokenActor): void {
    actors.delete(actor.token)
    onPassivated(actor.token)
    idle.delete(actor)
    resyncing.delete(actor)
    loads.cancel(actor.token)
  }

  function onLoaded(token: Address, outcome: LoadOutcome): void {
    const actor = actors.get(token)
    if (actor === undefined) return
    if (outcome.kind === 'loaded') send(actor, { type: 'loaded', snapshot: outcome.snapshot, nowMs: now() })
    else send(actor, { type: 'loadFailed', nowMs: now() })
  }

  return {
    subscribe(token, subscription, lastSequence = null) {
      if (isStopped) return
      const actor = actors.get(token) ?? activate(token)
      loads.queueFor(token, subscription.client)
      send(actor, { type: 'joined', subscription, lastSequence })
    },
    unsubscribe(token, subscription) {
      const actor = actors.get(token)
      if (actor !== undefined) send(actor, { type: 'left', subscription })
    },
    internAddress: token => actors.get(token)?.token ?? token,
    dispatch(block) {
      for (const snapshot of block.tokens) {
        const actor = actors.get(snapshot.token.address)
        if (actor !== undefined) send(actor, { type: 'committed', snapshot, completedAtMs: block.completedAtMs })
      }
      for (const token of block.unread) {
        const actor = actors.get(token)
        if (actor !== undefined) send(actor, { type: 'stale' })
      }
      for (const token of block.dropped) {
        const actor = actors.get(token)
        if (actor === undefined) continue
        // A running load may have read the state from before the reorg.
        loads.cancel(token)
        send(actor, { type: 'dropped' })
      }
    },
    sweep() {
      loads.sweep()
      const nowMs = now()
      for (const actor of new Set([...idle, ...[...resyncing].slice(0, RETRIES_PER_SWEEP)])) {
        // `send` adds it again, at the end of the queue: every actor gets its turn.
        resyncing.delete(actor)
        send(actor, { type: 'swept', nowMs })
      }
    },
    health: () => countActors(actors.values()),
    list: query => listActors(actors.values(), query),
    get: token => actors.get(token)?.state() ?? null,
    sequence: token => actors.get(token)?.sequence ?? null,
    stop() {
      isStopped = true
      loads.stop()
      actors.clear()
      idle.clear()
      resyncing.clear()
    },
  }
}

/** Counts actors by state, and their subscribers. Walks over all actors, so it is for the health page alone. */
function countActors(actors: Iterable<TokenActor>): ActorsHealth {
  const byState: Record<string, number> = { activating: 0, live: 0, resyncing: 0 }
  let total = 0
  let subscribers = 0
  for (const actor of actors) {
    total++
    byState[actor.name] = (byState[actor.name] ?? 0) + 1
    subscribers += actor.subscribers.size
  }
  return { total, byState, subscribers }
}

function listActors(actors: Iterable<TokenActor>, { state, sort, limit }: ActorsQuery): readonly ActorState[] {
  return [...actors]
    .filter(actor => state === undefined || actor.name === state)
    .map(actor => ({ actor, key: sortKey(actor, sort) }))
    .sort((a, b) => compareDescending(a.key, b.key))
    .slice(0, limit)
    .map(({ actor }) => actor.state())
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

/** Compares keys of one sort, which have one type. `null` comes last. */
function compareDescending(a: number | string | null, b: number | string | null): number {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return a < b ? 1 : -1
}

type LoadOutcome = { readonly kind: 'loaded'; readonly snapshot: TokenSnapshot | null } | { readonly kind: 'failed' }

export interface LoadsOptions {
  /** Reads tokens together. Tokens that are not indexed are missing from the answer. May reject or throw. */
  readonly load: (tokens: readonly Address[]) => Promise<readonly TokenSnapshot[]>
  /** The most batches that are read at once: many new subscribers must leave the database's connections to others. */
  readonly concurrency: number
  readonly batchSize: number
  /** The time after which a batch has failed, and the next one takes its place. */
  readonly timeoutMs: number
  readonly now: () => number
  /** Receives the outcome of a load that was neither cancelled nor requested again meanwhile. Never called from inside `request`. */
  readonly onLoaded: (token: Address, outcome: LoadOutcome) => void
  /** Called once for a batch that failed, before the outcomes of its tokens. */
  readonly onFailed: (tokens: readonly Address[], error: unknown) => void
}

/** Loads tokens from the database in batches: one load per token at a time, and a bounded number of batches. */
export interface Loads {
  readonly pending: number
  /** Loads the token. If a load of it is running, it is loaded again afterwards, since the running load may read an older state. */
  request(token: Address): void
  /** Adds a waiting token to the line of a client that waits for it. Clients take turns, however many tokens each one waits for. */
  queueFor(token: Address, client: object): void
  /** Cancels the request. A running load counts until it ends, because the database still works on it. */
  cancel(token: Address): void
  sweep(): void
  stop(): void
}

interface Batch {
  readonly tokens: readonly Address[]
  readonly startedAtMs: number
}

type WhenDone = 'report' | 'repeat' | 'discard'

/*
 * `coalesce()`, which repeats one task, would not do: a load shares a batch with other tokens, and counts after it is cancelled, but not
 * after it has timed out.
 */
export function createLoads({ load, concurrency, batchSize, timeoutMs, now, onLoaded, onFailed }: LoadsOptions): Loads {
  /** Tokens in the order of the requests. */
  const waiting = new Set<Address>()
  /** The clients in the order of their turns, each with the tokens that it waits for. Some may have been loaded for other clients. */
  const lines = new Map<object, Set<Address>>()
  const running = new Map<Address, WhenDone>()
  const batches = new Set<Batch>()
  let isScheduled = false

  /** Starts in a later microtask, so that tokens requested together share a batch, and `onLoaded` is not called from inside `request`. */
  function startSoon(): void {
    if (isScheduled) return
    isScheduled = true
    queueMicrotask(() => {
      isScheduled = false
      startNext()
    })
  }

  function startNext(): void {
    while (batches.size < concurrency && waiting.size > 0) {
      const batch: Batch = { tokens: takeBatch(), startedAtMs: now() }
      batches.add(batch)
      for (const token of batch.tokens) running.set(token, 'report')
      void Promise.resolve()
        .then(() => load(batch.tokens))
        .then(
          snapshots => succeed(batch, snapshots),
          (error: unknown) => fail(batch, error),
        )
    }
  }

  /** Takes half of a batch by the clients' turns, the rest in the order of the requests, so that no token and no client waits forever. */
  function takeBatch(): readonly Address[] {
    const taken: Address[] = []
    const take = (token: Address) => waiting.delete(token) && taken.push(token)
    // A client that is put back is visited again after all others.
    for (const [client, line] of lines) {
      if (taken.length >= batchSize / 2) break
      lines.delete(client)
      for (const token of line) {
        line.delete(token)
        if (take(token)) break
      }
      if (line.size > 0) lines.set(client, line)
    }
    for (const token of waiting) {
      if (taken.length >= batchSize) break
      take(token)
    }
    if (waiting.size === 0) lines.clear()
    return taken
  }

  function succeed(batch: Batch, snapshots: readonly TokenSnapshot[]): void {
    const found = new Map(snapshots.map(snapshot => [snapshot.token.address, snapshot]))
    finish(batch, token => ({ kind: 'loaded', snapshot: found.get(token) ?? null }))
  }

  function fail(batch: Batch, error: unknown): void {
    if (batches.has(batch)) onFailed(batch.tokens, error)
    finish(batch, () => ({ kind: 'failed' }))
  }

  function finish(batch: Batch, outcomeOf: (token: Address) => LoadOutcome): void {
    if (!batches.delete(batch)) return
    const reported: Address[] = []
    for (const token of batch.tokens) {
      const whenDone = running.get(token)
      running.delete(token)
      if (whenDone === 'repeat') waiting.add(token)
      if (whenDone === 'report') reported.push(token)
    }
    startNext()
    for (const token of reported) onLoaded(token, outcomeOf(token))
  }

  return {
    get pending() {
      return waiting.size + running.size
    },
    request(token) {
      if (running.has(token)) running.set(token, 'repeat')
      else {
        waiting.add(token)
        startSoon()
      }
    },
    queueFor(token, client) {
      if (waiting.has(token)) getOrInsert(lines, client, () => new Set()).add(token)
    },
    cancel(token) {
      waiting.delete(token)
      if (running.has(token)) running.set(token, 'discard')
    },
    sweep() {
      const late = [...batches].filter(({ startedAtMs }) => now() - startedAtMs >= timeoutMs)
      for (const batch of late) fail(batch, new Error('the load timed out'))
    },
    stop() {
      waiting.clear()
      lines.clear()
      running.clear()
      batches.clear()
    },
  }
}
