import type { Outcome } from '#gateway/http/answer.ts'
import type { ParameterTexts } from '#gateway/http/parameters.ts'
import { invalidParameter, type Problem, quote } from '#gateway/http/problem.ts'
import type { Route } from '#gateway/http/route.ts'
import { byteLength, cutText } from '#protocol/cutText.ts'
import type { McpResult } from './mcpAnswers.ts'
import { argumentTexts } from './mcpArguments.ts'
import type { McpTool, McpTools } from './mcpTools.ts'

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
