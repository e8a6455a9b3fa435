import { z } from 'zod'
import { ZERO_ADDRESS } from '#domain/address.ts'
import { nearestName } from '#domain/text.ts'
import { plainSchema, type ShortSchema, type ShortSchemas, typeInShort } from '#gateway/descriptions/llmsText.ts'
import {
  createJsonSchemas,
  type DescribedRoute,
  describedRoutes,
  describeParameters,
  type JsonObject,
} from '#gateway/descriptions/openApi.ts'
import type { Outcome } from '#gateway/http/answer.ts'
import type { ParameterTexts, ParsedQuery } from '#gateway/http/parameters.ts'
import { parseParameters, scalarText } from '#gateway/http/parameters.ts'
import { invalidParameter, type Problem, quote } from '#gateway/http/problem.ts'
import type { Route } from '#gateway/http/route.ts'
import { byteLength, cutText } from '#protocol/encodeUpdate.ts'
import { integerParameter, takesList, textParameter } from '#resources/parameters.ts'

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

/**
 * Arguments that clients add to those of the model, without being asked: n8n (its issues 21500, 21716 and 22787), LangChain's adapter
 * (376), CrewAI (4796), Gemini CLI (27403), SiYuan (17927), and wrappers that want to know a call's reason. Letter case, `_` and `-` are
 * ignored, so that `_sessionID` is `sessionId`.
 */
const OF_CLIENTS: ReadonlySet<string> = new Set(
  (
    'toolcallid callid sessionid chatid conversationid threadid runid requestid messageid correlationid executionid traceid action chatinput ' +
    'tool toolname toolsummary toolaction meta runtime securitycontext securityrisk waitforprevious explanation reason reasoning context signal'
  ).split(' '),
)
/** The same, where the value is an object. A text may be a filter that a model has misnamed. */
const OBJECTS_OF_CLIENTS: ReadonlySet<string> = new Set(['state', 'config', 'metadata', 'extra', 'store'])

function isOfClient(name: string, value: unknown): boolean {
  const plain = name.toLowerCase().replace(/[_-]/g, '')
  return OF_CLIENTS.has(plain) || (typeof value === 'object' && OBJECTS_OF_CLIENTS.has(plain))
}

/**
 * The arguments of a call as the texts of a request's parameters. `null` counts as absent, since models send it for an argument that they
 * leave out. A value that its parameter does not take is read as models also write it: a list as JSON text, a number or a word as another
 * language writes it. Arguments that the client has added are left out; any other unknown one is a problem.
 */
function argumentTexts(given: Readonly<Record<string, unknown>>, tool: McpTool, tools: McpTools): ParsedQuery {
  const texts = new Map<string, readonly string[]>()
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue
    const parameter = tool.parameters.shape[name]
    if (parameter === undefined) {
      if (isOfClient(name, value)) continue
      return { kind: 'invalid', problem: unknownArgument(name, tool, tools) }
    }
    const items = Array.isArray(value) ? value : [value]
    if (items.some(item => typeof item === 'object')) {
      return {
        kind: 'invalid',
        problem: invalidParameter(`${quote(name)} must be a text, a number, true or false, or a list of these`),
      }
    }
    if (name === 'cursor' && value === '') continue
    const itemTexts = items.map(scalarText)
    const [only] = itemTexts
    texts.set(name, only !== undefined && itemTexts.length === 1 ? [asTaken(only, parameter)] : itemTexts)
  }
  if (tool.defaultRows !== null && !texts.has('limit')) texts.set('limit', [String(tool.defaultRows)])
  const parsed = parseParameters(tool.parameters, texts)
  return parsed.kind === 'valid' ? { kind: 'valid', texts } : { kind: 'invalid', problem: withHint(parsed, tool, texts, tools) }
}

/** The text, or the first of its other readings that the parameter takes. */
function asTaken(text: string, parameter: z.core.$ZodType): string {
  const takes = (reading: string) => taken(parameter, reading)
  return takes(text) ? text : (otherReadings(text, takesList(parameter)).find(takes) ?? text)
}

function otherReadings(text: string, isList: boolean): readonly string[] {
  const trimmed = text.trim()
  const listed = jsonItems(trimmed)
  const number = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(trimmed) ? [scalarText(Number(trimmed))] : []
  const items = listed !== null && (isList || listed.length === 1) ? [listed.join(',')] : []
  const spaced = isList ? [trimmed.replace(/\s*,\s*/g, ',')] : []
  return [trimmed, ...items, ...spaced, ...number, trimmed.toLowerCase()]
}

/** The items of a JSON list, or of a quoted JSON text; `null`: it is neither, or holds lists or objects. */
function jsonItems(text: string): readonly string[] | null {
  if (!/^["[]/.test(text)) return null
  try {
    const items = [JSON.parse(text) as unknown].flat()
    return items.some(item => typeof item === 'object') ? null : items.map(scalarText)
  } catch {
    return null
  }
}

function unknownArgument(name: string, { name: called, parameters }: McpTool, tools: McpTools): Problem {
  const takers = [...tools.values()].filter(tool => tool.parameters.shape[name] !== undefined).map(tool => tool.name)
  const known = Object.keys(parameters.shape)
  const nearest = nearestName(name, known, takers.length === 0 ? Infinity : 2)
  const own = known.length === 0 ? 'there are none here' : nearest === null ? '' : `did you mean ${nearest}?`
  const others = takers.length === 0 ? '' : `${namesNear(called, takers)} ${takers.length === 1 ? 'takes' : 'take'} ${name}`
  return invalidParameter(`unknown parameter ${quote(name)}; ${[own, others].filter(hint => hint !== '').join('; ')}`)
}

/** The problem of a value, with the tool that takes such a value. */
function withHint(
  { name = '', problem }: { readonly name?: string; readonly problem: Problem },
  { parameters }: McpTool,
  texts: ParameterTexts,
  tools: McpTools,
): Problem {
  const values = texts.get(name)
  const hint = values === undefined ? null : hintFor(name, values.join(','), parameters.shape[name], tools)
  return hint === null ? problem : { ...problem, detail: `${problem.detail}; ${hint}` }
}

function hintFor(name: string, text: string, parameter: z.core.$ZodType | undefined, tools: McpTools): string | null {
  const isWord = /^[a-z]\w*$/i.test(text)
  const takers = [...tools.values()].filter(({ parameters }) => isWord && taken(parameters.shape[name], text))
  if (takers.length > 0) return `${takers.map(tool => tool.name).join(', ')} ${takers.length === 1 ? 'takes' : 'take'} it`
  const isForAddresses = !taken(parameter, 'a') && taken(parameter, ZERO_ADDRESS)
  return isForAddresses && !/^\W*0x/i.test(text) ? 'searchTokens finds a token by its symbol or name' : null
}

function taken(parameter: z.core.$ZodType | undefined, text: string): boolean {
  return parameter !== undefined && z.core.safeParse(parameter, text).success
}

/** At most three names, those nearest to a name first. */
function namesNear(name: string, names: readonly string[]): string {
  const left = [...names]
  const near: string[] = []
  while (near.length < 3) {
    const nearest = nearestName(name, left)
    if (nearest === null) break
    near.push(nearest)
    left.splice(left.indexOf(nearest), 1)
  }
  return near.join(', ')
}

/**
 * The most bytes of a message. An answer stands in it twice, as a structure and as text. Clients refuse or hide larger ones: Claude Code
 * takes 25,000 tokens (its issue 45766).
 */
const MAX_BYTES = 40_000
/** The same for a call with a `limit`. */
const MAX_LIMITED_BYTES = 90_000

/** The most bytes of a text in JSON. */
const MAX_TEXT_BYTES = 256

/** Asks a path. Never rejects. */
export type Ask = (route: Route, texts: ParameterTexts) => Promise<Outcome>

interface Call {
  readonly tool: McpTool
  readonly given: Readonly<Record<string, unknown>>
}

/** What a path has answered; the fields are those of a list. */
interface Asked {
  readonly kind: 'answer'
  readonly answer: { readonly data?: readonly unknown[]; readonly nextCursor?: string | null }
}

/**
 * The message that answers a call, encoded. It holds as many rows as fit. A problem is a result too, so that a model reads what was wrong
 * and asks again.
 */
export async function callTool({ tool, given }: Call, tools: McpTools, ask: Ask, encode: (result: McpResult) => string): Promise<string> {
  const parsed = argumentTexts(given, tool, tools)
  if (parsed.kind === 'invalid') return encode(toolError(parsed.problem))
  const { texts } = parsed
  const maxBytes = (given['limit'] ?? null) === null ? MAX_BYTES : MAX_LIMITED_BYTES
  const page = tool.isDivided ? dividedPages(tool, texts, ask) : ownPages(tool, texts, ask)
  let rows: number | null = null
  for (;;) {
    const asked = await page(rows)
    if (asked.kind === 'problem') return encode(toolError(asked))
    const { answer } = asked
    const message = encode({ content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer, isError: false })
    const excess = byteLength(message) / maxBytes
    const count = answer.data?.length ?? 0
    if (excess <= 1 || count <= 1) return message
    rows = Math.min(count - 1, Math.ceil(count / excess))
  }
}

type ReadPage = (rows: number | null) => Promise<Asked | Problem>

/** Pages of a path that has pages, or of an answer that is no list. */
function ownPages({ route }: McpTool, texts: ParameterTexts, ask: Ask): ReadPage {
  return rows => answerOf(ask(route, rows === null ? texts : new Map([...texts, ['limit', [String(rows)]]])))
}

/** Pages of a path that answers a whole list: each cursor is the place of a row. */
function dividedPages({ route }: McpTool, texts: ParameterTexts, ask: Ask): ReadPage {
  const { cursor, ...given } = Object.fromEntries(texts)
  const from = PLACE.exec(cursor?.[0] ?? `${PLACE_PREFIX}0`)?.[1]
  if (from === undefined) return async () => invalidParameter(`cursor must be the nextCursor of an answer, got ${quote(cursor?.[0] ?? '')}`)
  const whole = answerOf(ask(route, new Map(Object.entries(given))))
  return async rows => {
    const asked = await whole
    if (asked.kind === 'problem') return asked
    const { answer } = asked
    const { data = [] } = answer
    const start = Number(from)
    const end = rows === null ? data.length : start + rows
    const nextCursor = end < data.length ? `${PLACE_PREFIX}${end}` : null
    return { kind: 'answer', answer: { ...answer, data: data.slice(start, end), nextCursor } }
  }
}

const PLACE_PREFIX = 'row-'
const PLACE = /^row-(\d{1,5})$/

async function answerOf(asked: Promise<Outcome>): Promise<Asked | Problem> {
  const outcome = await asked
  if (outcome.kind === 'problem') return outcome
  const text = outcome.kind === 'answer' ? String(outcome.body ?? '{}') : '{}'
  return { kind: 'answer', answer: JSON.parse(text, shortened) as Asked['answer'] }
}

/** Cuts long texts of creators. Cursors and call data are kept, since a part of them is of no use. */
function shortened(name: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length * 6 <= MAX_TEXT_BYTES || name === 'nextCursor' || /^0x[\da-f]*$/.test(value)) return value
  const text = value.toWellFormed()
  const excess = byteLength(JSON.stringify(text)) - MAX_TEXT_BYTES
  return excess <= 0 ? value : `${cutText(text, excess + ELLIPSIS_BYTES).text}…`
}

const ELLIPSIS_BYTES = 3

function toolError({ code, detail }: Problem): McpResult {
  const hint = code === 'token_not_found' ? '; getWallet takes the address of an account' : ''
  return { content: [{ type: 'text', text: `${code}: ${detail}${hint}` }], isError: true }
}

export type McpResult = Readonly<Record<string, unknown>>
