import { ClientError } from '#client/clientError.ts'
import type { ClientContext } from '#client/context.ts'
import { Timer } from '#client/timers.ts'
import type { Carried } from './carried.ts'
import { createFallback, type Fallback } from './fallback.ts'
import { FeedConnection } from './feedConnection.ts'

/** How long the last connection stays open without a subscription: a page that is rendered again subscribes again at once. */
const LINGER_MS = 5_000

/**
 * - `connecting`: a WebSocket is being opened, for the first time or after one was lost
 * - `live`: updates arrive over WebSocket
 * - `fallback`: no WebSocket can be opened; updates arrive over event streams and REST while the client keeps trying
 * - `offline`: the server does not answer or asked the client not to reconnect, nothing is watched, or the client is closed
 */
export type ConnectionState = 'connecting' | 'live' | 'fallback' | 'offline'

export interface ConnectionPoolEvents {
  readonly onConnect: () => void
  readonly onState: (state: ConnectionState) => void
  /** A connection that carries these has become live. */
  readonly onLive: (carried: Iterable<Carried>) => void
  /** No WebSocket can be opened: tokens may have to be polled. */
  readonly onBlocked: () => void
}

/** The connections of a client, which tokens and channels share, and the fallback where they are blocked. */
export interface ConnectionPool extends Pick<Fallback, 'tokensWithoutStream' | 'polled'> {
  readonly state: ConnectionState
  carry(carried: Carried): void
  /** Subscribes anew, from where the client is now. */
  refresh(carried: Carried): void
  drop(carried: Carried): void
  /** Whether a WebSocket or an event stream carries it now. */
  isLive(carried: Carried): boolean
  wake(): void
  /** Connects also after the server asked the client not to. */
  allow(): void
  close(): void
}

export function createConnectionPool(
  context: ClientContext,
  { onConnect, onState, onLive, onBlocked }: ConnectionPoolEvents,
): ConnectionPool {
  const { timers, maxConnections, keepConnected } = context
  /** `null`: no connection has room. */
  const connectionOf = new Map<Carried, FeedConnection | null>()
  const connections = new Set<FeedConnection>()
  const lingerTimer = new Timer(timers)
  let state: ConnectionState = 'offline'
  let wasBlocked = false
  let dismissed: ClientError | null = null
  const fallback = createFallback(context, { onState: update, onRefused: end })
  if (keepConnected) openConnection()

  function assign(carried: Carried): void {
    const open = () => [...connections].find(connection => connection.hasRoom(carried)) ?? openConnection()
    const connection = dismissed === null ? open() : null
    connectionOf.set(carried, connection)
    if (connection !== null) return connection.add(carried)
    const error = dismissed ?? new ClientError('too_many_watches', 'all connections are full')
    // The listener must not be called before `watch` has returned.
    timers.after(0, () => {
      if (connectionOf.get(carried) === null) end(carried, error)
    })
  }

  function openConnection(): FeedConnection | null {
    if (connections.size >= maxConnections) return null
    onConnect()
    const connection: FeedConnection = new FeedConnection(context, {
      onState: () => {
        if (connection.state === 'live') onLive(connection.carried)
        update()
      },
      onDismissed: status => {
        dismissed = new ClientError('dismissed', 'the server asked not to reconnect', { status })
        endAll(dismissed)
      },
      onMissed(carried) {
        if (!carried) return
        // The service sends the whole state again, and REST may have it sooner.
        connection.refresh(carried)
        onLive([carried])
      },
      onFull: carried => {
        if (connectionOf.has(carried)) assign(carried)
      },
      onRefused: end,
    })
    connections.add(connection)
    connection.connect()
    update()
    return connection
  }

  function drop(carried: Carried): void {
    const connection = connectionOf.get(carried)
    if (!connectionOf.delete(carried)) return
    connection?.remove(carried)
    if (!lingerTimer.isRunning) lingerTimer.start(LINGER_MS, closeUnused)
    update()
  }

  function end(carried: Carried, error: ClientError): void {
    drop(carried)
    carried.end(error)
  }

  function closeUnused(): void {
    for (const connection of connections) {
      if (!connection.isUnused || (keepConnected && connections.size === 1)) continue
      connection.close()
      connections.delete(connection)
    }
    update()
  }

  function endAll(error: ClientError | null): void {
    for (const connection of connections) connection.close()
    connections.clear()
    const ended = [...connectionOf.keys()]
    connectionOf.clear()
    for (const carried of ended) carried.end(error)
    update()
  }

  /** Hands what blocked connections carry to the fallback, and reports the resulting state. */
  function update(): void {
    const blocked = [...connections].filter(connection => connection.state === 'blocked')
    const isBlocked = blocked.length > 0
    fallback.serve(new Set(blocked.flatMap(connection => [...connection.carried])))
    if (isBlocked && !wasBlocked) onBlocked()
    wasBlocked = isBlocked
    const next = stateNow(isBlocked)
    if (next === state) return
    state = next
    onState(state)
  }

  function stateNow(isBlocked: boolean): ConnectionState {
    if (connections.size === 0) return 'offline'
    if (!isBlocked) return [...connections].every(connection => connection.state === 'live') ? 'live' : 'connecting'
    const isWorking = fallback.isWorking()
    if (isWorking) return 'fallback'
    return isWorking === false || state === 'offline' ? 'offline' : 'connecting'
  }

  return {
    ...fallback,
    get state() {
      return state
    },
    carry(carried) {
      assign(carried)
      update()
    },
    refresh: carried => connectionOf.get(carried)?.refresh(carried),
    drop,
    isLive: carried => connectionOf.get(carried)?.state === 'live' || fallback.isOpen(carried),
    wake() {
      for (const connection of connections) connection.wake()
      fallback.wake()
      update()
    },
    allow() {
      dismissed = null
      if (keepConnected && connections.size === 0) openConnection()
    },
    close: () => endAll(null),
  }
}
