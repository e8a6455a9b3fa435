import type { z } from 'zod'
import { createJsonSchemas, describeParameters, type JsonObject } from '#gateway/descriptions/jsonSchemas.ts'
import { type DescribedRoute, describedRoutes } from '#gateway/descriptions/openApi.ts'
import { plainSchema, type ShortSchema, type ShortSchemas, typeInShort } from '#gateway/descriptions/typeInShort.ts'
import type { Route } from '#gateway/http/route.ts'
import { integerParameter, textParameter } from '#resources/parameters.ts'

/** A path of the API as a tool. The tool's name is the `operationId`. */
export interface McpTool {
  readonly name: string
  readonly route: DescribedRoute
  /** The arguments: the parameters of the path, with the tool's own `limit`, and a `cursor` for every list. */
  readonly parameters: z.ZodObject
  /** Whether the path answers the whole list at once, so that the tool divides it. */
  readonly isDivided: boolean
  /** The rows of an answer without a `limit`; `null`: there is no such argument. */
  readonly defaultRows: number | null
  /** The description in `tools/list`. */
  readonly listed: JsonObject
}

export type McpTools = ReadonlyMap<string, McpTool>

/** The tags of OpenAPI whose paths are tools. */
const TAGS_OF_TOOLS: readonly DescribedRoute['description']['tag'][] = ['Tokens', 'Market', 'Wallets']

/** The rows of an answer to a call without `limit`. The answer has about 25 KB then, unless creators wrote unusually long texts. */
const DEFAULT_ROWS: Readonly<Record<string, number>> = {
  listTokens: 5,
  searchTokens: 5,
  listHolders: 50,
  listCandles: 100,
  listCandleSeries: 20,
}
/** The same of lists whose rows are as large as a trade. */
const OTHER_DEFAULT_ROWS = 15

/** The most rows that may be asked for, where an answer can't be divided into as few as it takes: the candles of one token are one row. */
const MAX_ROWS: Readonly<Record<string, number>> = { listCandleSeries: 120 }

/** The tools by name. Only paths that answer everyone in JSON are tools. They only read. */
export function mcpTools(routes: readonly Route[]): McpTools {
  const schemas = createJsonSchemas()
  const chosen = describedRoutes(routes).filter(({ access, description: { tag, answer } }) => {
    return access === 'public' && TAGS_OF_TOOLS.includes(tag) && answer !== null && !('contentType' in answer)
  })
  const answers = chosen.map(({ description }) => schemas.of(description.answer as z.ZodType) as ShortSchema)
  const components = schemas.components() as ShortSchemas
  const tools = chosen.map((route, index) => toolOf(route, plainSchema(answers[index] ?? {}, components)))
  return new Map(tools.map(tool => [tool.name, tool]))
}

function toolOf(route: DescribedRoute, answer: ShortSchema): McpTool {
  const { id: name, summary } = route.description
  const isList = answer.properties?.['nextCursor'] !== undefined
  const most = describeParameters(route.parameters).find(parameter => parameter.name === 'limit')?.schema.maximum
  const defaultRows = most === undefined ? null : (DEFAULT_ROWS[name] ?? OTHER_DEFAULT_ROWS)
  const limit = integerParameter(1, MAX_ROWS[name] ?? most ?? 1)
  const parameters = route.parameters.extend({
    ...(defaultRows !== null && { limit: limit.default(defaultRows).describe(limitMeaning(name)) }),
    ...(isList && { cursor: textParameter(512).exactOptional().describe('The `nextCursor` of the answer before this one.') }),
  })
  const described = describeParameters(parameters)
  const listed = {
    name,
    title: summary,
    description: `${summary}. Answers JSON: ${typeInShort(answer)}`,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(described.map(({ name, description, schema }) => [name, { description, ...schema }])),
      required: described.filter(({ required }) => required).map(({ name }) => name),
      additionalProperties: false,
    },
    outputSchema: answer,
    annotations: { title: summary, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  }
  return { name, route, parameters, isDivided: isList && route.parameters.shape['cursor'] === undefined, defaultRows, listed }
}

function limitMeaning(name: string): string {
  return name === 'listCandleSeries'
    ? 'Candles per token.'
    : 'Rows per answer; fewer where they are long, with a `nextCursor` for the rest.'
}
