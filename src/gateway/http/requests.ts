import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { TokenwireError } from '#errors'
import type { Realtime } from '#gateway/realtime/realtime.ts'
import type { TemplatedApp } from '#gateway/uWebSockets.ts'
import type { Metrics } from '#telemetry/metrics.ts'
import type { AnsweredRequest } from '#telemetry/requestMetrics.ts'
import { encodeContent } from './contentEncoding.ts'
import { createDispatch, type Dispatched } from './dispatch.ts'
import { type Exchange, openExchange } from './exchange.ts'
import { type Problem, problem, unavailable } from './problem.ts'
import { render, send } from './respond.ts'
import { routes } from './routes.ts'
import type { Sources } from './sources.ts'

/** nginx's status for a request whose client went away before the answer. */
const CLIENT_CLOSED_REQUEST = 499

export interface RequestDeps extends Sources {
  readonly logger: Logger
  readonly realtime: Sources['realtime'] & Pick<Realtime, 'register' | 'close'>
  /** Called after each REST request, problems included, but not for opened event streams. */
  readonly metrics: Pick<Metrics, 'contentType' | 'render' | 'observeRequest'>
  /** How long `close` waits for requests in flight. Default 5,000. */
  readonly drainTimeoutMs?: number
}

/** Answers the requests that come to all apps of one thread. */
export interface Requests {
  /** Adds all routes to an app. */
  prepare(app: TemplatedApp): void
  /** Closes the realtime connections, and waits a bounded time for requests in flight. New connections have to be stopped before. */
  close(): Promise<void>
}

export function createRequests(deps: RequestDeps): Requests {
  const { config, realtime, drainTimeoutMs = 5_000 } = deps
  const inFlight = new Set<Exchange>()
  let onIdle = () => {}
  const answer = createAnswerer(deps)

  async function drain(): Promise<void> {
    if (inFlight.size === 0) return
    const idle = new Promise<void>(resolve => (onIdle = resolve))
    await Promise.race([idle, pause(drainTimeoutMs, undefined, { ref: false })])
  }

  return {
    prepare(app) {
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
    },
    close: async () => {
      await Promise.all([realtime.close(), drain()])
    },
  }
}

/** Answers one request and never rejects. Calls `done` when the response has left the process or belongs to an event stream. */
function createAnswerer(deps: RequestDeps): (exchange: Exchange, done: () => void) => Promise<void> {
  const { logger, metrics, now } = deps
  const failed = (error: unknown, exchange: Exchange) => problemOfFailure(error, exchange, logger)
  const dispatch = createDispatch(routes(deps, failed), deps, failed)

  return async (exchange, done) => {
    const startedAtMs = now()
    const { requestId, method, path, client } = exchange
    let sent = false
    try {
      const { outcome, cacheControl, route } = exchange.ambiguity === null ? await dispatch(exchange) : await refuse(exchange.ambiguity)
      if (outcome.kind === 'handedOver') {
        done()
        return
      }
      const encoded = outcome.kind === 'answer' ? await encodeContent(outcome, exchange.acceptEncoding) : outcome
      const rendered = render(encoded, exchange, cacheControl)
      const aborted = exchange.isAborted()
      if (!aborted) send(rendered, exchange, done)
      sent = true
      const status = aborted ? CLIENT_CLOSED_REQUEST : Number(rendered.status.slice(0, 3))
      const durationMs = Math.round((now() - startedAtMs) * 1_000) / 1_000
      const sender = { clientAddress: client.address, ...(client.key !== null && { key: client.key.name }) }
      logger.debug({ requestId, method, path: path.slice(0, 200), status, durationMs, ...sender }, 'answered')
      metrics.observeRequest({ method: knownMethod(method), route, status, durationMs })
    } catch (err) {
      logger.error({ err, requestId }, sent ? 'an answer could not be reported' : 'an answer could not be sent')
      if (!sent && !exchange.isAborted()) exchange.res.close()
    }
  }
}

/** Refuses in a later turn of the event loop. In this turn, uWebSockets would close a connection with more input, such as the body. */
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
  // The failure is logged once, where the price is fetched.
  if (code === 'price_unavailable') return unavailable(code, 'no provider gives an ETH/USD price at the moment')
  if (code === 'not_counted') return unavailable('data_unavailable', 'this is still being counted after the index has caught up')
  logger.error({ err: error, requestId, method, path: path.slice(0, 200) }, 'a request failed')
  return problem(500, 'internal', 'the server failed to answer; its log has the reason under this requestId')
}
