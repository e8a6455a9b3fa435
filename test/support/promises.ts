import type { readAsyncApi, readOpenApi } from './describedAnswers.ts'

/*
 * The promises of the API, one per line: what a client may send, and what it may rely on in answers and messages. A line that goes away may
 * break clients; a line that comes never does.
 */

type Schema = Readonly<Record<string, unknown>> & {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly pattern?: string
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
}
type Schemas = Readonly<Record<string, Schema>>

interface Parameter {
  readonly name: string
  readonly required?: boolean
  readonly schema: Schema
}

type OpenApi = ReturnType<typeof readOpenApi>
type AsyncApi = ReturnType<typeof readAsyncApi>

/** The place of what clients say. */
const SAID = /^subscribed?\.\w+\.filters/

/** @returns sorted, each once */
export function promisesOf(openApi: OpenApi, asyncApi: AsyncApi): readonly string[] {
  const lines = new Set<string>()
  for (const [path, { get }] of Object.entries(openApi.paths)) {
    lines.add(`GET ${path}`)
    const { parameters = [] } = get as { readonly parameters?: readonly Parameter[] }
    for (const parameter of parameters) for (const line of parameterLines(parameter)) lines.add(`GET ${path} ${line}`)
    for (const [status, { content = {} }] of Object.entries(get.responses)) {
      for (const [type, { schema }] of Object.entries(content)) {
        for (const line of valueLines('', schema as Schema)) lines.add(`GET ${path} answers ${status} ${type}${line}`)
      }
    }
  }
  const schemas = { ...openApi.components.schemas, ...asyncApi.components.schemas } as unknown as Schemas
  for (const [name, schema] of Object.entries(schemas)) for (const line of valueLines(name, schema)) lines.add(line)
  for (const [name, message] of Object.entries(asyncApi.components.messages)) {
    for (const line of valueLines('', message.payload as Schema)) lines.add(`message ${name}${line}`)
  }
  return [...lines].toSorted()
}

/** What may be sent: every accepted word by itself, so that a further one changes no line. */
function* parameterLines({ name, required = false, schema }: Parameter): Generator<string> {
  yield `takes ${name}`
  if (!required) yield `does not require ${name}`
  if (schema['default'] !== undefined) yield `takes ${name} = ${JSON.stringify(schema['default'])} by default`
  for (const value of schema.enum ?? []) yield `takes ${name} = ${String(value)}`
  for (const limit of ['maximum', 'maxLength', 'maxItems'] as const) {
    if (schema[limit] !== undefined) yield `takes ${name} up to ${limit} ${schema[limit]}`
  }
}

/** What is received: a name, its place, and everything that its value can be. */
function* valueLines(place: string, schema: Schema): Generator<string> {
  const { properties = {}, required = [], items } = schema
  // A further word that clients may say breaks none of them, also where it is repeated to who said it.
  if (SAID.test(place) && schema.enum !== undefined) for (const word of schema.enum) yield `${place} = ${String(word)}`
  else yield `${place}: ${describe(schema)}`
  for (const [name, property] of Object.entries(properties)) {
    const optional = required.includes(name) ? '' : '?'
    yield* valueLines(`${place}.${name}${optional}`, property)
  }
  if (items !== undefined) yield* valueLines(`${place}[]`, items)
  for (const alternatives of ['anyOf', 'oneOf', 'allOf']) {
    const given = schema[alternatives] as readonly Schema[] | undefined
    for (const one of given ?? []) {
      if (one.properties !== undefined || one.items !== undefined) yield* valueLines(`${place}(${alternatives})`, one)
    }
  }
}

function describe(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? ''
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(value => JSON.stringify(value)).join(' | ')
  for (const alternatives of ['anyOf', 'oneOf', 'allOf']) {
    const given = schema[alternatives] as readonly Schema[] | undefined
    if (given !== undefined) return given.map(describe).join(alternatives === 'allOf' ? ' & ' : ' | ')
  }
  const types = [schema.type ?? 'any'].flat().join(' | ')
  return schema.pattern === undefined ? types : `${types} ${schema.pattern}`
}

/**
 * The promises of a release that do not hold any more, and that the changelog does not name under "Breaking".
 *
 * @param released - lines of `docs/api/promises.txt`
 * @param kept - those of now
 */
export function brokenPromises(released: readonly string[], kept: Iterable<string>, changelog: string): readonly string[] {
  const now = new Set(kept)
  const unreleased = changelog.split(/^## /m)[1] ?? ''
  const breaking = unreleased.split(/^### /m).find(section => section.startsWith('Breaking')) ?? ''
  const isKept = (promise: string) => now.has(promise) || isOneWordMore(promise, now) || isHigherLimit(promise, now)
  return released.filter(promise => !isKept(promise) && !breaking.includes(`\`${promise}\``))
}

/** Whether a client may still send every word that it was promised for a field of a message, and further ones. */
function isOneWordMore(promise: string, kept: Iterable<string>): boolean {
  const [place, words] = wordsOf(promise)
  if (!/^(?:message )?(?:un)?subscribe\b/.test(place)) return false
  return [...kept].some(line => {
    const [other, more] = wordsOf(line)
    return other === place && words.every(word => more.includes(word))
  })
}

function wordsOf(line: string): readonly [place: string, words: readonly string[]] {
  const [place = '', words = ''] = line.split(': ')
  return [place, words.split(' | ')]
}

/** Whether clients may now send more than was promised. */
export function isHigherLimit(promise: string, kept: ReadonlySet<string>): boolean {
  const [, limit, most] = /^(.* up to \w+) (\d+)$/.exec(promise) ?? []
  return limit !== undefined && [...kept].some(line => line.startsWith(`${limit} `) && Number(line.slice(limit.length)) > Number(most))
}
