import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '#config'
import { TokenwireError } from '#errors'
import type { AnsweredRequest, Metrics } from '#telemetry/metrics.ts'
import { encodeAnswer } from './contentEncoding.ts'
import { createDispatch, type Dispatched } from './dispatch.ts'
import { type Exchange, openExchange } from './exchange.ts'
import { routes } from './http/routes.ts'
import { bareHost, listenError, reachableUrl } from './listenAddress.ts'
import { createListeningApp } from './listeningApp.ts'
import { type Problem, problem, unavailable } from './problem.ts'
import type { Realtime } from './realtime.ts'
import { render, send } from './respond.ts'
import type { Sources } from './sources.ts'
import { type TemplatedApp, type us_listen_socket, us_listen_socket_close, us_socket_local_port } from './uWebSockets.ts'

/** `LIBUS_LISTEN_EXCLUSIVE_PORT`: without it a second process could listen on the port and would take half of the connections. */
const EXCLUSIVE_PORT = 1

/** nginx's status for a request whose client went away before the answer. */
const CLIENT_CLOSED_REQUEST = 499

export interface ServerDeps extends Sources {
  readonly config: Sources['config'] & Pick<Config, 'tls'>
  readonly logger: Logger
  readonly realtime: Pick<Realtime, 'register' | 'openEventStream' | 'health' | 'close'>
  /** Called after each REST request, problems included, but not for opened event streams. */
  readonly metrics: Pick<Metrics, 'contentType' | 'render' | 'observeRequest'>
  /** How long `close` waits for requests in flight. Default 5,000. */
  readonly drainTimeoutMs?: number
}

export interface Server {
  /**
   * Port 0: any free one. `url`: at which this machine reaches it.
   *
   * @throws `TokenwireError` `config_invalid` that says why it can't listen; retryable when the port is taken
   */
  listen(host: string, port: number): Promise<{ readonly url: string; readonly port: number }>
  /** New connections get the certificate of the files. @throws when these are no certificate and its key; the old one stays in use */
  renewCertificate(): void
  /** Stops accepting connections, closes the realtime ones, waits a bounded time for requests in flight, then closes all. */
  close(): Promise<void>
}

export function createServer(deps: ServerDeps): Server {
  const { config, realtime, drainTimeoutMs = 5_000 } = deps
  const inFlight = new Set<Exchange>()
  let onIdle = () => {}
  const answer = createAnswerer(deps)

  const listeningApp = createListeningApp(config.tls, app => {
    deps.admission.sockets.watch(app)
    if (config.role !== 'indexer') realtime.register(app, config.pathPrefix)
    app.any('/*', (res, req) => {
      const exchange = openExchange(res, req, deps.admission)
      inFlight.add(exchange)
      const done = () => {
        inFlight.delete(exchange)
        if (inFlight.size === 0) onIdle()
      }
      exchange.onAborted(done)
      void answer(exchange, done)
    })
  })

  let listening: us_listen_socket | null = null
  let closed: Promise<void> | null = null

  async function drain(): Promise<void> {
    if (inFlight.size === 0) return
    const idle = new Promise<void>(resolve => (onIdle = resolve))
    await Promise.race([idle, pause(drainTimeoutMs, undefined, { ref: false })])
  }

  async function close(): Promise<void> {
    if (listening !== null) us_listen_socket_close(listening)
    listening = null
    try {
      await Promise.all([realtime.close(), drain()])
    } finally {
      listeningApp.close()
    }
  }

  return {
    async listen(host, port) {
      const bare = bareHost(host)
      listening = await listenOn(listeningApp.acceptor, bare, port)
      if (listening === null) throw await listenError(bare, port)
      const chosen = us_socket_local_port(listening)
      return { url: reachableUrl(bare, chosen, config.tls !== null), port: chosen }
    },
    renewCertificate: listeningApp.renewCertificate,
    close() {
      closed ??= close()
      return closed
    },
  }
}

/** Answers one request and never rejects. Calls `done` when the response has left the process or belongs to an event stream. */
function createAnswerer(deps: ServerDeps): (exchange: Exchange, done: () => void) => Promise<void> {
  const { logger, metrics, now } = deps
  const dispatch = createDispatch(routes(deps), deps, (error, exchange) => problemOfFailure(error, exchange, logger))

  return async (exchange, done) => {
    const startedAtMs = now()
    const { requestId, method, path, clientAddress } = exchange
    let sent = false
    try {
      const { outcome, cacheControl, route } = exchange.ambiguity === null ? await dispatch(exchange) : await refuse(exchange.ambiguity)
      if (outcome.kind === 'handedOver') {
        done()
        return
      }
      const encoded = outcome.kind === 'answer' ? await encodeAnswer(outcome, exchange.acceptEncoding) : outcome
      const rendered = render(encoded, exchange, cacheControl)
      const aborted = exchange.isAborted()
      if (!aborted) send(rendered, exchange, done)
      sent = true
      const status = aborted ? CLIENT_CLOSED_REQUEST : Number(rendered.status.slice(0, 3))
      const durationMs = Math.round((now() - startedAtMs) * 1_000) / 1_000
      logger.debug({ requestId, method, path: path.slice(0, 200), status, durationMs, clientAddress }, 'answered')
      metrics.observeRequest({ method: knownMethod(method), route, status, durationMs })
    } catch (err) {
      logger.error({ err, requestId }, sent ? 'an answer could not be reported' : 'an answer could not be sent')
      if (!sent && !exchange.isAborted()) exchange.res.close()
    }
  }
}

/** In a later turn: until then uWebSockets closes a connection whose next request, which may be this one's body, is there already. */
async function refuse(outcome: Problem): Promise<Dispatched> {
  await new Promise(setImmediate)
  return { outcome, cacheControl: 'never', route: null }
}

function knownMethod(method: string): AnsweredRequest['method'] {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? method : 'other'
}

function problemOfFailure(error: unknown, { requestId, method, path }: Exchange, logger: Logger): Problem {
  const code = error instanceof TokenwireError ? error.code : null
  if (code === 'database_unavailable') {
    logger.warn({ requestId, code: 'data_unavailable' }, 'a request cannot be answered at the moment')
    return unavailable('data_unavailable', 'the database does not answer; nothing can be served without it')
  }
  // Logged once where the price is fetched.
  if (code === 'price_unavailable') return unavailable(code, 'no provider gives an ETH/USD price at the moment')
  logger.error({ err: error, requestId, method, path: path.slice(0, 200) }, 'a request failed')
  return problem(500, 'internal', 'the server failed to answer; its log has the reason under this requestId')
}

function listenOn(app: TemplatedApp, host: string, port: number): Promise<us_listen_socket | null> {
  // uWebSockets' types lack this overload.
  const { listen } = app as unknown as {
    listen(host: string, port: number, options: number, onListening: (socket: us_listen_socket | false) => void): void
  }
  return new Promise(resolve => listen.call(app, host, port, EXCLUSIVE_PORT, socket => resolve(socket === false ? null : socket)))
}
