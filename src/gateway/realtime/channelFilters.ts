import { z } from 'zod'
import type { EventFilters } from '#actors/events/eventFilter.ts'
import { parseDecimal } from '#domain/decimal.ts'
import { type ParameterTexts, type ParsedParameters, parseParameters, refuseUnknown } from '#gateway/http/parameters.ts'
import { invalidParameter, type Problem, problemOfLaunchpads } from '#gateway/http/problem.ts'
import { scalarText } from '#gateway/http/scalarText.ts'
import { MAX_LIST_ROWS, MAX_LONG_LIST_ROWS } from '#protocol/limits.ts'
import { candleParameters } from '#resources/candles.ts'
import { type EventChannelName, GRADUATION_EVENT_STATUSES } from '#resources/channelEvent.ts'
import { CROSSED_VALUES, type CrossedValue } from '#resources/crossings.ts'
import {
  addressParameter,
  decimalParameter,
  integerParameter,
  launchpadParameter,
  listParameter,
  tokenParameter,
  wordParameter,
} from '#resources/parameters.ts'
import { tokenListFilters } from '#resources/tokens.ts'

const addresses = () => listParameter(addressParameter, 100, 'addresses (0x and 40 hex digits)').exactOptional()
const launchpads = launchpadParameter.exactOptional().describe('Only events of tokens of these launchpads.')

const tokens = addresses().describe('Only events of these tokens.')

/** A bound of a value. Prices of tokens with many decimals have many zeros after the point. */
const bound = z
  .string({ error: 'a decimal number of at most 18 digits before the point and 40 after it' })
  .regex(/^(?:0|[1-9]\d{0,17})(?:\.\d{1,40})?$/)
  .exactOptional()

/** The filters of each channel, written as parameters of a request. In a WebSocket message lists are JSON arrays. */
export const CHANNEL_FILTERS = {
  trades: z.object({
    tokens,
    makers: addresses().describe('Only trades of these accounts.'),
    launchpads,
    side: wordParameter(['buy', 'sell']).exactOptional().describe('Only buys, or only sells.'),
    minWeth: decimalParameter.exactOptional().describe('Only trades of at least this amount of WETH, fee included.'),
  }),
  launches: z.object({ launchpads, creators: addresses().describe('Only tokens of these creators.') }),
  graduations: z.object({
    launchpads,
    status: listParameter(wordParameter(GRADUATION_EVENT_STATUSES), 2, `of ${GRADUATION_EVENT_STATUSES.join(', ')}`)
      .exactOptional()
      .describe('Only tokens that reached these statuses.'),
  }),
  crossings: z.object({
    tokens,
    launchpads,
    of: wordParameter(CROSSED_VALUES).describe('The value that is compared with the bound.'),
    above: bound.describe('Values that rise from below this to this or more.'),
    below: bound.describe('Values that fall from above this to this or less.'),
  }),
} as const satisfies Record<EventChannelName, z.ZodObject>

/** The parameters of a list that is subscribed to. */
export const LIST_PARAMETERS = z.object({
  ...tokenListFilters,
  limit: integerParameter(1, MAX_LONG_LIST_ROWS)
    .default(MAX_LIST_ROWS)
    .describe('Maximum number of rows of the list. More than 50, whose rows have no images, need `delta`.'),
})

/** The parameters of candles that are subscribed to. */
export const CANDLE_PARAMETERS = z.object({ token: tokenParameter, ...candleParameters })

export type ChannelFilters =
  | { readonly kind: 'valid' /** As accepted. */; readonly accepted: object; readonly filters: EventFilters }
  | { readonly kind: 'invalid'; readonly problem: Problem }

/** As `parseParameters`, of texts that are filters. Any other name is a problem. */
export function parseFilters<S extends z.ZodObject>(schema: S, texts: ParameterTexts): ParsedParameters<S> {
  const problem = refuseUnknown(texts.keys(), Object.keys(schema.shape), 'filter')
  return problem === null ? parseParameters(schema, texts) : { kind: 'invalid', problem }
}

/** @param known the launchpads of the service */
export function parseChannelFilters(
  channel: EventChannelName,
  texts: ParameterTexts,
  known: readonly { readonly name: string }[],
): ChannelFilters {
  const parsed = parseFilters(CHANNEL_FILTERS[channel] as z.ZodObject, texts)
  if (parsed.kind === 'invalid') return parsed
  const accepted = parsed.values as AcceptedFilters
  const problem = problemOfLaunchpads(accepted.launchpads, known, 'launchpads')
  if (problem !== null) return { kind: 'invalid', problem }
  const { makers, creators, of, above, below, ...others } = accepted
  const wallets = makers ?? creators
  const filters = wallets === undefined ? others : { ...others, wallets }
  if (of === undefined) return { kind: 'valid', accepted, filters }
  const value = above ?? below
  if (value === undefined || (above !== undefined && below !== undefined)) {
    const detail = 'crossings must have above or below, and not both: a subscription has one bound'
    return { kind: 'invalid', problem: invalidParameter(detail) }
  }
  const side = above === undefined ? 'below' : 'above'
  return { kind: 'valid', accepted, filters: { ...filters, bound: { of, side, value: parseDecimal(value) } } }
}

interface AcceptedFilters extends Omit<EventFilters, 'wallets' | 'bound'> {
  readonly makers?: EventFilters['wallets']
  readonly creators?: EventFilters['wallets']
  readonly of?: CrossedValue
  readonly above?: string
  readonly below?: string
}

/** The filters of a message as the texts of a request's parameters; `null`: they are no object. */
export function filterTexts(filters: unknown): ParameterTexts | null {
  if (filters === undefined || filters === null) return new Map()
  if (typeof filters !== 'object' || Array.isArray(filters)) return null
  return new Map(Object.entries(filters).map(([name, value]) => [name, [textOf(value)]]))
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.map(scalarText).join(',') : scalarText(value)
}
