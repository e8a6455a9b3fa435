import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { nearestName } from '#domain/text.ts'
import { TokenwireError } from '#errors'
import type { Admission } from '#gateway/admission/admission.ts'
import { refuseOperator } from '#gateway/operator.ts'
import type { Realtime } from '#gateway/realtime/realtime.ts'
import type { TemplatedApp } from '#gateway/uWebSockets.ts'
import type { CacheControl } from '#resources/resource.ts'
import type { AnsweredRequest, Metrics } from '#telemetry/metrics.ts'
import { encodeContent, type Outcome } from './answer.ts'
import { type Exchange, openExchange, preflightHeaders, render, send } from './exchange.ts'
import type { ParameterTexts } from './parameters.ts'
import { decodePercent, parseQuery, refuseUnknown } from './parameters.ts'
import { invalidParameter, originNotAllowed, type Problem, problem, quote, unavailable, unknownKey } from './problem.ts'
import { answerRoute, pathTemplate, type Route } from './route.ts'
import { routes } from './routes.ts'
import type { Failed, Sources } from './sources.ts'

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

/** The outcome of a request. `route`: the pattern of the path; `null`: no route matches. */
interface Dispatched {
  readonly outcome: Outcome
  readonly cacheControl: CacheControl
  readonly route: string | null
}

/**
 * Passes a request through the gates in order: route and method, rate limit, key, operator access, query, handler. `failed` gives the
 * answer for an error of a handler.
 *
 * @throws `TypeError` for a route whose answers must not be cached as it says
 */
export function createDispatch(
  routes: readonly Route[],
  { admission, config, operators, responses }: Pick<Sources, 'admission' | 'config' | 'operators' | 'responses'>,
  failed: Failed,
): (exchange: Exchange) => Promise<Dispatched> {
  routes.forEach(assertCacheable)
  const match = createRouter(routes)
  const { pathPrefix } = config
  return async exchange => {
    if (pathPrefix !== '' && exchange.path === pathPrefix) return unrouted(toFolder(pathPrefix))
    const matched = match(exchange.method, withoutPrefix(exchange.path, pathPrefix))
    if (matched.kind === 'preflight') return unrouted(preflight(exchange, admission, matched.allowed))
    if (matched.kind === 'problem') return unrouted(overQuota(exchange, admission) ?? matched)
    const { route, pathParameters } = matched
    const outcome = await enter(route, pathParameters, exchange).catch((error: unknown) => failed(error, exchange))
    return { outcome: withMessage(outcome, route), cacheControl: route.cacheControl, route: route.label ?? route.path }
  }

  async function enter(route: Route, pathParameters: ReadonlyMap<string, string>, exchange: Exchange): Promise<Outcome> {
    // This comes before the first await, because it reads the request's headers.
    const { authorization, host, client } = exchange
    const needsToken = route.access !== 'public' && client.key?.isOperator !== true
    const notOperator = needsToken ? refuseOperator(operators, { authorization, host, forwarded: exchange.isForwarded() }) : null
    const limited = route.limited ? (overQuota(exchange, admission) ?? refuseKey(exchange, route, admission)) : null
    const refused = limited ?? (route.access === 'operator' ? notOperator : null)
    if (refused !== null) return refused
    const query = parseQuery(exchange.query)
    if (query.kind === 'invalid') return query.problem
    const unknown = refuseUnknownParameters(query.texts, route)
    if (unknown !== null) return unknown
    const texts = withPath(query.texts, pathParameters)
    const key = `${withoutPrefix(exchange.path, pathPrefix)}?${exchange.query}`
    return answerRoute({ route, texts, key, isOperator: route.access !== 'public' && notOperator === null }, exchange, responses)
  }
}

/**
 * Refuses parameters that the route does not know, except for probes, files and routes in the formats of other sites: sites and chart
 * libraries send parameters of their own.
 */
function refuseUnknownParameters(
  query: ParameterTexts,
  { limited, description, parameters, takesKeyInUrl = false }: Route,
): Problem | null {
  if (!limited || description?.tag === 'Integrations') return null
  return refuseUnknown(query.keys(), [...Object.keys(parameters.shape), ...(takesKeyInUrl ? ['apiKey'] : [])], 'parameter')
}

/** Refuses a route whose cached answers would differ for operators, or be outdated by a token that is not in its path. */
function assertCacheable({ path, access, cacheControl, outdatedBy }: Route): void {
  if (access !== 'public' && cacheControl !== 'never')
    throw new TypeError(`answers of ${path} differ for operators: caches must not keep them`)
  if (outdatedBy === undefined) return
  if (access !== 'public') throw new TypeError(`answers of ${path} are not the same for everyone, and can't be cached`)
  if (outdatedBy !== 'commit' && !path.split('/').includes(':address')) throw new TypeError(`the path ${path} names no token`)
}

function withMessage(outcome: Outcome, { problemsHaveMessage = false }: Route): Outcome {
  return outcome.kind === 'problem' && problemsHaveMessage ? { ...outcome, hasMessage: true } : outcome
}

/** Merges the parameters of the path and the query. Those of the path take precedence. */
function withPath(query: ParameterTexts, pathParameters: ReadonlyMap<string, string>): ParameterTexts {
  const texts = new Map(query)
  for (const [name, text] of pathParameters) texts.set(name, [text])
  return texts
}

/** The path without the configured prefix, which a proxy may have stripped already. */
function withoutPrefix(path: string, prefix: string): string {
  return prefix !== '' && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
}

/** Redirects to the path with a trailing slash, since the console's URLs are relative to its folder. */
function toFolder(prefix: string): Outcome {
  return { kind: 'answer', status: '308 Permanent Redirect', headers: [['Location', `${prefix}/`]], body: null }
}

function unrouted(outcome: Outcome): Dispatched {
  return { outcome, cacheControl: 'never', route: null }
}

function preflight({ origin, requestedHeaders }: Exchange, admission: Admission, allowed: string): Outcome {
  if (!admission.preflightAllowed(origin)) return originNotAllowed(origin)
  return { kind: 'answer', status: '204 No Content', headers: preflightHeaders(requestedHeaders, allowed), body: null }
}

/** The problem of a given key; `null`: it admits the request. A wrong key is not ignored, since its client expects the key's limits. */
function refuseKey({ client, origin }: Exchange, { takesKeyInUrl = false }: Route, admission: Admission): Problem | null {
  if (client.keyIn === 'nowhere') return null
  if (client.keyIn === 'url' && !takesKeyInUrl) return invalidParameter('apiKey is for event streams and /realtime; send X-Api-Key here')
  if (client.key === null) return unknownKey()
  return client.key.isForPages && !admission.originAllowed(origin, client.key) ? originNotAllowed(origin) : null
}

/** Counts the request, adds the rest of the quota to the headers of its answer, and refuses it if nothing was left. */
function overQuota(exchange: Exchange, admission: Admission): Problem | null {
  const quota = admission.takeRequest(exchange.client)
  if (quota === null) return null
  exchange.headers.push(
    ['RateLimit-Limit', String(quota.limit)],
    ['RateLimit-Remaining', String(quota.remaining)],
    ['RateLimit-Reset', String(quota.resetSeconds)],
  )
  if (quota.allowed) return null
  const who = exchange.client.key === null ? 'one address' : 'this API key'
  return problem(429, 'rate_limited', `${who} may make ${quota.limit} requests per minute`, [['Retry-After', String(quota.resetSeconds)]])
}

export type Match =
  | { readonly kind: 'route'; readonly route: Route; readonly pathParameters: ReadonlyMap<string, string> }
  | { readonly kind: 'preflight'; readonly allowed: string }
  | Problem

const METHODS: Readonly<Record<NonNullable<Route['method']>, readonly string[]>> = {
  GET: ['GET', 'HEAD', 'OPTIONS'],
  POST: ['POST', 'OPTIONS'],
}

/** Compiles the table of routes. No segment of a path may be empty, not even a parameter. */
export function createRouter(routes: readonly Route[]): (method: string, path: string) => Match {
  const compiled = routes.map(route => ({ route, segments: route.path.split('/') }))
  const described = routes.filter(({ description }) => description !== null).map(pathTemplate)
  return (method, path) => {
    const given = path.split('/')
    const found = compiled.find(({ segments }) => fits(segments, given))
    if (found === undefined) return problem(404, 'not_found', `there is nothing at ${quote(path)}; ${hintFor(path, described)}`)
    const methods = METHODS[found.route.method ?? 'GET']
    const allowed = methods.join(', ')
    if (method === 'OPTIONS') return { kind: 'preflight', allowed }
    if (!methods.includes(method)) {
      return problem(405, 'method_not_allowed', `the method must be one of ${allowed}, got ${quote(method)}`, [['Allow', allowed]])
    }
    const pathParameters = parametersOf(found.segments, given)
    if (pathParameters === undefined) return invalidParameter(`the path must be percent-encoded UTF-8, got ${quote(path)}`)
    return { kind: 'route', route: found.route, pathParameters }
  }
}

/** Names the path that was probably meant instead of one with a superfluous slash or a wrong letter. */
function hintFor(path: string, known: readonly string[]): string {
  const nearest = nearestName(path.replace(/\b0x[\da-f]*/i, '{address}'), known, MAX_CHANGES)
  return nearest === null ? '/docs has all paths' : `did you mean ${nearest}?`
}

/** The most letters in which a path differs from a suggested one. With more, unrelated paths would be suggested. */
const MAX_CHANGES = 2

function fits(segments: readonly string[], given: readonly string[]): boolean {
  return (
    segments.length === given.length &&
    segments.every((segment, index) => (isParameter(segment) ? given[index] !== '' : segment === given[index]))
  )
}

function parametersOf(segments: readonly string[], given: readonly string[]): ReadonlyMap<string, string> | undefined {
  const parameters = new Map<string, string>()
  for (const [index, segment] of segments.entries()) {
    if (!isParameter(segment)) continue
    const text = decodePercent(given[index] ?? '')
    if (text === undefined) return undefined
    parameters.set(segment.slice(1), text)
  }
  return parameters
}

function isParameter(segment: string): boolean {
  return segment.startsWith(':')
}
