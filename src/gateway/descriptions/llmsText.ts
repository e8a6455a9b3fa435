import { pathTemplate } from '#gateway/http/route.ts'
import { closeRows, realtimeRules } from './asyncApi.ts'
import {
  bullets,
  type DescribedParameter,
  type DescribedRoute,
  type DescribedService,
  describedRoutes,
  describeParameters,
  type JsonObject,
  problemRows,
  requestRules,
  SUMMARY,
  TITLE,
  VALUE_RULES,
} from './openApi.ts'

/** The chain and the launchpads of the service at its start. */
export interface ServedChain {
  readonly chainId: number
  readonly launchpads: readonly { readonly name: string; readonly adapter: string }[]
}

/** The description for language models (llmstxt.org): all that a client has to know, and where the exact descriptions are. */
export function llmsText(
  service: DescribedService,
  openApi: JsonObject,
  asyncApi: JsonObject,
  { chainId, launchpads }: ServedChain,
): string {
  const realtime = asyncApi['components'] as DocumentedMessages
  const items = Object.entries(realtime.schemas).filter(([name]) => realtime.messages[name] === undefined)
  const operations = openApi['paths'] as Readonly<Record<string, { readonly get: DocumentedOperation }>>
  const paths = describedRoutes(service.routes).flatMap(route => [
    `### GET ${pathTemplate(route)}`,
    '',
    `${route.description.summary}.`,
    ...parameterLines(route),
    ...answerLines(operations[pathTemplate(route)]?.get),
    '',
  ])
  return [
    `# ${TITLE}`,
    '',
    `> ${SUMMARY}`,
    '',
    bullets([...VALUE_RULES, ...requestRules(service.limits)]),
    '',
    '## This service',
    '',
    bullets([
      `Chain: ${chainId}.`,
      `Launchpads when it started: ${launchpads.map(({ name, adapter }) => `\`${name}\` (${adapter})`).join(', ') || 'none'}. \`/api/launchpads\` has those that have a token.`,
    ]),
    '',
    '## Descriptions',
    '',
    bullets([
      '[OpenAPI 3.1](/openapi.json): every path, parameter, field and error code, with examples.',
      '[AsyncAPI 3.0](/asyncapi.json): the messages of the WebSocket `/realtime` and of event streams.',
      '[Documentation](/docs): the same as a page, with requests to try.',
      ...(service.routes.some(({ path }) => path === '/mcp')
        ? ['`POST /mcp`: the paths about tokens, the market and wallets as tools of the Model Context Protocol.']
        : []),
    ]),
    '',
    '## Paths',
    '',
    ...paths,
    '## Fields of answers',
    '',
    '`?` may be `null`, `[]` is a list. OpenAPI has the meaning of each.',
    '',
    bullets(
      Object.entries({ ...Object.fromEntries(items), ...schemasOf(openApi) }).map(
        ([name, schema]) => `\`${name}\`: ${fieldsInShort(schema)}`,
      ),
    ),
    '',
    '## Codes of problems',
    '',
    bullets(problemRows().map(([code, statuses, meaning]) => `\`${code}\` (${statuses}): ${meaning}`)),
    '',
    ...realtimeText(service, asyncApi),
  ].join('\n')
}

/** What a client of the WebSocket or of event streams has to know, as lines of Markdown. */
export function realtimeText(service: DescribedService, asyncApi: JsonObject): readonly string[] {
  return [
    '## Updates',
    '',
    'Send `{"type":"subscribe","token":"0x…"}` to the WebSocket `/realtime`: `subscribed` answers, then `token.update` messages follow.',
    '',
    bullets(realtimeRules(service)),
    '',
    '## Messages of the WebSocket',
    '',
    'JSON objects. Those up to `unsubscribe.channel` are sent by the client, the others by the server. An event stream sends the server’s as `data`.',
    '',
    ...messageLines(asyncApi['components'] as DocumentedMessages),
    '## Close codes of the WebSocket',
    '',
    bullets(closeRows().map(([code, meaning]) => `\`${code}\`: ${meaning}`)),
    '',
  ]
}

interface DocumentedOperation {
  readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: ShortSchema }>> }>>
}

function schemasOf(openApi: JsonObject): ShortSchemas {
  return (openApi['components'] as { readonly schemas: ShortSchemas }).schemas
}

function answerLines(operation: DocumentedOperation | undefined): readonly string[] {
  const schema = operation?.responses?.['200']?.content?.['application/json']?.schema
  return schema?.$ref === undefined ? [] : ['', `Answers \`${typeInShort(schema)}\`.`]
}

function parameterLines({ parameters }: DescribedRoute): readonly string[] {
  const lines = describeParameters(parameters).map(({ name, required, description, schema }) => {
    const facts = [required ? 'required' : '', ...schemaFacts(schema)].filter(fact => fact !== '')
    return `\`${name}\`${facts.length > 0 ? ` (${facts.join('; ')})` : ''}: ${description}`
  })
  return lines.length === 0 ? [] : ['', bullets(lines)]
}

/** The facts of a schema in words: `0 to 100`, `of a, b`, `default 50`. */
function schemaFacts(schema: DescribedParameter['schema']): readonly string[] {
  const { type, minimum, maximum, minLength, maxLength, maxItems, items, default: byDefault } = schema
  const words = schema.enum ?? items?.enum
  return [
    type === 'array' ? ['comma list', inWords(undefined, maxItems)].filter(fact => fact !== '').join(' of ') : '',
    words === undefined ? '' : `of ${words.join(', ')}`,
    inWords(minimum, maximum),
    minLength === undefined && maxLength === undefined ? '' : `${inWords(minLength, maxLength)} characters`,
    type === 'boolean' ? 'true or false' : '',
    byDefault === undefined || typeof byDefault === 'object' ? '' : `default ${byDefault === '' ? 'empty' : byDefault}`,
  ].filter(fact => fact !== '')
}

function inWords(from: number | undefined, to: number | undefined): string {
  if (from === undefined) return to === undefined ? '' : `at most ${to}`
  return to === undefined ? `at least ${from}` : `${from} to ${to}`
}

interface DocumentedMessages {
  readonly messages: Readonly<Record<string, { readonly summary?: string; readonly payload: { readonly $ref: string } }>>
  readonly schemas: Readonly<Record<string, MessageSchema>>
}

interface MessageSchema extends ShortSchema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, MessageSchema>>
}

/** The messages of the WebSocket, field by field. The first ones are the client's. */
function messageLines({ messages, schemas }: DocumentedMessages): readonly string[] {
  return Object.entries(messages).flatMap(([name, { summary = '', payload }]) => {
    const schema = schemas[payload.$ref.split('/').at(-1) ?? ''] ?? {}
    return [`### ${name}`, '', summary, '', bullets(fieldLines(schema)), '']
  })
}

/** The most fields of an object inside a message that are told one by one. More are those of a whole token. */
const MAX_INNER_FIELDS = 12
/** The longest type that is written out. */
const MAX_TYPE = 120

function fieldLines({ properties = {}, required = [] }: MessageSchema, path = ''): readonly string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const type = typeInShort(field)
    const inner = Object.keys(field.properties ?? {}).length <= MAX_INNER_FIELDS ? fieldLines(field, `${path}${name}.`) : []
    const facts = [inner.length > 0 || type.length > MAX_TYPE ? 'object' : type, ...(required.includes(name) ? [] : ['may be absent'])]
    return [`\`${path}${name}\` (${facts.join('; ')})${field.description === undefined ? '' : `: ${field.description}`}`, ...inner]
  })
}

/** The parts of a JSON Schema from which its short form is made. */
export interface ShortSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, ShortSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly items?: ShortSchema
  readonly anyOf?: readonly ShortSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
}

export type ShortSchemas = Readonly<Record<string, ShortSchema>>

/**
 * A schema without references, descriptions and bounds: many clients of the Model Context Protocol can't follow a reference, and hand the
 * whole of a schema to their model.
 *
 * @param components the schemas that references name
 */
export function plainSchema(schema: ShortSchema, components: ShortSchemas): ShortSchema {
  const { $ref, type, properties, required, items, anyOf, enum: words, const: only } = schema
  const plain = (one: ShortSchema) => plainSchema(one, components)
  if ($ref !== undefined) return plain(components[nameOf($ref)] ?? {})
  return {
    ...(type !== undefined && { type }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, plain(field)])),
    }),
    ...(required !== undefined && { required }),
    ...(items !== undefined && { items: plain(items) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(plain) }),
    ...(words !== undefined && { enum: words }),
    ...(only !== undefined && { const: only }),
  }
}

/** `address string, name string?, pool Pool?, changes { m5 number, h1 number }` */
function fieldsInShort({ properties = {} }: ShortSchema): string {
  return Object.entries(properties)
    .map(([name, field]) => `${name} ${typeInShort(field)}`)
    .join(', ')
}

/** `string?` may be `null`, `Token[]` is a list. A reference is written as its name. */
export function typeInShort(schema: ShortSchema): string {
  const { $ref, type, properties, items, anyOf, enum: words, const: only } = schema
  if ($ref !== undefined) return nameOf($ref)
  if (anyOf !== undefined) {
    const some = anyOf.filter(one => one.type !== 'null').map(typeInShort)
    return `${some.join(' or ')}${some.length < anyOf.length ? '?' : ''}`
  }
  if (words !== undefined) return words.map(word => JSON.stringify(word)).join(' or ')
  if (only !== undefined) return JSON.stringify(only)
  if (items !== undefined) return `${typeInShort(items)}[]`
  if (properties !== undefined) return `{ ${fieldsInShort(schema)} }`
  const types = [type ?? 'any'].flat()
  return `${types.filter(one => one !== 'null').join(' or ')}${types.includes('null') ? '?' : ''}`
}

function nameOf($ref: string): string {
  return $ref.split('/').at(-1) ?? ''
}
