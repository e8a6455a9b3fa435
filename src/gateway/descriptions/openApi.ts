import { readFileSync } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import { getOrInsert } from '#domain/maps.ts'
import { pathTemplate, type Route, type RouteDescription } from '#gateway/http/route.ts'
import type { DescribedLimits } from '#gateway/http/sources.ts'
import { packagePath } from '#package'
import { MAX_CHANNEL_SUBSCRIPTIONS, MAX_MESSAGE_BYTES, MAX_WATCHED_PER_CLIENT } from '#protocol/limits.ts'
import type { ProblemCode } from '#resources/problem.ts'
import { PROBLEMS, problemSchema } from '#resources/problem.ts'
import { TAGS } from '#resources/resource.ts'

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

/** The answers with problems, each described once. Described at each route, they would be two thirds of the document. */
interface ProblemResponses {
  /** A reference to the answer of a status with one of these codes. `isLimited`: it says how many requests are left. */
  of(status: number, codes: readonly ProblemCode[], isLimited: boolean): JsonObject
  /** All answers that were referred to so far, and `NotModified`, by name. */
  components(): JsonObject
}

const NOT_MODIFIED: JsonObject = { $ref: '#/components/responses/NotModified' }

function createProblemResponses(problemSchema: JsonObject): ProblemResponses {
  const components = new Map<string, JsonObject>([
    ['NotModified', { description: 'Not modified: the answer still has the tag that `If-None-Match` names.' }],
  ])
  return {
    of(status, codes, isLimited) {
      const name = `${nameOf(status, codes)}${isLimited ? '' : 'Unlimited'}`
      if (!components.has(name)) components.set(name, response(status, codes, isLimited, problemSchema))
      return { $ref: `#/components/responses/${name}` }
    },
    components: () => Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  }
}

/** A component's name: `InvalidParameterOrInvalidRequest`, or with the status of a code that has several, `Unauthorized401`. */
function nameOf(status: number, codes: readonly ProblemCode[]): string {
  const names = codes.map(code => code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()))
  return `${names.join('Or')}${codes.some(code => PROBLEMS[code].statuses.length > 1) ? status : ''}`
}

function response(status: number, codes: readonly ProblemCode[], isLimited: boolean, problemSchema: JsonObject): JsonObject {
  return {
    description: codes.map(code => `\`${code}\`: ${PROBLEMS[code].meaning}`).join(' '),
    headers: headersOf(['X-Request-Id', ...(status === 429 || status === 503 ? ['Retry-After'] : [])], isLimited),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [problemSchema, { type: 'object', properties: { status: { const: status }, code: { enum: codes } } }],
        },
        example: {
          type: 'about:blank',
          title: STATUS_CODES[status],
          status,
          detail: PROBLEMS[codes[0] ?? 'internal'].meaning,
          code: codes[0],
          requestId: '6f1c1b0e-6a6c-4f0e-9a53-6b1d4b1c2a10',
        },
      },
    },
  }
}

/** References to the headers of an answer. @param isLimited adds those of the rate limit */
function headersOf(names: readonly string[], isLimited: boolean): JsonObject {
  const rates = isLimited ? ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] : []
  return Object.fromEntries([...names, ...rates].map(name => [name, { $ref: `#/components/headers/${name}` }]))
}

export type JsonObject = Readonly<Record<string, unknown>>

/** Turns zod schemas into JSON Schema (2020-12) for one document. Schemas with an `id` become components. */
interface JsonSchemas {
  /** The schema of the value on the wire. Objects stay open, since later versions add fields. */
  of(schema: z.ZodType): JsonObject
  /** All components that were referred to so far, by id, in alphabetical order. */
  components(): JsonObject
}

export function createJsonSchemas(): JsonSchemas {
  const components = new Map<string, unknown>()
  const written = new Map<z.ZodType, JsonObject>()
  return {
    of(schema) {
      const known = written.get(schema)
      if (known !== undefined) return known
      // The schema is wrapped, because a root never becomes a reference.
      const { properties, $defs = {} } = toJsonSchema(z.object({ wrapped: schema }), 'input')
      for (const [id, { id: _, ...component }] of Object.entries($defs)) components.set(id, component)
      const json = properties['wrapped'] ?? {}
      written.set(schema, json)
      return json
    },
    components: () => Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  }
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, JsonObject>>
  readonly required?: readonly string[]
  readonly $defs?: Readonly<Record<string, JsonObject>>
}

function toJsonSchema(schema: z.ZodObject, io: 'input' | 'output'): ObjectSchema {
  const text = JSON.stringify(z.toJSONSchema(schema, { io }))
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/')) as ObjectSchema
}

export interface DescribedParameter {
  readonly name: string
  readonly required: boolean
  readonly description: string
  /** The schema of the parsed value, not of its text: comma lists are arrays. */
  readonly schema: ValueSchema
}

interface ValueSchema {
  readonly type: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly default?: string | number | boolean | readonly string[]
  readonly maxItems?: number
  readonly items?: { readonly enum?: readonly string[] }
}

/** The parameters of a route, each with the schema of its parsed value. */
export function describeParameters(parameters: z.ZodObject): readonly DescribedParameter[] {
  const required = toJsonSchema(parameters, 'input').required ?? []
  return Object.entries(toJsonSchema(parameters, 'output').properties).map(([name, { description, ...schema }]) => ({
    name,
    required: required.includes(name),
    description: String(description),
    schema: schema as unknown as ValueSchema,
  }))
}

/** Examples for the descriptions, which `npm run generate` records from a running service. */
interface Examples {
  /** Answers of the API, by `operationId`. */
  readonly answers: Readonly<Record<string, { readonly request: string; readonly body: unknown } | undefined>>
  /** Messages of the WebSocket, by type. */
  readonly messages: Readonly<Record<string, unknown>>
}

export function readExamples(): Examples {
  return JSON.parse(readFileSync(packagePath('src/gateway/descriptions/examples.json'), 'utf8')) as Examples
}

function describeRequestLimit({ rateLimitPerMinute }: DescribedLimits): string {
  return rateLimitPerMinute === 0
    ? 'Requests are not limited.'
    : `One client address may make ${rateLimitPerMinute} requests a minute. \`RateLimit-Limit\`, \`RateLimit-Remaining\` and ` +
        '`RateLimit-Reset` (seconds) say where it stands; after a 429 wait for `Retry-After`.'
}

export function describeConnectionLimits(limits: DescribedLimits): readonly string[] {
  return [
    `At most ${limits.maxConnectionsPerIp} WebSockets and event streams of one client address, together.`,
    `At most ${limits.maxSubscriptionsPerConnection} token subscriptions of one WebSocket, and ${MAX_CHANNEL_SUBSCRIPTIONS} to channels.`,
    `At most ${MAX_WATCHED_PER_CLIENT} different lists and as many different candles on all connections of one client address.`,
    `At most ${limits.maxMessagesPerSecond} messages a second from a client, in bursts of up to four seconds’ worth.`,
    `At most ${MAX_MESSAGE_BYTES.toLocaleString('en')} bytes of UTF-8 in a message, in either direction.`,
  ]
}

/* The words that all descriptions of the API share. */

export const TITLE = 'Tokenwire'

export const SUMMARY = 'Tokens of EVM launchpads, from confirmed chain state: REST for state, WebSocket and SSE for confirmed updates.'

export const VALUE_RULES = [
  'Addresses and hashes are lower-case hex with `0x`; requests may use any case.',
  'Fields whose names end in `Weth` or `Usd` and prices are decimal strings of whole units, without exponent. Other amounts are integer strings in the currency’s smallest unit.',
  'Block numbers are decimal strings. Percentages, ratios and counts are numbers.',
  'Times are ISO 8601 in UTC with milliseconds; candles and time parameters use Unix seconds.',
  'A value that is not known is `null`, never 0 or an empty text.',
  'New fields may be added. Unknown parameters and filters are refused; unknown fields of socket messages otherwise are ignored.',
  'A list is written with commas, or as a parameter for each item.',
] as const

const API_KEY_RULE =
  'An API key, where the operator has given one, is sent as `X-Api-Key`, or as `apiKey` of the query to event streams and the WebSocket. It has limits of its own, and `/api/usage` says what it has used.'

export function requestRules(limits: DescribedLimits): readonly string[] {
  return [
    'All paths answer `GET`, `HEAD` and `OPTIONS`.',
    'JSON answers have an `ETag`, and 304 answers a matching `If-None-Match`.',
    'Lists answer `data` and `nextCursor`; pass it as `cursor`, with the same other parameters, for the next page.',
    'Pages of an origin that is not in `ALLOWED_ORIGINS` get no CORS headers; their event streams and WebSockets are refused.',
    describeRequestLimit(limits),
    API_KEY_RULE,
    'Errors are `application/problem+json` (RFC 9457) with a stable `code`.',
  ]
}

/** Every code of a problem with its statuses. */
export function problemRows(): readonly (readonly [code: string, statuses: string, meaning: string])[] {
  return Object.entries(PROBLEMS).map(([code, { statuses, meaning }]) => [code, statuses.join(', '), meaning])
}

export const bullets = (lines: readonly string[]) => lines.map(line => `- ${line}`).join('\n')
