import { z } from 'zod'
import type { Address } from '#domain/address.ts'
import type { CandleInterval } from '#domain/candle.ts'
import { jsonAnswer } from '#gateway/http/answer.ts'
import { parseParameters } from '#gateway/http/parameters.ts'
import type { Route, RouteDescription } from '#gateway/http/route.ts'
import { NO_PARAMETERS } from '#resources/resource.ts'
import { MAX_UNIX_SECONDS } from '#resources/values.ts'

/* TradingView's UDF data feed: its chart library polls these routes. It reads `errmsg` of errors, whatever their status. */

/** The chart library's name of each interval. */
export const RESOLUTIONS: Readonly<Record<CandleInterval, string>> = {
  '1s': '1S',
  '5s': '5S',
  '15s': '15S',
  '30s': '30S',
  '1m': '1',
  '5m': '5',
  '15m': '15',
  '30m': '30',
  '1h': '60',
  '4h': '240',
  '12h': '720',
  '1d': '1D',
  '1w': '1W',
}
export const CURRENCIES = ['WETH', 'USD'] as const
export const currencyParameter = z
  .enum(CURRENCIES, { error: `one of ${CURRENCIES.join(', ')}` })
  .default('WETH')
  .describe('Currency of the prices.')

const WHOLE = z.string({ error: 'whole Unix seconds' }).regex(/^-?\d{1,15}$/)
/** A time in Unix seconds. The library may send times before 1970. */
export const timeParameter = z.codec(WHOLE, z.int(), {
  decode: text => Math.min(Math.max(Number(text), 0), MAX_UNIX_SECONDS),
  encode: String,
})

const INTERVALS = new Map([
  ...Object.entries(RESOLUTIONS).map(([interval, resolution]) => [resolution, interval] as const),
  ['D', '1d'],
  ['W', '1w'],
])
export const resolutionParameter = z
  .string({ error: `a resolution of ${Object.values(RESOLUTIONS).join(', ')}` })
  .refine(text => INTERVALS.has(text))
  .describe(`Length of a bar in minutes, or \`1D\` and the like.`)

/** The interval of a resolution of the chart library; `1m` for an unknown one. */
export function intervalOf(resolution: string): CandleInterval {
  return (INTERVALS.get(resolution) ?? '1m') as CandleInterval
}

/** The ticker of a token, which is its address, since a symbol would not be unique. */
export const symbolParameter = z
  .string({ error: 'the address of a token' })
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .toLowerCase()
  .describe('Address of the token.') as unknown as z.ZodType<Address, string>

/** The replacements of characters that have a meaning in HTML. */
const INERT: Readonly<Record<string, string>> = { '<': '‹', '>': '›', '&': '＆', '"': '″', "'": '’', '`': '‘' }

/**
 * Makes a stranger's text the same as text and as HTML. Charts show a mark's text as HTML, and their pages may do so with any other text.
 * An entity would be right in one place and wrong in the other.
 */
export function inertText(text: string, meaningful = /[<>&"'`]/g): string {
  return text.replace(meaningful, character => INERT[character] ?? '')
}

interface UdfOptions<S extends z.ZodObject> {
  readonly name: string
  readonly parameters?: S
  readonly id: string
  readonly summary: string
  readonly answer: NonNullable<RouteDescription['answer']>
  /** `null`: unknown symbol. */
  handle(values: z.output<S>): Promise<unknown>
}

/** A route that answers problems of the request as the chart library expects them. */
export function udfRoute<S extends z.ZodObject = typeof NO_PARAMETERS>(options: UdfOptions<S>): Route {
  const { name, parameters = NO_PARAMETERS as z.ZodObject as S, id, summary, answer, handle } = options
  return {
    path: `/udf/${name}`,
    parameters,
    access: 'public',
    limited: true,
    cacheControl: 'seconds',
    outdatedBy: 'commit',
    description: { id, tag: 'Integrations', summary, answer, problems: ['data_unavailable'] },
    async handle(texts) {
      const parsed = parseParameters(parameters, texts)
      if (parsed.kind === 'invalid') return jsonAnswer({ s: 'error', errmsg: inertText(parsed.problem.detail, /[<>&]/g) })
      return jsonAnswer((await handle(parsed.values)) ?? { s: 'error', errmsg: 'unknown_symbol' })
    },
  }
}

/** The numbers of seconds, and of minutes below a day, that bars can have. */
export const MULTIPLIERS = {
  seconds: multipliersOf(/^\d+S$/),
  minutes: multipliersOf(/^\d+$/),
}

function multipliersOf(resolution: RegExp): readonly string[] {
  return Object.values(RESOLUTIONS).flatMap(text => (resolution.test(text) ? [String(Number.parseInt(text, 10))] : []))
}
