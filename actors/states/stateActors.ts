import type { Logger } from 'pino'
import { Tally } from '#domain/tally.ts'
import { MAX_WATCHED_PER_CLIENT } from '#protocol/limits.ts'
import type { StateSubscriber, WatchedState } from './watchedState.ts'

/** The most distinct queries that one thread watches. Each is read after every commit that can have changed its answer. */
const MAX_ACTORS = 1_000
/** Two reads leave the database's other connections to requests. */
const CONCURRENT_READS = 2

export interface StateActorsOptions<Query, State> {
  /** Reads the present state. Returns `newest` itself if nothing has changed, and a whole state if `newest` is `null`. */
  readonly read: (query: Query, newest: State | null) => Promise<State>
  readonly logger: Logger
  /** The log's message when a read fails. */
  readonly failure: string
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
}: StateActorsOptions<Query, State>): StateActors<Query, State> {
  const actors = new Map<string, Actor<Query, State>>()
  /** The number of watched queries by client. */
  const watched = new Tally()
  /** The actors to read again, in the order in which they were outdated. */
  const outdated = new Set<Actor<Query, State>>()
  const reading = new Map<Actor<Query, State>, Promise<void>>()

  function startReads(): void {
    for (const actor of outdated) {
      if (reading.size >= CONCURRENT_READS) return
      // A query with a running read is read once more afterwards, since the running read may see an older state.
      if (reading.has(actor)) continue
      outdated.delete(actor)
      const run = refresh(actor).finally(() => {
        reading.delete(actor)
        startReads()
      })
      reading.set(actor, run)
    }
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
    outdated.add(actor)
    startReads()
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
      outdated.delete(actor)
    },
    outdate(canHaveChanged) {
      for (const actor of actors.values()) if (canHaveChanged(actor.query)) outdate(actor)
    },
    sweep() {
      for (const actor of actors.values()) if (actor.hasFailed) outdate(actor)
    },
    async stop() {
      actors.clear()
      outdated.clear()
      await Promise.all(reading.values())
    },
  }
}
