import type { Admission } from '#gateway/admission/admission.ts'
import { refuseOperator } from '#gateway/operator/operatorAccess.ts'
import type { CacheControl } from '#resources/resource.ts'
import type { Outcome } from './answer.ts'
import { answerRoute } from './answerRoute.ts'
import type { Exchange } from './exchange.ts'
import { preflightHeaders } from './headers.ts'
import { type ParameterTexts, parseQuery, refuseUnknown } from './parameters.ts'
import { invalidParameter, originNotAllowed, type Problem, problem, unknownKey } from './problem.ts'
import type { Route } from './route.ts'
import { createRouter } from './router.ts'
import type { Sources } from './sources.ts'

/** The outcome of a request. `route`: the pattern of the path; `null`: no route matches. */
export interface Dispatched {
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
  failed: (error: unknown, exchange: Exchange) => Problem,
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
