import { setTimeout as pause } from 'node:timers/promises'
import { repeat as repeatUnref } from '#async/pause.ts'
import type { AdmittedConnection, Client } from '#gateway/admission/admission.ts'
import { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { ambiguityOf, openExchange, render, send } from '#gateway/http/exchange.ts'
import { connectionRefused, originNotAllowed, type Problem, problem, RETRY_AFTER, unknownKey } from '#gateway/http/problem.ts'
import { Flusher } from '#gateway/outbox/outbox.ts'
import { DISABLED, type HttpRequest, type HttpResponse, type TemplatedApp, type us_socket_context_t } from '#gateway/uWebSockets.ts'
import type { RealtimeHealth } from '#resources/health.ts'
import type { LatencySnapshot } from '#telemetry/latencyHistogram.ts'
import { EventStreamConnection, type EventStreamRequest } from './eventStreamConnection.ts'
import { type Connection, type ConnectionDeps, WebSocketConnection } from './webSocketConnection.ts'

const SWEEP_INTERVAL_MS = 1_000

export interface RealtimeOptions extends Omit<ConnectionDeps, 'flusher' | 'stats'> {
  /** How long `close` waits for slow readers. Default 3,000. */
  readonly closeTimeoutMs?: number
  /** How long `close` then waits for the last close frames to arrive. Default 250. */
  readonly lingerMs?: number
  readonly yieldTo?: (flush: () => void) => void
  readonly repeat?: typeof repeatUnref
}

export interface Realtime {
  /** Adds the WebSocket routes to the app, and those below a path prefix if there is one. Call it before other routes are added. */
  register(app: TemplatedApp, pathPrefix: string): void
  /** Opens an event stream, which owns the response from then on. With a problem, nothing was written, and the caller answers with it. */
  openEventStream(request: EventStreamRequest): Problem | null
  report(): RealtimeHealth
  /** The times since the start from the completion of a commit to the write of its update to a socket. */
  commitToDelivery(): LatencySnapshot
  /**
   * Refuses new connections, writes the waiting messages and closes all connections: with 1012, or with the delay after which each client
   * should come back (`DRAIN_SECONDS`). Takes a bounded time.
   */
  close(): Promise<void>
}

/** Creates the realtime part with one timer, whose sweeps ping silent connections and close unresponsive ones until `close`. */
export function createRealtime(options: RealtimeOptions): Realtime {
  const { config, now, logger, admission, closeTimeoutMs = 3_000, lingerMs = 250, yieldTo = setImmediate, repeat = repeatUnref } = options
  const stats = new RealtimeStats(now)
  const deps: ConnectionDeps = { ...options, stats, flusher: new Flusher({ schedule: queueMicrotask, yieldTo, now, stats, logger }) }
  const connections = createConnections()
  const stopSweeping = repeat(SWEEP_INTERVAL_MS, () => connections.sweep(now()))

  return {
    register: (app, pathPrefix) => registerWebSockets(app, pathPrefix, deps, connections),
    openEventStream(request) {
      if (request.isAborted()) return null
      if (connections.isClosing) return SHUTTING_DOWN
      const admitted = admission.openConnection(request.client)
      if (admitted.kind === 'refused') return connectionRefused(admitted)
      const connection = new EventStreamConnection(request, deps, closed => {
        connections.remove(closed)
        admitted.release()
      })
      const refused = connection.open()
      if (refused === null) connections.add(connection)
      else admitted.release()
      return refused
    },
    report: () => stats.report(),
    commitToDelivery: () => stats.commitToDelivery(),
    async close() {
      const waiting = new AbortController()
      // Resolves after the timeout, or by the abort when all connections are closed.
      const deadline = pause(closeTimeoutMs, undefined, { signal: waiting.signal }).catch(() => {})
      const open = connections.size
      await connections.close(deadline, config.drainSeconds * 1_000)
      waiting.abort()
      stopSweeping()
      if (open > 0) await pause(lingerMs)
    },
  }
}

const SHUTTING_DOWN = problem(503, 'data_unavailable', 'the server is shutting down', [RETRY_AFTER])

/** The most writes per sweep, which take some 10 ms: a sweep must not delay the updates of a block. */
const WRITES_PER_SWEEP = 2_000

interface Connections {
  readonly isClosing: boolean
  readonly size: number
  add(connection: Connection): void
  remove(connection: Connection): void
  sweep(nowMs: number): void
  /**
   * Closes all connections. Those of slow readers close when they have read their messages, at the latest when `deadline` resolves.
   *
   * @param spreadMs the time over which the clients' returns are spread; 0: their own delay decides
   */
  close(deadline: Promise<void>, spreadMs: number): Promise<void>
}

function createConnections(): Connections {
  const open = new Set<Connection>()
  const empty = Promise.withResolvers<void>()
  let isClosing = false
  return {
    get isClosing() {
      return isClosing
    },
    get size() {
      return open.size
    },
    add: connection => void open.add(connection),
    remove(connection) {
      open.delete(connection)
      if (isClosing && open.size === 0) empty.resolve()
    },
    sweep(nowMs) {
      const budget = { left: WRITES_PER_SWEEP }
      for (const connection of open) connection.sweep(nowMs, budget)
    },
    async close(deadline, spreadMs) {
      isClosing = true
      const { size } = open
      let index = 0
      for (const connection of open) connection.shutDown(spreadMs === 0 ? null : (spreadMs * index++) / size)
      if (open.size > 0) await Promise.race([empty.promise, deadline])
      for (const connection of open) connection.cutOff()
    },
  }
}

const REALTIME_PATH = '/realtime'

/**
 * The largest message that uWebSockets receives. It drops a connection without a close frame when a message is larger, so this is more than
 * the limit, in order to refuse properly. A client can make the server buffer at most `MAX_CONNECTIONS_PER_IP` of these.
 */
const MAX_PAYLOAD_BYTES = 1 << 20

/** The most buffered bytes, which bounds the pongs for a client that does not read. Outboxes stop at the first sign of back-pressure. */
const MAX_BACKPRESSURE_BYTES = 1 << 16

/** How long uWebSockets keeps a closed socket whose client does not read the close frame. Open ones are swept. */
const CLOSING_TIMEOUT_SECONDS = 120

/** The version of the protocol, of which there is only that of RFC 6455. */
const VERSION = '13'
const WRONG_VERSION = problem(426, 'upgrade_required', `Sec-WebSocket-Version must be ${VERSION}`, [
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Version', VERSION],
])

interface SocketData {
  readonly client: Client
  readonly admitted: AdmittedConnection
  connection: WebSocketConnection | null
}

/** Adds `/realtime` to the app. An upgrade passes the origin check and the limits of connections first, or is refused. */
function registerWebSockets(app: TemplatedApp, pathPrefix: string, deps: ConnectionDeps, connections: Connections): void {
  const { admission, logger } = deps

  function upgrade(res: HttpResponse, req: HttpRequest, context: us_socket_context_t): void {
    if (ambiguityOf(req) !== null) {
      // This passes the request to the handler of all other requests, which refuses it.
      req.setYield(true)
      return
    }
    if (req.getHeader('sec-websocket-version') !== VERSION) return refuse(res, req, WRONG_VERSION)
    const client = admission.client(res, req)
    if (client.keyIn !== 'nowhere' && client.key === null) return refuse(res, req, unknownKey())
    const origin = req.getHeader('origin')
    if (!admission.originAllowed(origin, client.key)) return refuse(res, req, originNotAllowed(origin))
    if (connections.isClosing) return refuse(res, req, SHUTTING_DOWN)
    const admitted = admission.openConnection(client)
    if (admitted.kind === 'refused') return refuse(res, req, connectionRefused(admitted))
    const data: SocketData = { client, admitted, connection: null }
    admission.sockets.requested(client.address)
    // No subprotocol is selected: the handshake fails for a client that insists on one of its own.
    res.upgrade(data, req.getHeader('sec-websocket-key'), '', req.getHeader('sec-websocket-extensions'), context)
  }

  function refuse(res: HttpResponse, req: HttpRequest, refusal: Problem): void {
    const exchange = openExchange(res, req, admission)
    logger.debug({ requestId: exchange.requestId, status: refusal.status }, 'a WebSocket was refused')
    send(render(refusal, exchange, 'never'), exchange, () => {})
  }

  for (const prefix of new Set(['', pathPrefix])) {
    app.ws<SocketData>(`${prefix}${REALTIME_PATH}`, {
      compression: DISABLED,
      maxPayloadLength: MAX_PAYLOAD_BYTES,
      maxBackpressure: MAX_BACKPRESSURE_BYTES,
      idleTimeout: CLOSING_TIMEOUT_SECONDS,
      sendPingsAutomatically: false,
      upgrade,
      open: ws => {
        const data = ws.getUserData()
        const connection = new WebSocketConnection(ws, data.client, deps)
        data.connection = connection
        connections.add(connection)
      },
      message: (ws, message, isBinary) => ws.getUserData().connection?.receive(new Uint8Array(message), isBinary),
      ping: ws => ws.getUserData().connection?.heard(),
      pong: ws => ws.getUserData().connection?.heard(),
      drain: ws => ws.getUserData().connection?.drained(),
      close: ws => {
        const { connection, admitted } = ws.getUserData()
        admitted.release()
        admission.sockets.webSocketClosed()
        if (connection === null) return
        connections.remove(connection)
        connection.closed()
      },
    })
  }
}
