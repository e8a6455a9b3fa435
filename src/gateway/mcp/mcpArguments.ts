import { z } from 'zod'
import { ZERO_ADDRESS } from '#domain/address.ts'
import { nearestName } from '#domain/nearestName.ts'
import { type ParameterTexts, type ParsedQuery, parseParameters } from '#gateway/http/parameters.ts'
import { invalidParameter, type Problem, quote } from '#gateway/http/problem.ts'
import { scalarText } from '#gateway/http/scalarText.ts'
import { takesList } from '#resources/parameters.ts'
import type { McpTool, McpTools } from './mcpTools.ts'

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
export function argumentTexts(given: Readonly<Record<string, unknown>>, tool: McpTool, tools: McpTools): ParsedQuery {
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
