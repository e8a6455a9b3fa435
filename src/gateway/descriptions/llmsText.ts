import { pathTemplate } from '#gateway/http/route.ts'
import { closeRows, realtimeRules } from './asyncApi.ts'
import { bullets, problemRows, requestRules, SUMMARY, TITLE, VALUE_RULES } from './guide.ts'
import { type DescribedParameter, describeParameters, type JsonObject } from './jsonSchemas.ts'
import { type DescribedRoute, type DescribedService } from './openApi.ts'
import { readerRoutes, repeatedPaths } from './readerRoutes.ts'
import { fieldsInShort, type ShortSchema, type ShortSchemas, typeInShort } from './typeInShort.ts'

/** The chain and the launchpads of the service at its start. */
export interface ServedChain {
  readonly chainId: number
  readonly launchpads: readonly { readonly name: string; readonly adapter: string }[]
}

/** The description for language models (llmstxt.org): all that a client has to know, and where the exact descriptions are. */
export function llmsText(service: DescribedService, openApi: JsonObject, { chainId, launchpads }: ServedChain): string {
  const operations = openApi['paths'] as Readonly<Record<string, { readonly get: DocumentedOperation }>>
  const paths = readerRoutes(service.routes).flatMap(route => [
    `### GET ${pathTemplate(route)}`,
    '',
    `${route.description.summary}.`,
    ...parameterLines(route),
    ...answerLines(operations[pathTemplate(route)]?.get),
    '',
  ])
  const repeated = repeatedPaths(service.routes).flatMap(({ path, summary, parameter }) => [
    `### GET ${path}`,
    '',
    summary,
    '',
    bullets([parameter]),
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
    ...repeated,
    '## Fields of answers',
    '',
    '`?` may be `null`, `[]` is a list. OpenAPI has the meaning of each.',
    '',
    bullets(Object.entries(schemasOf(openApi)).map(([name, schema]) => `\`${name}\`: ${fieldsInShort(schema)}`)),
    '',
    '## Updates',
    '',
    'Send `{"type":"subscribe","token":"0x…"}` to the WebSocket `/realtime`: `subscribed` answers, then `token.update` messages follow.',
    '',
    bullets(realtimeRules(service)),
    '',
    '## Codes of problems',
    '',
    bullets(problemRows().map(([code, statuses, meaning]) => `\`${code}\` (${statuses}): ${meaning}`)),
    '',
    '## Close codes of the WebSocket',
    '',
    bullets(closeRows().map(([code, meaning]) => `\`${code}\`: ${meaning}`)),
    '',
  ].join('\n')
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
export function schemaFacts(schema: DescribedParameter['schema']): readonly string[] {
  const { type, minimum, maximum, minLength, maxLength, maxItems, items, default: byDefault } = schema
  const words = schema.enum ?? items?.enum
  return [
    type === 'array' ? `comma list of at most ${maxItems}` : '',
    words === undefined ? '' : `of ${words.join(', ')}`,
    minimum === undefined ? '' : `${minimum} to ${maximum}`,
    maxLength === undefined ? '' : `${minLength} to ${maxLength} characters`,
    type === 'boolean' ? 'true or false' : '',
    byDefault === undefined || typeof byDefault === 'object' ? '' : `default ${byDefault}`,
  ].filter(fact => fact !== '')
}
