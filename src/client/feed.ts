import type { Address } from '#domain/address.ts'
import type { Token } from '#domain/token.ts'
import type { Carried } from './carried.ts'
import type { ClientError } from './clientError.ts'
import type { ConnectionPool } from './connectionPool.ts'
import type { ClientContext } from './context.ts'
import { incomplete, type KnownToken, merge, type ReceivedState } from './knownToken.ts'
import type { Refetcher } from './refetcher.ts'
import { Timer } from './timers.ts'

/** A token that has no state after this time, because its connection is not live yet, is fetched over REST. */
const PATIENCE_MS = 2_000

/** One call of `watch`. Its functions do not throw, and nothing is delivered after `end`. */
export interface Watcher {
  readonly wantsHolders: boolean
  deliver(known: KnownToken): void
  /** `null`: the client was closed. */
  end(error: ClientError | null): void
}

/** The watched tokens and what is known of them. */
export interface Feed {
  known(token: Address): KnownToken | null
  tokens(): Iterable<Address>
  add(token: Address, watcher: Watcher): void
  /** The token is unsubscribed at the end of the tick, so that watching it again at once costs nothing. */
  remove(token: Address, watcher: Watcher): void
  receive(received: ReceivedState): void
  /** From REST. A state that only REST had was missed by the connection: it is asked for the complete one. */
  refetched(token: Token): void
}

class WatchedEntry implements Carried {
  readonly isChannel = false
  readonly key: Address
  readonly watchers = new Set<Watcher>()
  known: KnownToken | null = null
  /** Whether some watch has wanted the holders. */
  hasHolders = false
  readonly #onEnd: (entry: WatchedEntry) => void

  constructor(token: Address, onEnd: (entry: WatchedEntry) => void) {
    this.key = token
    this.#onEnd = onEnd
  }

  subscription(): object {
    const { key: token, known, hasHolders } = this
    return { type: 'subscribe', token, sequence: known?.completeSequence ?? null, ...(hasHolders ? {} : { holders: false }) }
  }

  streamPath(): string {
    const sequence = this.known?.completeSequence ?? null
    return `/api/tokens/${this.key}/stream${sequence === null ? '' : `?lastEventId=${sequence}`}`
  }

  receive(message: Parameters<Carried['receive']>[0], source: 'webSocket' | 'eventStream'): void {
    if (message.type === 'token.update') this.take({ ...message, source })
  }

  take(received: ReceivedState): void {
    const next = received.token.address === this.key ? merge(this.known, received) : null
    if (next === null) return
    this.known = next
    for (const watcher of Array.from(this.watchers)) watcher.deliver(next)
  }

  end(error: ClientError | null): void {
    this.#onEnd(this)
    for (const watcher of Array.from(this.watchers)) watcher.end(error)
  }
}

export function createFeed({ timers }: ClientContext, pool: ConnectionPool, refetcher: Pick<Refetcher, 'start' | 'soon'>): Feed {
  const entries = new Map<Address, WatchedEntry>()
  const patienceTimer = new Timer(timers)

  function forget(entry: WatchedEntry): void {
    if (entries.get(entry.key) === entry) entries.delete(entry.key)
  }

  function fetchUnknown(): void {
    const unknown = [...entries.values()].filter(entry => entry.known === null && !pool.isLive(entry))
    refetcher.soon(
      unknown.map(({ key }) => key),
      0,
    )
  }

  function drop(entry: WatchedEntry): void {
    if (entry.watchers.size > 0 || entries.get(entry.key) !== entry) return
    forget(entry)
    pool.drop(entry)
  }

  return {
    known: token => entries.get(token)?.known ?? null,
    tokens: () => entries.keys(),
    add(token, watcher) {
      const watched = entries.get(token)
      if (watched !== undefined) {
        watched.watchers.add(watcher)
        if (watched.hasHolders || !watcher.wantsHolders) return
        watched.hasHolders = true
        watched.known = incomplete(watched.known)
        pool.refresh(watched)
        return
      }
      const entry = new WatchedEntry(token, forget)
      entry.watchers.add(watcher)
      entry.hasHolders = watcher.wantsHolders
      entries.set(token, entry)
      refetcher.start()
      if (!patienceTimer.isRunning) patienceTimer.start(PATIENCE_MS, fetchUnknown)
      pool.carry(entry)
    },
    remove(token, watcher) {
      const entry = entries.get(token)
      if (entry?.watchers.delete(watcher) && entry.watchers.size === 0) timers.after(0, () => drop(entry))
    },
    receive: received => entries.get(received.token.address)?.take(received),
    refetched(token) {
      const entry = entries.get(token.address)
      entry?.take({ source: 'rest', token })
      if (entry !== undefined && entry.known?.completeSequence !== entry.known?.state.sequence) pool.refresh(entry)
    },
  }
}
