import { PROBLEMS } from '#resources/problem.ts'
import { type DescribedLimits, describeRequestLimit } from './limits.ts'

/* The words that all descriptions of the API share. */

export const TITLE = 'Tokenwire'

export const SUMMARY = 'Tokens of EVM launchpads, from confirmed chain state: REST for state, WebSocket and SSE for confirmed updates.'

export const VALUE_RULES = [
  'Addresses and hashes are lower-case hex with `0x`; requests may use any case.',
  'Fields whose names end in `Weth` or `Usd` and prices are decimal strings of whole units, without exponent. Other amounts are integer strings in the currency’s smallest unit.',
  'Block numbers are decimal strings. Percentages, ratios and counts are numbers.',
  'Times are ISO 8601 in UTC with milliseconds; candles and time parameters use Unix seconds.',
  'A value that is not known is `null`, never 0 or an empty text.',
  'New fields may be added. Unknown parameters and filters are refused; unknown fields of socket messages otherwise are ignored.',
  'A list is written with commas, or as a parameter for each item.',
] as const

export const API_KEY_RULE =
  'An API key, where the operator has given one, is sent as `X-Api-Key`, or as `apiKey` of the query to event streams and the WebSocket. It has limits of its own, and `/api/usage` says what it has used.'

export function requestRules(limits: DescribedLimits): readonly string[] {
  return [
    'All paths answer `GET`, `HEAD` and `OPTIONS`.',
    'JSON answers have an `ETag`, and 304 answers a matching `If-None-Match`.',
    'Lists answer `data` and `nextCursor`; pass it as `cursor`, with the same other parameters, for the next page.',
    'Pages of an origin that is not in `ALLOWED_ORIGINS` get no CORS headers; their event streams and WebSockets are refused.',
    describeRequestLimit(limits),
    API_KEY_RULE,
    'Errors are `application/problem+json` (RFC 9457) with a stable `code`.',
  ]
}

/** Every code of a problem with its statuses. */
export function problemRows(): readonly (readonly [code: string, statuses: string, meaning: string])[] {
  return Object.entries(PROBLEMS).map(([code, { statuses, meaning }]) => [code, statuses.join(', '), meaning])
}

export const bullets = (lines: readonly string[]) => lines.map(line => `- ${line}`).join('\n')
