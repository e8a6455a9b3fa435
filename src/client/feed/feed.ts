import type { ClientError } from '#client/clientError.ts'
import type { ClientContext } from '#client/context.ts'
import type { Token, TokenUpdate } from '#client/generated/types.ts'
import { Timer } from '#client/timers.ts'
import type { Refetcher } from '#client/watch/refetcher.ts'
import type { WatchedToken } from '#client/watch/watch.ts'
import type { Address } from '#domain/address.ts'
import type { Carried, SubscriptionMessage } from './carried.ts'
import type { ConnectionPool } from './connectionPool.ts'

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
  /** Takes a token from REST. A state that only REST had was missed by the connection, which is then asked for the complete one. */
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

  get #sequence(): number | null {
    return this.known?.completeSequence ?? null
  }

  subscription(): SubscriptionMessage {
    return { type: 'subscribe', token: this.key, sequence: this.#sequence, holders: this.hasHolders ? undefined : false, delta: true }
  }

  get batch(): string {
    return `${this.#sequence === null} ${this.hasHolders}`
  }

  streamPath(): string {
    const sequence = this.#sequence
    return `/api/tokens/${this.key}/stream?delta=true${sequence === null ? '' : `&lastEventId=${sequence}`}`
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
    const unknown = [...entries.values()].filter(entry => entry.known === null && !pool.isLive(entry)).map(({ key }) => key)
    refetcher.soon(unknown, 0)
  }

  function drop(entry: WatchedEntry): void {
    if (entry.watchers.size > 0) return
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

export interface KnownToken {
  readonly state: WatchedToken
  /** Sequence of the newest complete state, with trade and holders; `null` before the first one. The client subscribes from it. */
  readonly completeSequence: number | null
}

/** A state as it arrives: complete over a stream, the token alone over REST. */
type ReceivedState =
  | ({ readonly source: 'webSocket' | 'eventStream' } & Pick<TokenUpdate, 'token' | 'latestTrade' | 'holders'>)
  | { readonly source: 'rest'; readonly token: Token }
  | { readonly source: 'initial'; readonly token: Token }

/** What is known after a state arrived from any connection or server; `null`: the state brought nothing new. */
export function merge(known: KnownToken | null, received: ReceivedState): KnownToken | null {
  const { source, token } = received
  const { address, sequence } = token
  const held = known?.state
  const isComplete = 'holders' in received
  if (sequence <= ((isComplete ? known?.completeSequence : held?.sequence) ?? -1)) return null
  const { latestTrade = null, holders: largest = null }: Partial<WatchedToken> = (isComplete ? received : held) ?? {}
  // A subscription without holders brings an empty list.
  const holders = largest?.length === 0 && token.market.holderCount > 0 ? null : largest
  const newest = held !== undefined && held.sequence > sequence ? held : { address, sequence, token, source }
  return {
    state: { ...newest, latestTrade, holders },
    completeSequence: isComplete ? sequence : (known?.completeSequence ?? null),
  }
}

/** `known` as if no complete state had arrived: the next complete one is delivered even if its sequence is the same. */
function incomplete(known: KnownToken | null): KnownToken | null {
  return known && { ...known, completeSequence: null }
}

/** A higher sequence is newer, and so is a complete state after an incomplete one of the same sequence. */
export function supersedes({ state: { sequence }, completeSequence }: KnownToken, known: KnownToken | null): boolean {
  const before = known?.state.sequence ?? -1
  return sequence > before || (sequence === before && completeSequence === sequence && known?.completeSequence !== sequence)
}
