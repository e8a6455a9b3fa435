import { randomUUID } from 'node:crypto'
import type { Place } from './admission.ts'
import { type ConnectionDeps, ConnectionSet, SHUTTING_DOWN } from './connections.ts'
import { openExchange } from './exchange.ts'
import { connectionRefused, originNotAllowed, type Problem } from './problem.ts'
import { render, send } from './respond.ts'
import {
  DISABLED,
  type HttpRequest,
  type HttpResponse,
  type TemplatedApp,
  type us_socket_context_t,
  type WebSocket,
} from './uWebSockets.ts'
import { WebSocketConnection } from './webSocketConnection.ts'

/** Where WebSockets are opened. */
export const REALTIME_PATH = '/realtime'

/**
 * uWebSockets drops a connection without a close frame when a message passes this, so messages up to here are received in order to be
 * refused properly. A client has to send what it makes the server hold, and may have `MAX_CONNECTIONS_PER_IP` of these.
 */
const MAX_PAYLOAD_BYTES = 1 << 20

/**
 * What an outbox writes stays below half of it, since writing stops at the first sign of back-pressure. It bounds the pongs for a client that
 * pings without reading them.
 */
const MAX_BACKPRESSURE_BYTES = 1 << 16

/** How long uWebSockets keeps a socket that was closed with a code and does not read it. Live ones are looked after by the sweep. */
const CLOSING_TIMEOUT_SECONDS = 120

/** What is kept from the upgrade request until the socket is open, and there. */
interface Upgraded {
  readonly place: Place
  connection: WebSocketConnection | null
}

/** All WebSockets of the process. */
export class WebSockets {
  readonly #deps: ConnectionDeps
  readonly #open = new ConnectionSet()

  constructor(deps: ConnectionDeps) {
    this.#deps = deps
  }

  /** Adds the route, and the same below a prefix. */
  register(app: TemplatedApp, pathPrefix: string): void {
    for (const prefix of new Set(['', pathPrefix])) this.#registerAt(app, `${prefix}${REALTIME_PATH}`)
  }

  #registerAt(app: TemplatedApp, path: string): void {
    app.ws<Upgraded>(path, {
      compression: DISABLED,
      maxPayloadLength: MAX_PAYLOAD_BYTES,
      maxBackpressure: MAX_BACKPRESSURE_BYTES,
      idleTimeout: CLOSING_TIMEOUT_SECONDS,
      sendPingsAutomatically: false,
      upgrade: (res, req, context) => this.#upgrade(res, req, context),
      open: ws => this.#opened(ws),
      message: (ws, message, isBinary) => ws.getUserData().connection?.receive(new Uint8Array(message), isBinary),
      ping: ws => ws.getUserData().connection?.heard(),
      pong: ws => ws.getUserData().connection?.heard(),
      drain: ws => ws.getUserData().connection?.drained(),
      close: ws => this.#closed(ws.getUserData()),
    })
  }

  sweep(nowMs: number): void {
    this.#open.sweep(nowMs)
  }

  /** Refuses new ones and closes the open ones with 1012; `deadline` ends the waiting for slow readers. */
  close(deadline: Promise<void>): Promise<void> {
    return this.#open.close(deadline)
  }

  #upgrade(res: HttpResponse, req: HttpRequest, context: us_socket_context_t): void {
    const { admission } = this.#deps
    const origin = req.getHeader('origin')
    if (!admission.originAllowed(origin)) this.#refuse(res, req, originNotAllowed(origin))
    else if (this.#open.isClosing) this.#refuse(res, req, SHUTTING_DOWN)
    else {
      const admitted = admission.openConnection(admission.clientAddress(res, req))
      if (!admitted.ok) this.#refuse(res, req, connectionRefused(admitted))
      else {
        const upgraded: Upgraded = { place: admitted, connection: null }
        // No subprotocol is chosen: a client that insists on one of its own is told so by the handshake.
        res.upgrade(upgraded, req.getHeader('sec-websocket-key'), '', req.getHeader('sec-websocket-extensions'), context)
      }
    }
  }

  #refuse(res: HttpResponse, req: HttpRequest, refusal: Problem): void {
    const exchange = openExchange(res, req, this.#deps.admission, randomUUID)
    this.#deps.logger.debug({ requestId: exchange.requestId, status: refusal.status }, 'a WebSocket was refused')
    send(render(refusal, exchange, 'never'), exchange, () => {})
  }

  #opened(ws: WebSocket<Upgraded>): void {
    const connection = new WebSocketConnection(ws, this.#deps)
    ws.getUserData().connection = connection
    this.#open.add(connection)
  }

  #closed({ connection, place }: Upgraded): void {
    place.release()
    if (connection === null) return
    this.#open.remove(connection)
    connection.closed()
  }
}
