import type { z } from 'zod'
import { createJsonSchemas, describeParameters, type JsonObject } from '#gateway/descriptions/jsonSchemas.ts'
import { type DescribedRoute, describedRoutes } from '#gateway/descriptions/openApi.ts'
import { type ShortSchema, type ShortSchemas, typeInShort } from '#gateway/descriptions/typeInShort.ts'
import type { ParsedQuery } from '#gateway/http/parameters.ts'
import { invalidParameter, quote } from '#gateway/http/problem.ts'
import type { Route } from '#gateway/http/route.ts'
import { scalarText } from '#gateway/http/scalarText.ts'

/** A path of the API as a tool. The tool's name is the `operationId`, its arguments are the parameters. */
export interface McpTool {
  readonly route: DescribedRoute
  /** The description in `tools/list`. */
  readonly listed: JsonObject
}

/** The tags of OpenAPI whose paths are tools. */
const TAGS_OF_TOOLS: readonly DescribedRoute['description']['tag'][] = ['Tokens', 'Market', 'Wallets']

/** The tools by name. Only paths that answer everyone in JSON are tools. They only read. */
export function mcpTools(routes: readonly Route[]): ReadonlyMap<string, McpTool> {
  const schemas = createJsonSchemas()
  const chosen = describedRoutes(routes).filter(({ access, description: { tag, answer } }) => {
    return access === 'public' && TAGS_OF_TOOLS.includes(tag) && answer !== null && !('contentType' in answer)
  })
  const answers = chosen.map(({ description }) => schemas.of(description.answer as z.ZodType) as ShortSchema)
  const components = schemas.components() as ShortSchemas
  return new Map(
    chosen.map((route, index) => [route.description.id, { route, listed: listed(route, typeInShort(answers[index] ?? {}, components)) }]),
  )
}

function listed({ description: { id, summary }, parameters }: DescribedRoute, answer: string): JsonObject {
  const described = describeParameters(parameters)
  return {
    name: id,
    title: summary,
    description: `${summary}. Answers JSON: ${answer}`,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(described.map(({ name, description, schema }) => [name, { description, ...schema }])),
      required: described.filter(({ required }) => required).map(({ name }) => name),
      additionalProperties: false,
    },
    annotations: { title: summary, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  }
}

/**
 * A tool's arguments as the texts of a request's parameters. `null` counts as absent, since models send it for an argument that they leave
 * out. An argument that is an object, or a list with one, is a problem.
 */
export function argumentTexts(given: Readonly<Record<string, unknown>>): ParsedQuery {
  const texts = new Map<string, readonly string[]>()
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue
    const items = Array.isArray(value) ? value : [value]
    if (items.some(item => typeof item === 'object')) {
      const problem = invalidParameter(`${quote(name)} must be a text, a number, true or false, or a list of these`)
      return { kind: 'invalid', problem }
    }
    texts.set(name, items.map(scalarText))
  }
  return { kind: 'valid', texts }
}
