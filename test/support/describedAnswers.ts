import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

/* Checks answers and messages against the descriptions in `docs/api`, which a run of the tests begins with. */

export const DESCRIPTIONS = path.resolve(import.meta.dirname, '../../docs/api')

interface Media {
  readonly schema: object
  readonly example?: unknown
}

interface DescribedResponse {
  readonly content?: Readonly<Record<string, Media>>
}

interface Reference {
  readonly $ref: string
}

interface OpenApiFile {
  readonly paths: Readonly<
    Record<string, { readonly get: { readonly responses: Readonly<Record<string, DescribedResponse | Reference>> } }>
  >
  readonly components: { readonly responses: Readonly<Record<string, DescribedResponse>> }
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, { readonly get: { readonly operationId: string; readonly responses: Responses } }>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

type Responses = Readonly<Record<string, DescribedResponse>>

export interface AsyncApiDocument {
  readonly operations: Readonly<Record<string, { readonly messages: readonly { readonly $ref: string }[] }>>
  readonly components: {
    readonly messages: Readonly<Record<string, { readonly payload: object; readonly examples: readonly { readonly payload: unknown }[] }>>
    readonly schemas: Readonly<Record<string, object>>
  }
}

/** The document with each shared response in place of its references. */
export function readOpenApi(): OpenApiDocument {
  const { paths, components } = readJson('openapi.json') as OpenApiFile
  const resolve = (response: DescribedResponse | Reference) =>
    '$ref' in response ? components.responses[response.$ref.replace('#/components/responses/', '')] : response
  for (const { get } of Object.values(paths)) {
    const responses = Object.entries(get.responses).map(([status, response]) => [status, resolve(response)])
    Object.assign(get, { responses: Object.fromEntries(responses) })
  }
  return { paths, components } as unknown as OpenApiDocument
}
export const readAsyncApi = () => readJson('asyncapi.json') as AsyncApiDocument

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(path.join(DESCRIPTIONS, name), 'utf8'))
}

/** Objects with named fields are closed, so that a field without a description is found; those of `allOf` are closed in their other half. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([name, value]) => [name, name === 'allOf' ? value : closed(value)])
  const copy = Object.fromEntries(entries) as Record<string, unknown>
  return 'properties' in copy && copy['type'] === 'object' && !('additionalProperties' in copy)
    ? { ...copy, additionalProperties: false }
    : copy
}

/** Compiles schemas of a document with its components. */
export function createValidator(schemas: Readonly<Record<string, object>>): (schema: object, value: unknown) => string | null {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
  ajv.addVocabulary(['components', 'schemas'])
  ajv.addSchema({ $id: 'document', components: { schemas: closed(schemas) } })
  // Most problems of the paths have one schema, and compiling it takes longer than all checks by it.
  const compiled = new Map<string, ValidateFunction>()
  return (schema, value) => {
    const text = JSON.stringify(closed(schema)).replaceAll('"#/components', '"document#/components')
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as object)
    compiled.set(text, validate)
    return validate(value) ? null : ajv.errorsText(validate.errors, { dataVar: 'answer' })
  }
}

interface Descriptions {
  readonly matchers: readonly { readonly pattern: RegExp; readonly responses: Responses }[]
  readonly objection: (schema: object, value: unknown) => string | null
}

let loaded: Descriptions | null = null

/** Read with the first answer that is checked: most test files have none. */
function load(): Descriptions {
  const document = readOpenApi()
  const matchers = Object.entries(document.paths).map(([template, { get }]) => ({
    pattern: new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    responses: get.responses,
  }))
  return { matchers, objection: createValidator(document.components.schemas) }
}

/** Of every path: redirects below a prefix, and refusals of other methods. */
const EVERYWHERE: ReadonlySet<number> = new Set([308, 405])

/** What an answer to a GET has that its description lacks; `null`: nothing. `body` is `null` where it was not read. */
export function answerObjection(pathname: string, { status, headers }: Pick<Response, 'status' | 'headers'>, body: string | null) {
  loaded ??= load()
  const described = loaded.matchers.find(({ pattern }) => pattern.test(pathname))
  if (described === undefined || EVERYWHERE.has(status)) return null
  const answer = described.responses[String(status)]
  if (answer === undefined) return `${pathname} answered ${status}, which is not described`
  if (answer.content === undefined) return null
  const [contentType = ''] = (headers.get('content-type') ?? '').split(';')
  const media = answer.content[contentType]
  if (media === undefined) return `${pathname} answered ${status} with ${contentType}, which is not described`
  if (body === null || !contentType.endsWith('json')) return null
  const objection = loaded.objection(media.schema, JSON.parse(body))
  return objection === null ? null : `${pathname} answered ${status}: ${objection}`
}

let messageSchemas: { readonly document: AsyncApiDocument; readonly objection: ReturnType<typeof createValidator> } | null = null

/** The same for a message of the WebSocket. */
export function messageObjection(message: { readonly type: string }): string | null {
  if (messageSchemas === null) {
    const document = readAsyncApi()
    messageSchemas = { document, objection: createValidator(document.components.schemas) }
  }
  const { document, objection } = messageSchemas
  // Messages of one type that differ in their fields are described apart: `subscribed` and `subscribed.channel`.
  const described = Object.entries(document.components.messages).filter(([name]) => `${name}.`.startsWith(`${message.type}.`))
  const objections = described.map(([, { payload }]) => objection(payload, message))
  return objections.length === 0 ? `${message.type} is not described` : objections.includes(null) ? null : objections.join('; or ')
}
