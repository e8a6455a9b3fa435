import { z } from 'zod'
import { MAX_LONG_LIST_ROWS } from '#protocol/limits.ts'
import * as channels from '#protocol/schemas/channels.ts'
import { listRowSchema } from '#protocol/schemas/listRow.ts'
import { subscribedSchema, tokenUpdateSchema } from '#protocol/schemas/messages.ts'
import { problemSchema } from '#resources/problem.ts'
import { COMPOSED, LISTS, SINGLE, TOKEN_LISTS } from '#resources/reads.ts'
import type { ListResource, Resource } from '#resources/resource.ts'
import { indented, type JsonNode, jsonNodeOf, objectShape, typeOf } from './jsonNode.ts'

/* What the client knows of the resources: types, shape checks and REST methods. A browser loads neither zod nor the descriptions. */

type NamedResource = readonly [name: string, resource: Resource | ListResource]

const RESOURCES: Readonly<Record<string, Resource | ListResource>> = { ...LISTS, ...TOKEN_LISTS, ...SINGLE, ...COMPOSED }

/** How the server explains an error. A newer server has more codes. */
const PROBLEM = problemSchema
  .omit({ message: true })
  .extend({
    type: z.string(),
    code: z
      .string()
      .regex(/^[a-z][a-z0-9_]*$/)
      .describe('A stable word such as `token_not_found` or `price_unavailable`.'),
  })
  .describe('How the server explains an error (RFC 9457).')

/** What the client hands on names no subscription. */
const UNNAMED = { id: true } as const

/**
 * The messages that the client reads, as it hands them on: without the id that it gave to the subscription, and without the filters that the
 * server repeats. Rows of a list are objects.
 */
const MESSAGES: Readonly<Record<string, z.ZodObject>> = {
  TokenUpdate: tokenUpdateSchema,
  TokenSubscribed: subscribedSchema.omit(UNNAMED),
  EventsSubscribed: channels.subscribedEventsSchema.omit({ ...UNNAMED, filters: true }),
  TradesEvent: channels.tradesSchema.omit(UNNAMED).describe('Trades of one block, in order.'),
  LaunchesEvent: channels.launchesSchema.omit(UNNAMED).describe('Launched tokens of one block, in order, as they are now.'),
  GraduationsEvent: channels.graduationsSchema
    .omit(UNNAMED)
    .describe('Tokens of one block that reached their target, or whose liquidity has moved to a pool.'),
  CrossingsEvent: channels.crossingsSchema
    .omit(UNNAMED)
    .describe(
      'Tokens whose value crossed the bound with the commit of one block. `cursor` is a place among the changes of a block, and no log index.',
    ),
  ReorgEvent: channels.reorgSchema
    .omit(UNNAMED)
    .describe('Delivered events of `fromBlock` and later blocks are void. The events that replace them follow.'),
  GapMessage: channels.gapSchema.omit(UNNAMED),
  CandlesMessage: channels.candleStateSchema.omit(UNNAMED),
  ListState: channels.listStateSchema
    .omit({ ...UNNAMED, type: true, columns: true })
    .extend({ data: z.array(listRowSchema).max(MAX_LONG_LIST_ROWS).describe('The rows in order.') })
    .describe('A list of tokens in order. It replaces the one before.'),
  ListRow: listRowSchema,
  Problem: PROBLEM,
}

/** What the client asks of channels. */
const FILTERS: Readonly<Record<string, z.ZodObject>> = {
  TradesFilter: channels.eventFilters.pick({ tokens: true, makers: true, launchpads: true, side: true, minWeth: true }),
  LaunchesFilter: channels.eventFilters.pick({ launchpads: true, creators: true }),
  GraduationsFilter: channels.eventFilters.pick({ launchpads: true, status: true }),
  CrossingsBounds: channels.crossingFilters,
  CandlesFilter: channels.candleFilters,
}

/** Types of single fields, which programs name. */
const FIELD_TYPES = {
  SortOrder: "NonNullable<TokensQuery['order']>",
  TokenSort: "NonNullable<TokensQuery['sort']>",
  TraderSort: "NonNullable<TradersQuery['sort']>",
  HoldingSort: "NonNullable<HoldingsQuery['sort']>",
  ActorSort: "NonNullable<ActorsQuery['sort']>",
  ActorStateName: "ActorState['state']",
  CandleInterval: "NonNullable<CandlesQuery['interval']>",
  CandleCurrency: "NonNullable<CandlesQuery['currency']>",
  CandleValue: "NonNullable<CandlesQuery['of']>",
  ClaimScope: "ClaimableAmount['scope']",
  GraduationStatus: "Graduation['status']",
  HolderType: "Holder['type']",
  PoolType: "Pool['type']",
  TradeCounts: "Market['trades']['m5']",
  TradePhase: "Trade['phase']",
  TradeSide: "Trade['side']",
  ServiceStatus: "IndexerHealth['status']",
  RpcHealth: "IndexerHealth['rpc'][number]",
  BackfillProgress: "NonNullable<IndexerHealth['backfill']>",
  CrossingsFilter: "Omit<CrossingsBounds, 'above' | 'below'> & ({ readonly above: string } | { readonly below: string })",
  LivePosition: "Pick<ReorgEvent, 'cursor' | 'reorgs'>",
  ValuedBalance: "Omit<Holding, 'token' | 'lastChangedBlock'>",
} as const

const HEAD = '/* Written by `npm run generate` from src/resources and src/protocol/schemas. */\n'

const ADDRESSES = "import type { Address, Hex } from '#domain/address.ts'\n"

/** The files of `src/client/generated` by name. */
export function clientSources(): Readonly<Record<string, string>> {
  const components = componentsOf()
  const names = Object.keys(components)
  const resources = Object.entries(RESOURCES)
  const types = names.map(name => typeText(name, components[name] as JsonNode)).join('\n')
  return {
    'types.ts': `${HEAD}${ADDRESSES}\n${types}\n${filterTypes()}\n${parameterTypes()}\n${fieldTypes()}\n`,
    'shapes.ts': `${HEAD}${ADDRESSES}import { boolean, choice, listOf, mapOf, nullable, number, object, optional, pattern, type Shape, string, whole } from '#client/rest/shape.ts'
import type { ${names.join(', ')} } from './types.ts'

${shapesText(components)}`,
    'restMethods.ts': methodsFile(
      resources.filter(([, { access }]) => access !== 'operator'),
      {
        doc: 'The REST calls. They never reject. A pause that the server asks of one call holds back all.',
        names: ['RestApi', 'REST_METHODS', 'pageShape', 'CallOptions', 'ListPage'],
      },
    ),
    'operatorMethods.ts': methodsFile(
      resources.filter(([, { access }]) => access === 'operator'),
      {
        doc: 'The calls that only operators may make. They never reject.',
        names: ['OperatorApi', 'OPERATOR_METHODS', 'operatorPageShape', 'OperatorOptions', 'OperatorPage'],
      },
    ),
  }
}

interface MethodsFile {
  readonly doc: string
  readonly names: readonly [api: string, constant: string, pageShape: string, options: string, page: string]
}

function methodsFile(resources: readonly NamedResource[], { doc, names }: MethodsFile): string {
  const [api, constant, pageShape, options, page] = names
  const methods = resources.map(resource => methodOf(resource, { pageShape, options, page }))
  const values = methods.map(({ value }) => `  ${value},\n`).join('')
  const shapes = new Set(values.match(/\b\w+Shape\b/g))
  shapes.delete(pageShape)
  return `${HEAD}import { ${pageShape} } from '#client/rest/pageShape.ts'
import type { ${options}, ${page} } from '#client/rest/calls.ts'
import type { RestMethod } from '#client/rest/rest.ts'
import type { Result } from '#client/clientError.ts'
import { ${[...shapes].join(', ')} } from './shapes.ts'
import type * as types from './types.ts'

${docText(doc)}export interface ${api} {\n${indented(methods.map(({ declaration }) => declaration))}\n}

export const ${constant}: Readonly<Record<keyof ${api}, RestMethod>> = {\n${values}}\n`
}

/** Every named schema that a resource or a message refers to, by its name, in the order in which they refer to each other. */
function componentsOf(): Readonly<Record<string, JsonNode>> {
  const found: Record<string, JsonNode> = {}
  const schemas = [...Object.values(RESOURCES).map(resource => itemOf(resource)), ...Object.values(MESSAGES)]
  for (const schema of schemas) Object.assign(found, definitionsOf(schema))
  for (const [name, schema] of Object.entries(MESSAGES))
    found[name] = definitionsOf(schema)[String(schema.meta()?.['id'])] ?? jsonNodeOf(schema)
  for (const name of Object.keys(found)) if (!/^[A-Z]\w*$/.test(name)) delete found[name]
  return found
}

function itemOf(resource: Resource | ListResource): z.ZodType {
  const { data } = (resource.answer as z.ZodObject).shape as { readonly data?: z.ZodArray<z.ZodType> }
  return data === undefined ? resource.answer : data.element
}

function definitionsOf(schema: z.ZodType): Readonly<Record<string, JsonNode>> {
  return jsonNodeOf(z.object({ wrapped: schema })).$defs ?? {}
}

function docText(description: string | undefined): string {
  return description === undefined ? '' : `/** ${description.replaceAll('*/', '* /')} */\n`
}

function typeText(name: string, node: JsonNode): string {
  return `${docText(node.description)}export interface ${name} ${typeOf(node)}\n`
}

function shapeName(name: string): string {
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}Shape`
}

/** Unnamed shapes that occur often are constants. Below this number of uses a constant makes the compressed bundle larger. */
const MIN_USES = 5

function shapesText(components: Readonly<Record<string, JsonNode>>): string {
  const ids = new Map<string, string>()
  const leaf = (code: string) => {
    if (code.includes('Shape')) return code
    const id = ids.get(code) ?? `s${ids.size}`
    ids.set(code, id)
    return id
  }
  const declared = Object.entries(components)
    .map(([name, node]) => ({ name, code: objectShape(node, { leaf, reference: shapeName }) }))
    .toSorted((a, b) => Number(a.code.includes(shapeName(b.name))) - Number(b.code.includes(shapeName(a.name))))
  const codes = new Map([...ids].map(([code, id]) => [id, code]))
  const ID = /\bs\d+\b/g
  const uses = new Map<string, number>()
  for (const code of [...codes.values(), ...declared.map(one => one.code)]) {
    for (const [id] of code.matchAll(ID)) uses.set(id, (uses.get(id) ?? 0) + 1)
  }
  const expand = (code: string): string => code.replace(ID, id => ((uses.get(id) ?? 0) < MIN_USES ? expand(codes.get(id) ?? id) : id))
  const constants = [...codes].filter(([id]) => (uses.get(id) ?? 0) >= MIN_USES).map(([id, code]) => `const ${id} = ${expand(code)}`)
  const shapes = declared.map(({ name, code }) => {
    return `export const ${shapeName(name)}: Shape<${name}> = ${expand(code).replace(/^object\(/, `object<${name}>(`)}`
  })
  return `${constants.join('\n')}\n\n${shapes.join('\n\n')}\n`
}

/** The parameters of a resource that a request may leave out, as the type of a query. */
function parameterTypes(): string {
  return Object.entries(RESOURCES)
    .flatMap(([name, resource]) => {
      const { optional } = parametersOf(resource)
      if (optional.length === 0) return []
      const fields = optional.map(([parameter, node]) => `${docText(node.description)}readonly ${parameter}?: ${inputOf(node)}`)
      return [`${docText(`Parameters of ${resource.path}.`)}export interface ${queryName(name)} {\n${indented(fields)}\n}\n`]
    })
    .join('\n')
}

/** An address is any text: the server checks it. */
function filterTypes(): string {
  return Object.entries(FILTERS)
    .map(([name, schema]) => typeText(name, { description: FILTERED, ...jsonNodeOf(schema) }).replaceAll(/\bAddress(?=\[\]|$)/gm, 'string'))
    .join('\n')
}

const FILTERED =
  'An event has to match every given field, and of a list one entry. At most 100 tokens, 100 makers or creators, and 20 launchpads.'

function fieldTypes(): string {
  return Object.entries(FIELD_TYPES)
    .map(([name, type]) => `export type ${name} = ${type}`)
    .join('\n')
}

function queryName(method: string): string {
  return `${method.charAt(0).toUpperCase()}${method.slice(1)}Query`
}

function parametersOf({ parameters }: Resource | ListResource) {
  const { properties = {} } = jsonNodeOf(parameters)
  const { required = [] } = jsonNodeOf(parameters, 'input')
  return {
    required,
    optional: Object.entries(properties).filter(([name]) => !required.includes(name)),
  }
}

/** A list may be one item, and an address is any text: the server checks it. */
function inputOf(node: JsonNode): string {
  const type = typeOf(node).replaceAll(/\bAddress\b/g, 'string')
  const [, item] = /^readonly (.*)\[\]$/.exec(type) ?? []
  return item === undefined ? type : `${item} | ${type}`
}

/** The line of a method in the interface, and in the table of the paths that they ask. */
function methodOf(
  [name, resource]: NamedResource,
  { pageShape, options, page }: Readonly<Record<'pageShape' | 'options' | 'page', string>>,
): Readonly<Record<'declaration' | 'value', string>> {
  const { required, optional } = parametersOf(resource)
  const item = String(itemOf(resource).meta()?.['id'])
  const isPage = itemOf(resource) !== resource.answer
  const answer = isPage ? `${page}<types.${item}>` : `types.${item}`
  const shape = isPage ? `${pageShape}(${shapeName(item)})` : shapeName(item)
  const query = optional.length === 0 ? [] : [`query?: types.${queryName(name)}`]
  const parameters = [...required.map(parameter => `${parameter}: string`), ...query, `options?: ${options}`]
  const asked = required.filter(parameter => !resource.path.includes(`:${parameter}`)).map(parameter => `?${parameter}`)
  const rest =
    resource.alsoStatus === undefined ? (optional.length > 0 ? ', true' : '') : `, ${optional.length > 0}, ${resource.alsoStatus}`
  return {
    declaration: `${docText(`${resource.summary}.`)}${name}(${parameters.join(', ')}): Promise<Result<${answer}>>`,
    value: `${name}: ['${resource.path}${asked.join('')}', ${shape}${rest}]`,
  }
}
