import { z } from 'zod'
import type { ProblemCode } from '#protocol/schemas/problem.ts'
import type { Answer, Outcome } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { type ParameterTexts, parseParameters } from './parameters.ts'
import type { Problem } from './problem.ts'

export interface Route {
  /** Segments that begin with `:` are parameters. */
  readonly path: string
  readonly parameters: z.ZodObject
  /** Stands for the path in metrics when paths change with every build. Default: the path. */
  readonly label?: string
  /** `operator`: for operators only; `both`: for everyone, with more detail for operators. */
  readonly access: 'public' | 'operator' | 'both'
  /** Whether requests count against `RATE_LIMIT_PER_MINUTE`. */
  readonly limited: boolean
  readonly cacheControl: CacheControl
  /** What outdates a kept answer: a commit that changes the token of its path, or any commit. Absent: no answer is kept. */
  readonly keptUntil?: (texts: ParameterTexts) => 'tokenChanges' | 'commit'
  /** Whether problems also have a `message`, as a site's API requires. */
  readonly problemsHaveMessage?: boolean
  /** `null`: a file of the console, which the descriptions leave out. */
  readonly description: RouteDescription | null
  handle(texts: ParameterTexts, exchange: Exchange, isOperator: boolean): Promise<Outcome>
}

export const TAGS = {
  Tokens: 'Tokens, and what belongs to one of them.',
  Market: 'What happens over all tokens, totals of the index, and the price of ETH.',
  Wallets: 'What an account did over all tokens.',
  Realtime: 'Confirmed updates as they happen.',
  Integrations: 'For market-data sites and chart libraries, in the formats that they require.',
  Health: 'For supervisors, balancers and operators.',
  Descriptions: 'Descriptions of this API.',
} as const

/** The parts of a route's API description that do not follow from its parameters, access, limit and caching. */
export interface RouteDescription {
  /** `operationId` of OpenAPI. */
  readonly id: string
  readonly tag: keyof typeof TAGS
  /** A sentence without a full stop. */
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

/**
 * How long caches may keep an answer:
 *
 * - `revalidate`: they ask every time, and a 304 has no body. A page must never show a state older than an update that it has received.
 * - `seconds`: aggregates, which are not compared with updates.
 * - `never`: answers about the present moment.
 * - `forever`: files whose address changes with their contents.
 */
export type CacheControl = 'revalidate' | 'seconds' | 'never' | 'forever'

export const CACHE_CONTROL: Readonly<Record<CacheControl, string>> = {
  revalidate: 'public, no-cache',
  seconds: 'public, max-age=5',
  never: 'no-store',
  forever: 'public, max-age=31536000, immutable',
}

export const NO_PARAMETERS = z.object({})

type ResourceOptions<S extends z.ZodObject> = Pick<Route, 'path' | 'cacheControl' | 'description'> &
  Partial<Pick<Route, 'access' | 'limited' | 'keptUntil'>> & { readonly parameters?: S }

export function resource<S extends z.ZodObject = typeof NO_PARAMETERS>(
  {
    path,
    parameters = NO_PARAMETERS as z.ZodObject as S,
    cacheControl,
    description,
    access = 'public',
    limited = true,
    keptUntil,
  }: ResourceOptions<S>,
  handle: (values: z.output<S>, isOperator: boolean) => Promise<Answer | Problem>,
): Route {
  return {
    path,
    parameters,
    access,
    limited,
    cacheControl,
    description,
    ...(keptUntil && { keptUntil }),
    async handle(texts, _exchange, isOperator) {
      const parsed = parseParameters(parameters, texts)
      return parsed.ok ? handle(parsed.values, isOperator) : parsed.problem
    },
  }
}
