import type { Logger } from 'pino'
import { Tally } from '#domain/maps.ts'
import { MAX_WATCHED_PER_CLIENT } from '#protocol/limits.ts'

/** The most distinct queries that one thread watches. Each is read again after a commit that can have changed its answer. */
const MAX_ACTORS = 1_000
/** Two reads leave the database's other connections to requests. */
const CONCURRENT_READS = 2

export interface StateActorsOptions<Query, State> {
  /** Reads the present state. Returns `newest` itself if nothing has changed, and a whole state if `newest` is `null`. */
  readonly read: (query: Query, newest: State | null) => Promise<State>
  readonly logger: Logger
  /** The log's message when a read fails. */
  readonly failure: string
  /** Bounds what reading again costs the database, whose other readers wait for it. Default: nothing does. */
  readonly pace?: ReadPace
}

/** Of the time that passes, reads may take this share, and up to `burstMs` of it at once where little was read before. */
export interface ReadPace {
  readonly share: number
  readonly burstMs: number
  /** `monotonicMs`. */
  readonly now: () => number
}

/** Why a query is not watched: one client, or all clients together, have reached the limit of watched queries. */
export type WatchRefusal = 'tooManyOfClient' | 'tooMany'

/** The actors of the watched queries. There is one for each distinct query, which is read once for all of its subscribers. */
export interface StateActors<Query, State> {
  /**
   * Gives the subscriber the state when it is known, and again whenever it has changed. A query that is watched already is never refused.
   *
   * @param replaces whether this subscription replaces another one of the client, which the limits then do not count
   * @returns `null`: the subscriber is subscribed
   */
  subscribe(query: Query, subscriber: StateSubscriber<State>, replaces?: boolean): WatchRefusal | null
  unsubscribe(query: Query, subscriber: StateSubscriber<State>): void
  /** Reads those queries again whose answer can have changed. */
  outdate(canHaveChanged: (query: Query) => boolean): void
  /** Reads those queries again whose last read has failed. To be called every few seconds. */
  sweep(): void
  stop(): Promise<void>
}

interface Actor<Query, State> {
  readonly key: string
  readonly query: Query
  readonly subscribers: Set<StateSubscriber<State>>
  /** The number of subscribers by client. */
  readonly clients: Tally
  newest: State | null
  hasFailed: boolean
}

export function createStateActors<Query, State extends WatchedState<State>>({
  read,
  logger,
  failure,
  pace,
}: StateActorsOptions<Query, State>): StateActors<Query, State> {
  const actors = new Map<string, Actor<Query, State>>()
  /** The number of watched queries by client. */
  const watched = new Tally()
  /** The actors to read for the first time, for which a client waits, and those to read again, that which has waited longest first. */
  const unread = new Set<Actor<Query, State>>()
  const outdated = new Set<Actor<Query, State>>()
  const reading = new Map<Actor<Query, State>, Promise<void>>()
  const allowance = pace === undefined ? null : createAllowance(pace)
  let timer: NodeJS.Timeout | undefined

  function startReads(): void {
    clearTimeout(timer)
    while (reading.size < CONCURRENT_READS) {
      const actor = firstIdle(unread) ?? (allowance?.waitMs() ? undefined : firstIdle(outdated))
      if (actor === undefined) break
      unread.delete(actor)
      outdated.delete(actor)
      const spent = allowance?.begin()
      const run = refresh(actor).finally(() => {
        spent?.()
        reading.delete(actor)
        startReads()
      })
      reading.set(actor, run)
    }
    if (reading.size === 0 && outdated.size > 0) timer = setTimeout(startReads, allowance?.waitMs()).unref()
  }

  /** A query with a running read is read once more afterwards, since the running read may see an older state. */
  function firstIdle(waiting: ReadonlySet<Actor<Query, State>>): Actor<Query, State> | undefined {
    for (const actor of waiting) if (!reading.has(actor)) return actor
    return undefined
  }

  async function refresh(actor: Actor<Query, State>): Promise<void> {
    try {
      const state = await read(actor.query, actor.newest)
      actor.hasFailed = false
      tell(actor, state)
    } catch (err) {
      actor.hasFailed = true
      logger.warn({ err }, failure)
    }
  }

  function tell(actor: Actor<Query, State>, state: State): void {
    if (state === actor.newest) return
    actor.newest = state
    for (const subscriber of actor.subscribers) subscriber.state(state)
  }

  function outdate(actor: Actor<Query, State>): void {
    if (actor.newest === null) unread.add(actor)
    else outdated.add(actor)
  }

  return {
    subscribe(query, subscriber, replaces = false) {
      const key = JSON.stringify(query)
      let actor = actors.get(key)
      if (actor === undefined) {
        const leaving = replaces ? 1 : 0
        if (watched.of(subscriber.client) - leaving >= MAX_WATCHED_PER_CLIENT) return 'tooManyOfClient'
        if (actors.size - leaving >= MAX_ACTORS) return 'tooMany'
        actor = { key, query, subscribers: new Set(), clients: new Tally(), newest: null, hasFailed: false }
        actors.set(key, actor)
        outdate(actor)
        startReads()
      }
      actor.subscribers.add(subscriber)
      if (actor.clients.add(subscriber.client, 1) === 1) watched.add(subscriber.client, 1)
      if (actor.newest !== null) subscriber.state(actor.newest.whole)
      return null
    },
    unsubscribe(query, subscriber) {
      const actor = actors.get(JSON.stringify(query))
      if (actor === undefined || !actor.subscribers.delete(subscriber)) return
      if (actor.clients.add(subscriber.client, -1) === 0) watched.add(subscriber.client, -1)
      if (actor.subscribers.size > 0) return
      actors.delete(actor.key)
      unread.delete(actor)
      outdated.delete(actor)
    },
    outdate(canHaveChanged) {
      for (const actor of actors.values()) if (canHaveChanged(actor.query)) outdate(actor)
      startReads()
    },
    sweep() {
      for (const actor of actors.values()) if (actor.hasFailed) outdate(actor)
      startReads()
    },
    async stop() {
      actors.clear()
      unread.clear()
      outdated.clear()
      clearTimeout(timer)
      await Promise.all(reading.values())
    },
  }
}

/** How long reads may still take. */
function createAllowance({ share, burstMs, now }: ReadPace) {
  let leftMs = burstMs
  let countedAtMs = now()
  const count = () => {
    leftMs = Math.min(burstMs, leftMs + (now() - countedAtMs) * share)
    countedAtMs = now()
    return leftMs
  }
  return {
    /** Until a read may begin; 0: now. */
    waitMs: () => (count() > 0 ? 0 : Math.ceil(1 - leftMs / share)),
    /** @returns to be called when the read has ended */
    begin: () => {
      const startedAtMs = now()
      return () => void (leftMs = count() - (now() - startedAtMs))
    },
  }
}

/** The answer to a watched query after a commit, encoded once for all of its subscribers. */
export interface WatchedState<Self> {
  /** Rises with each state. */
  readonly sequence: number
  /** The end of its message's type, after the name of the channel. */
  readonly kind: '' | '.delta'
  /** The fields of a message besides `type`, `id` and `sequence`, as JSON without braces. */
  readonly fields: string
  /** The message that completes the state after this one; `null`: the state is complete. */
  readonly rest: Self | null
  /** The state for a client that has none of the earlier states. */
  readonly whole: Self
  /** The state for a client that has not been sent `unsent`, which this state replaces. */
  replacing(unsent: Self): Self
}

/** One connection's interest in a state. It only notes the state, which replaces an unwritten one. It never waits, throws or calls back. */
export interface StateSubscriber<State> {
  /** The client whose share of the watched queries the subscriber takes. */
  readonly client: string
  state(state: State): void
}
