import type { Client } from '#gateway/admission/client.ts'
import type { AdmittedConnection } from '#gateway/admission/connectionLimit.ts'
import { ambiguityOf } from '#gateway/http/ambiguity.ts'
import { openExchange } from '#gateway/http/exchange.ts'
import { connectionRefused, originNotAllowed, type Problem, problem, unknownKey } from '#gateway/http/problem.ts'
import { render, send } from '#gateway/http/respond.ts'
import { DISABLED, type HttpRequest, type HttpResponse, type TemplatedApp, type us_socket_context_t } from '#gateway/uWebSockets.ts'
import { type ConnectionDeps, type Connections, SHUTTING_DOWN } from './connections.ts'
import { WebSocketConnection } from './webSocketConnection.ts'

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
export function registerWebSockets(app: TemplatedApp, pathPrefix: string, deps: ConnectionDeps, connections: Connections): void {
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
