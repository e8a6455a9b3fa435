import type { z } from 'zod'
import type { LaunchpadConfig, LaunchpadsConfig } from '#config'
import type { Address } from '#domain/address.ts'
import type { ProblemCode } from '#resources/problem.ts'
import { type CacheControl, type GivenNames, NO_PARAMETERS, type OutdatedBy, type Resource, type TAGS } from '#resources/resource.ts'
import type { Answer, Outcome } from './answer.ts'
import type { Exchange } from './exchange.ts'
import type { ParameterTexts } from './parameters.ts'
import { parseParameters } from './parameters.ts'
import { type Problem } from './problem.ts'
import type { ResponseCache } from './responseCache.ts'

export interface Route {
  /** Segments that begin with `:` are parameters. */
  readonly path: string
  /** `GET` includes `HEAD`. Default: `GET`. */
  readonly method?: 'GET' | 'POST'
  readonly parameters: z.ZodObject
  /** Stands for the path in metrics when paths change with every build. Default: the path. */
  readonly label?: string
  /** `operator`: for operators only; `both`: for everyone, with more detail for operators. */
  readonly access: 'public' | 'operator' | 'both'
  /** Whether `apiKey` of the query is taken, for browsers that can send no header. Default: false. */
  readonly takesKeyInUrl?: boolean
  /** Whether requests count against `RATE_LIMIT_PER_MINUTE`. */
  readonly limited: boolean
  readonly cacheControl: CacheControl
  /** The commits that outdate a cached answer. Default: no answer is cached. */
  readonly outdatedBy?: OutdatedBy | ((given: GivenNames) => OutdatedBy)
  /** Whether problems also have a `message`, as a site's API requires. */
  readonly problemsHaveMessage?: boolean
  /** `null`: OpenAPI leaves the route out, as it does files of the console, and `/mcp`, which describes itself. */
  readonly description: RouteDescription | null
  handle(texts: ParameterTexts, exchange: Exchange, isOperator: boolean): Promise<Outcome>
}

/** The path as OpenAPI writes it: `/api/tokens/{address}`. */
export function pathTemplate({ path }: Pick<Route, 'path'>): string {
  return path.replace(/:(\w+)/g, '{$1}')
}

/** The parts of a route's API description that do not follow from its parameters, access, limit and caching. */
export interface RouteDescription {
  /** `operationId` of OpenAPI. */
  readonly id: string
  readonly tag: keyof typeof TAGS
  /** A sentence about the route, without a full stop. */
  readonly summary: string
  /** The body of the answer: a schema for JSON. `null`: the connection is upgraded. */
  readonly answer: z.ZodType | NonJsonAnswer | null
  /** A status besides 200 that has the same body. */
  readonly alsoStatus?: 503
  /** Problems besides those that follow from parameters, access and limits. */
  readonly problems: readonly ProblemCode[]
}

export interface NonJsonAnswer {
  readonly contentType: string
  readonly meaning: string
}

interface RouteOptions<S extends z.ZodObject> extends Pick<Route, 'path' | 'cacheControl' | 'description'> {
  readonly parameters?: S
  /** Default: `public`. */
  readonly access?: Route['access'] | undefined
  /** Default: true. */
  readonly limited?: boolean | undefined
  readonly outdatedBy?: Route['outdatedBy'] | null | undefined
}

export function defineRoute<S extends z.ZodObject = typeof NO_PARAMETERS>(
  {
    path,
    parameters = NO_PARAMETERS as z.ZodObject as S,
    cacheControl,
    description,
    access = 'public',
    limited = true,
    outdatedBy,
  }: RouteOptions<S>,
  handle: (values: z.output<S>, isOperator: boolean, exchange: Exchange) => Promise<Answer | Problem>,
): Route {
  return {
    path,
    parameters,
    access,
    limited,
    cacheControl,
    description,
    ...(outdatedBy && { outdatedBy }),
    async handle(texts, exchange, isOperator) {
      const parsed = parseParameters(parameters, texts)
      return parsed.kind === 'valid' ? handle(parsed.values, isOperator, exchange) : parsed.problem
    },
  }
}

/** The route of a resource. */
export function resourceRoute<Parameters extends z.ZodObject>(
  resource: Pick<Resource<Parameters>, 'path' | 'parameters' | 'access' | 'limited' | 'cacheControl' | 'outdatedBy'> & RouteDescription,
  handle: (values: z.output<Parameters>, isOperator: boolean, exchange: Exchange) => Promise<Answer | Problem>,
): Route {
  const { path, parameters, access, limited, cacheControl, outdatedBy, ...description } = resource
  return defineRoute({ path, parameters, access, limited, cacheControl, outdatedBy, description }, handle)
}

export interface AskedRoute {
  readonly route: Route
  /** The parameters of the path and the query. */
  readonly texts: ParameterTexts
  /** The path and the query, which are the same for requests with the same answer. */
  readonly key: string
  readonly isOperator: boolean
}

/** Answers a request that has passed the gates, from the cache if the route's answers are cached. */
export async function answerRoute(
  { route, texts, key, isOperator }: AskedRoute,
  exchange: Exchange,
  responses: Pick<ResponseCache, 'ask'>,
): Promise<Outcome> {
  const handle = () => route.handle(texts, exchange, isOperator)
  const by = typeof route.outdatedBy === 'function' ? route.outdatedBy(texts) : route.outdatedBy
  if (by === undefined) return handle()
  if (by === 'commit') return responses.ask({ key, token: null }, handle)
  const token = texts.get('address')?.[0]?.toLowerCase()
  return token === undefined ? handle() : responses.ask({ key, token: token as Address }, handle)
}

/** The entries of `launchpads.json` that launch tokens, in its order, without the pools of quote currencies. */
export function launchingEntries(config: LaunchpadsConfig): readonly LaunchpadConfig[] {
  return config.launchpads.filter(({ adapter }) => adapter !== 'quote-pool')
}
