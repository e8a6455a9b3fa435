import type { Address } from '#domain/address.ts'
import type { Token } from '#domain/token.ts'
import { ClientError } from './clientError.ts'
import type { ClientContext } from './context.ts'
import { createFallback } from './fallback.ts'
import { FeedConnection } from './feedConnection.ts'
import { type KnownToken, merge, type ReceivedState } from './knownToken.ts'
import { createRefetcher } from './refetcher.ts'
import { Timer } from './timers.ts'
import type { ConnectionState, RestApi } from './tokenwire.ts'

/** How long the last connection outlives the last watch: a page that is rendered again watches again at once. */
const LINGER_MS = 5_000

/** A token that has no state after this time, because its connection is not live yet, is fetched over REST. */
const PATIENCE_MS = 2_000

/** One call of `watch`. Its functions do not throw, and nothing is delivered after `end`. */
export interface Watcher {
  deliver(known: KnownToken): void
  /** `null`: the client was closed. */
  end(error: ClientError | null): void
}

export interface Feed {
  readonly state: ConnectionState
  known(token: Address): KnownToken | null
  add(token: Address, watcher: Watcher): void
  /** The token is unsubscribed at the end of the tick, so that watching it again at once costs nothing. */
  remove(token: Address, watcher: Watcher): void
  receive(received: ReceivedState): void
  wake(): void
  /** Like `wake`, also after the server asked the client not to reconnect. */
  reconnect(): void
  close(): void
}

interface Entry {
  readonly watchers: Set<Watcher>
  known: KnownToken | null
  connection: FeedConnection | null
}

export function createFeed(context: ClientContext, api: Pick<RestApi, 'tokens'>, onState: (state: ConnectionState) => void): Feed {
  const { timers, maxConnections, keepConnected } = context
  const entries = new Map<Address, Entry>()
  const connections = new Set<FeedConnection>()
  const lingerTimer = new Timer(timers)
  const patienceTimer = new Timer(timers)
  let state: ConnectionState = 'offline'
  let dismissed: ClientError | null = null

  const known = (token: Address) => entries.get(token)?.known ?? null
  const sequenceOf = (token: Address) => known(token)?.completeSequence ?? null
  const fallback = createFallback(context, {
    sequenceOf,
    onUpdate: update => receive({ ...update, source: 'eventStream' }),
    onState: update,
  })
  const refetcher = createRefetcher(context, api, {
    watchedTokens: () => entries.keys(),
    tokensWithoutStream: fallback.tokensWithoutStream,
    onToken: refetched,
    onFetched: fallback.polled,
  })
  if (keepConnected) openConnection()

  function receive(received: ReceivedState): void {
    const entry = entries.get(received.token.address)
    const next = entry === undefined ? null : merge(entry.known, received)
    if (entry === undefined || next === null) return
    entry.known = next
    for (const watcher of Array.from(entry.watchers)) watcher.deliver(next)
  }

  /** A state that only REST had was missed by the connection: it is asked for the complete one. */
  function refetched(token: Token): void {
    receive({ source: 'rest', token })
    const { connection, known } = entries.get(token.address) ?? {}
    if (known?.completeSequence !== known?.state.sequence) connection?.refresh(token.address)
  }

  function assign(token: Address, entry: Entry): void {
    const open = () => [...connections].find(connection => connection.hasRoom()) ?? openConnection()
    entry.connection = dismissed === null ? open() : null
    if (entry.connection !== null) {
      entry.connection.add(token)
      return
    }
    const error = dismissed ?? new ClientError('too_many_watches', 'all connections are full')
    // After `watch` has returned.
    timers.after(0, () => {
      if (entries.get(token) === entry) for (const watcher of Array.from(entry.watchers)) watcher.end(error)
    })
  }

  function openConnection(): FeedConnection | null {
    if (connections.size >= maxConnections) return null
    const connection: FeedConnection = new FeedConnection(context, {
      sequenceOf,
      onState: () => {
        if (connection.state === 'live') refetcher.soon(connection.tokens)
        update()
      },
      onUpdate: update => receive({ ...update, source: 'webSocket' }),
      onDismissed: status => {
        dismissed = new ClientError('dismissed', 'the server asked the client not to reconnect', { status })
        endAll(dismissed)
      },
      onFull: token => {
        const entry = entries.get(token)
        if (entry !== undefined) assign(token, entry)
      },
    })
    connections.add(connection)
    connection.connect()
    update()
    return connection
  }

  function fetchUnknown(): void {
    const isUnknown = ({ known, connection }: Entry) => known === null && connection?.state !== 'live'
    const unknown = [...entries].flatMap(([token, entry]) => (isUnknown(entry) ? [token] : []))
    refetcher.soon(unknown, 0)
  }

  function drop(token: Address, entry: Entry): void {
    if (entry.watchers.size > 0 || entries.get(token) !== entry) return
    entries.delete(token)
    entry.connection?.remove(token)
    if (!lingerTimer.isRunning) lingerTimer.start(LINGER_MS, closeUnused)
    update()
  }

  function closeUnused(): void {
    for (const connection of connections) {
      if (connection.tokens.size > 0 || (keepConnected && connections.size === 1)) continue
      connection.close()
      connections.delete(connection)
    }
    update()
  }

  function endAll(error: ClientError | null): void {
    for (const connection of connections) connection.close()
    connections.clear()
    const ended = [...entries.values()]
    entries.clear()
    for (const { watchers } of ended) for (const watcher of Array.from(watchers)) watcher.end(error)
    update()
  }

  /** Hands the tokens of blocked connections to the fallback, and reports the resulting state. */
  function update(): void {
    const blocked = [...connections].filter(connection => connection.state === 'blocked')
    fallback.serve(new Set(blocked.flatMap(connection => [...connection.tokens])))
    refetcher.poll(blocked.length > 0)
    const next = stateNow(blocked.length > 0)
    if (next === state) return
    state = next
    onState(state)
  }

  function stateNow(isBlocked: boolean): ConnectionState {
    if (connections.size === 0) return 'offline'
    if (!isBlocked) return [...connections].every(connection => connection.state === 'live') ? 'live' : 'connecting'
    const isWorking = fallback.isWorking()
    if (isWorking === null) return state === 'offline' ? 'offline' : 'connecting'
    return isWorking ? 'fallback' : 'offline'
  }

  function wake(): void {
    for (const connection of connections) connection.wake()
    fallback.wake()
    // `update` starts the polls anew, and the first one is immediate.
    refetcher.poll(false)
    update()
    refetcher.soon(entries.keys())
  }

  return {
    get state() {
      return state
    },
    known,
    add(token, watcher) {
      const watched = entries.get(token)
      if (watched !== undefined) {
        watched.watchers.add(watcher)
        return
      }
      const entry: Entry = { watchers: new Set([watcher]), known: null, connection: null }
      entries.set(token, entry)
      refetcher.start()
      assign(token, entry)
      if (!patienceTimer.isRunning) patienceTimer.start(PATIENCE_MS, fetchUnknown)
      update()
    },
    remove(token, watcher) {
      const entry = entries.get(token)
      if (!entry?.watchers.delete(watcher) || entry.watchers.size > 0) return
      if (entry.connection === null) drop(token, entry)
      else timers.after(0, () => drop(token, entry))
    },
    receive,
    wake,
    reconnect() {
      dismissed = null
      if (keepConnected && connections.size === 0) openConnection()
      wake()
    },
    close: () => endAll(null),
  }
}
