import { ClientError } from '#client/clientError.ts'
import type { ClientContext } from '#client/context.ts'
import type { Carried, SubscriptionMessage } from '#client/feed/carried.ts'
import type { ConnectionPool } from '#client/feed/connectionPool.ts'
import type { Follow, LiveMethod, LiveOutput, LiveQueryOptions } from '#client/follow.ts'
import type { Holder, Token, TokenUpdate, Trade } from '#client/generated/types.ts'
import { PATIENCE_MS } from '#client/reading.ts'
import { Timer } from '#client/timers.ts'
import type { Address } from '#domain/address.ts'
import type { TokenReader } from './tokenReader.ts'

/** How a state reached this client. */
export type Source = 'initial' | 'webSocket' | 'eventStream' | 'rest'

export interface WatchedToken {
  readonly address: Address
  readonly sequence: number
  readonly token: Token
  /**
   * The newest trade. From a WebSocket or an event stream it has the token's sequence. REST and `initial` bring the token alone:
   * then it is the one known before, or `null`.
   */
  readonly latestTrade: Trade | null
  /** The 20 largest holders, as recent as `latestTrade`; `null` while unknown. */
  readonly holders: readonly Holder[] | null
  readonly source: Source
}

export interface WatchOptions extends LiveQueryOptions {
  /** A known state, such as one that a server rendered: only newer ones are delivered. */
  readonly initial?: Token
  /** `false`: without the largest holders, which halves the messages; `holders` of each state is then `null`. Default true. */
  readonly holders?: boolean
}

/** The watched tokens. */
export interface Watches {
  readonly watch: LiveMethod<string, WatchedToken, WatchOptions>
  tokens(): Iterable<Address>
  /** Takes a token from REST. A state that only REST had was missed by the connection, which is then asked for the complete one. */
  take(token: Token): void
}

/** One subscription of a token serves all its watches. */
export function createWatches(
  { timers }: Pick<ClientContext, 'timers'>,
  follow: Follow,
  pool: ConnectionPool,
  reader: TokenReader,
): Watches {
  const entries = new Map<Address, WatchedEntry>()
  const patienceTimer = new Timer(timers)

  function add(token: Address, watcher: Watcher): void {
    const watched = entries.get(token)
    if (watched !== undefined) {
      watched.watchers.add(watcher)
      if (watcher.wantsHolders && watched.wantHolders()) pool.refresh(watched)
      return
    }
    const entry = new WatchedEntry(token, watcher, forget)
    entries.set(token, entry)
    reader.start()
    if (!patienceTimer.isRunning) patienceTimer.start(PATIENCE_MS, readUnknown)
    pool.carry(entry)
  }

  /** The token is unsubscribed at the end of the tick, so that watching it again at once costs nothing. */
  function remove(token: Address, watcher: Watcher): void {
    const entry = entries.get(token)
    if (!entry?.watchers.delete(watcher)) return
    timers.after(0, () => {
      if (entry.watchers.size > 0) return
      forget(entry)
      pool.drop(entry)
    })
  }

  function forget(entry: WatchedEntry): void {
    if (entries.get(entry.key) === entry) entries.delete(entry.key)
    if (entries.size === 0) reader.stop()
  }

  /** Of tokens without a state, because their connection is not live yet. */
  function readUnknown(): void {
    const unknown = [...entries.values()].filter(entry => entry.known === null && !pool.isLive(entry)).map(({ key }) => key)
    reader.soon(unknown, 0)
  }

  return {
    tokens: () => entries.keys(),
    take(token) {
      const entry = entries.get(token.address)
      entry?.take({ source: 'rest', token })
      if (entry !== undefined && entry.known?.completeSequence !== entry.known?.state.sequence) pool.refresh(entry)
    },
    watch: follow((address, { initial, holders = true }, output) => {
      const token = address.toLowerCase() as Address
      if (!/^0x[0-9a-f]{40}$/.test(token)) throw new ClientError('rejected', `not an address: ${address}`)
      if (initial && initial.address !== token) throw new ClientError('rejected', 'initial is of another token')
      const given = initial === undefined ? null : ({ source: 'initial', token: initial } as const)
      let known = given && merge(null, given)
      const watcher: Watcher = {
        wantsHolders: holders,
        deliver(next) {
          // A watch that began later, or with a state of its own, may know more than the others.
          if (!supersedes(next, known)) return
          known = next
          output.next(next.state)
        },
        end: output.end,
      }
      add(token, watcher)
      const entry = entries.get(token)
      if (given !== null) entry?.take(given)
      const first = entry?.known
      if (first) timers.after(0, () => watcher.deliver(first))
      return { pause: () => remove(token, watcher), resume: () => add(token, watcher) }
    }, true),
  }
}

/** One call of `watch`. Its functions do not throw, and nothing is delivered after `end`. */
interface Watcher extends Pick<LiveOutput<never>, 'end'> {
  readonly wantsHolders: boolean
  deliver(known: KnownToken): void
}

class WatchedEntry implements Carried {
  readonly isChannel = false
  readonly key: Address
  readonly watchers: Set<Watcher>
  known: KnownToken | null = null
  /** Whether some watch has wanted the holders. */
  #hasHolders: boolean
  readonly #onEnd: (entry: WatchedEntry) => void

  constructor(token: Address, watcher: Watcher, onEnd: (entry: WatchedEntry) => void) {
    this.key = token
    this.watchers = new Set([watcher])
    this.#hasHolders = watcher.wantsHolders
    this.#onEnd = onEnd
  }

  get #sequence(): number | null {
    return this.known?.completeSequence ?? null
  }

  /** @returns whether it had none: the next complete state is then delivered even if its sequence is the same */
  wantHolders(): boolean {
    if (this.#hasHolders) return false
    this.#hasHolders = true
    this.known &&= { ...this.known, completeSequence: null }
    return true
  }

  subscription(): SubscriptionMessage {
    return { type: 'subscribe', token: this.key, sequence: this.#sequence, holders: this.#hasHolders ? undefined : false, delta: true }
  }

  get batch(): string {
    return `${this.#sequence === null} ${this.#hasHolders}`
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

interface KnownToken {
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
function merge(known: KnownToken | null, received: ReceivedState): KnownToken | null {
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

/** A higher sequence is newer, and so is a complete state after an incomplete one of the same sequence. */
function supersedes({ state: { sequence }, completeSequence }: KnownToken, known: KnownToken | null): boolean {
  const before = known?.state.sequence ?? -1
  return sequence > before || (sequence === before && completeSequence === sequence && known?.completeSequence !== sequence)
}
