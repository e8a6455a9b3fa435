import type { z } from 'zod'
import { getOrInsert } from '#domain/getOrInsert.ts'
import { pathTemplate, type Route, type RouteDescription } from '#gateway/http/route.ts'
import { PROBLEMS, type ProblemCode, problemSchema } from '#resources/problem.ts'
import { TAGS } from '#resources/resource.ts'
import type { Examples } from './examples.ts'
import { API_KEY_RULE, bullets, problemRows, requestRules, SUMMARY, TITLE, VALUE_RULES } from './guide.ts'
import { createJsonSchemas, describeParameters, type JsonObject, type JsonSchemas } from './jsonSchemas.ts'
import type { DescribedLimits } from './limits.ts'
import { createProblemResponses, headersOf, NOT_MODIFIED, type ProblemResponses } from './problemResponses.ts'

export interface DescribedService {
  readonly routes: readonly Route[]
  readonly limits: DescribedLimits
  readonly version: string
  readonly examples: Examples
}

export type DescribedRoute = Route & { readonly description: RouteDescription }

/** The routes that have a description: all but those of the console's files and `/mcp`. */
export function describedRoutes(routes: readonly Route[]): readonly DescribedRoute[] {
  return routes.filter((route): route is DescribedRoute => route.description !== null)
}

/** The service's HTTP interface as OpenAPI 3.1. */
export function openApi({ routes, limits, version, examples }: DescribedService): JsonObject {
  const schemas = createJsonSchemas()
  const problems = createProblemResponses(schemas.of(problemSchema))
  const paths = Object.fromEntries(
    describedRoutes(routes).map(route => [pathTemplate(route), { get: operation(route, { schemas, problems, limits, examples }) }]),
  )
  const codes = problemRows().map(([code, statuses, meaning]) => `\`${code}\` (${statuses}): ${meaning}`)
  return {
    openapi: '3.1.1',
    info: {
      title: TITLE,
      version,
      summary: SUMMARY,
      description: `${bullets([...VALUE_RULES, ...requestRules(limits)])}\n\nCodes of problems:\n\n${bullets(codes)}`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '.', description: 'The address at which this document was read.' }],
    security: [{}],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: schemas.components(),
      responses: problems.components(),
      headers: HEADERS,
      securitySchemes: {
        operatorToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The operator’s token: `OPERATOR_TOKEN`, or the content of the file `DATA_DIR/operator-token`.',
        },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: API_KEY_RULE },
      },
    },
  }
}

const HEADERS: JsonObject = {
  ETag: { description: 'Tag of the body, for `If-None-Match`.', schema: { type: 'string' } },
  'X-Request-Id': { description: 'Id of the request: the client’s own, or a new one.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds after which another attempt may succeed.', schema: { type: 'integer', minimum: 1 } },
  'RateLimit-Limit': { description: 'Requests per minute and client address.', schema: { type: 'integer', minimum: 1 } },
  'RateLimit-Remaining': { description: 'Requests left in this minute.', schema: { type: 'integer', minimum: 0 } },
  'RateLimit-Reset': { description: 'Seconds until the count is reset.', schema: { type: 'integer', minimum: 1 } },
}

interface Parts extends Pick<DescribedService, 'limits' | 'examples'> {
  readonly schemas: JsonSchemas
  readonly problems: ProblemResponses
}

function operation(route: DescribedRoute, parts: Parts): JsonObject {
  const { id, tag, summary } = route.description
  const problems = [...problemsOf(route, parts.limits)]
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(route.access !== 'public' && { security: [...(route.access === 'both' ? [{}] : []), { operatorToken: [] }, { apiKey: [] }] }),
    parameters: parametersOf(route),
    responses: {
      ...success(route, parts),
      ...Object.fromEntries(problems.map(([status, codes]) => [status, parts.problems.of(status, codes, isLimited(route, parts.limits))])),
    },
  }
}

function parametersOf(route: Route): readonly JsonObject[] {
  const own = describeParameters(route.parameters).map(({ name, schema, ...parameter }) => ({
    name,
    in: route.path.includes(`:${name}`) ? 'path' : 'query',
    ...parameter,
    ...(schema.type === 'array' && { style: 'form', explode: false }),
    schema,
  }))
  if (!isEventStream(route)) return own
  return [
    ...own,
    {
      name: 'Last-Event-ID',
      in: 'header',
      required: false,
      description: LAST_EVENT_ID,
      schema: { type: 'string', pattern: '^\\d{1,16}(?:-\\d{1,16}){0,2}$' },
    },
  ]
}

const LAST_EVENT_ID = 'The `id` of the last event, which browsers send when they reconnect. It takes precedence over `lastEventId`.'

export function isEventStream({ description }: Route): boolean {
  return textAnswerOf(description)?.contentType === 'text/event-stream'
}

function textAnswerOf(description: RouteDescription | null) {
  return description?.answer !== null && description?.answer !== undefined && 'contentType' in description.answer
    ? description.answer
    : null
}

function success(route: DescribedRoute, { schemas, examples, limits }: Parts): JsonObject {
  const { id, answer, alsoStatus } = route.description
  if (answer === null) return { 101: { description: 'The connection is a WebSocket from here on.' } }
  const text = textAnswerOf(route.description)
  const example = examples.answers[id]?.body
  const [contentType, schema] =
    text === null ? ['application/json', schemas.of(answer as z.ZodType)] : [text.contentType, { type: 'string' }]
  const answered = {
    description: text?.meaning ?? 'The answer.',
    headers: headersOf(isEventStream(route) ? ['X-Request-Id'] : ['ETag', 'X-Request-Id'], isLimited(route, limits)),
    content: { [contentType]: { schema, ...(example !== undefined && { example }) } },
  }
  return {
    200: answered,
    ...(!isEventStream(route) && { 304: NOT_MODIFIED }),
    ...(alsoStatus !== undefined && {
      [alsoStatus]: { ...answered, headers: headersOf(['X-Request-Id', 'Retry-After'], isLimited(route, limits)) },
    }),
  }
}

/** The codes of problems that a route answers, by status. */
export function problemsOf(route: DescribedRoute, limits: DescribedLimits): ReadonlyMap<number, readonly ProblemCode[]> {
  const opensConnection = route.description.answer === null || isEventStream(route)
  const codes: readonly ProblemCode[] = [
    // Every path refuses an ambiguous request, and a query that is not percent-encoded UTF-8.
    'invalid_parameter',
    'invalid_request',
    ...((route.limited && limits.rateLimitPerMinute > 0) || opensConnection ? (['rate_limited'] as const) : []),
    ...(route.access === 'operator' ? (['unauthorized'] as const) : []),
    // For a key that is not in force, or not for this page.
    ...(route.limited || opensConnection ? (['unauthorized', 'origin_not_allowed'] as const) : []),
    ...route.description.problems,
    'internal',
  ]
  const byStatus = new Map<number, ProblemCode[]>()
  for (const code of new Set(codes)) {
    for (const status of PROBLEMS[code].statuses) getOrInsert(byStatus, status, () => []).push(code)
  }
  return byStatus
}

function isLimited({ limited }: Route, { rateLimitPerMinute }: DescribedLimits): boolean {
  return limited && rateLimitPerMinute > 0
}
