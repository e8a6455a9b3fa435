import { z } from 'zod'
import { type Address, parseAddress } from '#domain/address.ts'
import type { CandleInterval } from '#domain/candle.ts'
import { jsonAnswer } from '#gateway/http/answer.ts'
import { parseParameters } from '#gateway/http/parameters.ts'
import type { Route, RouteDescription } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { NO_PARAMETERS } from '#resources/resource.ts'
import type { Token } from '#resources/token.ts'
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

const WHOLE = z.string({ error: 'Unix seconds' }).regex(/^-?\d{1,15}(?:\.\d*)?$/)
/** A time in Unix seconds. The library may send times before 1970. */
export const timeParameter = z.codec(WHOLE, z.int(), {
  decode: text => Math.min(Math.max(Math.floor(Number(text)), 0), MAX_UNIX_SECONDS),
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

/** A number of rows. The library computes it, so a fraction or one out of bounds is cut to what there is. */
export function countParameter(max: number) {
  const number = z.string({ error: 'a number' }).regex(/^\s*[+-]?\d+(?:\.\d*)?(?:e\d{1,3})?\s*$/i)
  return z.codec(number, z.int().min(1).max(max), {
    decode: text => Math.min(Math.max(Math.ceil(Number(text)), 1), max),
    encode: String,
  })
}

/** The ticker of a token, which is its address, since a symbol would not be unique. */
export const symbolParameter = z
  .string({ error: 'the address or symbol of a token, of at most 256 characters' })
  .refine(text => [...text].length <= 256)
  .describe('The token: a `ticker`, `symbol` or `full_name` of `/udf/search`, in any letter case.')

/** How many tokens of one symbol are looked through for the one of a launchpad. */
const MAX_NAMESAKES = 200

/**
 * The address of the token that a name stands for: its address, its symbol, or either one behind `<launchpad>:`. Of several tokens with the
 * symbol it is the one that a search finds first. `null`: there is none.
 */
export async function resolveSymbol(text: string, { reads, config }: Pick<Sources, 'reads' | 'config'>): Promise<Address | null> {
  const { launchpad, name } = splitName(text, config)
  const address = parseAddress(name.toLowerCase())
  if (address !== undefined) return address
  if (name === '') return null
  const isNamed = ({ symbol }: Token) =>
    inertText(symbol ?? '')
      .trim()
      .toLowerCase() === name.toLowerCase()
  for (const q of new Set([name, withoutInert(name)])) {
    const { data } = await reads.search({ q, limit: MAX_NAMESAKES })
    const found = data.find(token => isNamed(token) && (launchpad === null || token.launchpad === launchpad))
    if (found !== undefined) return found.address
  }
  return null
}

/** The token that a name stands for; `null`: there is none. */
export async function findNamedToken(text: string, sources: Pick<Sources, 'reads' | 'config'>): Promise<Token | null> {
  const address = await resolveSymbol(text, sources)
  return address === null ? null : sources.reads.token({ address })
}

/** The launchpad before the first colon of a name, and what follows; `null`: there is no launchpad of this name. */
export function splitName(text: string, { launchpads }: Sources['config']): { readonly launchpad: string | null; readonly name: string } {
  const [before = '', ...rest] = text.trim().split(':')
  const launchpad = launchpads.launchpads.find(({ name }) => name.toLowerCase() === before.trim().toLowerCase())?.name ?? null
  return launchpad === null || rest.length === 0 ? { launchpad: null, name: text.trim() } : { launchpad, name: rest.join(':').trim() }
}

/** The replacements of characters that have a meaning in HTML. */
const INERT: Readonly<Record<string, string>> = { '<': '‹', '>': '›', '&': '＆', '"': '″', "'": '’', '`': '‘' }

/**
 * Makes a stranger's text the same as text and as HTML. Charts show a mark's text as HTML, and their pages may do so with any other text.
 * An entity would be right in one place and wrong in the other.
 */
export function inertText(text: string, meaningful = /[<>&"'`]/g): string {
  return text.replace(meaningful, character => INERT[character] ?? '')
}

/** The text of which `inertText` is the given one, if its creator wrote the characters that have a meaning in HTML. */
function withoutInert(text: string): string {
  return Object.entries(INERT).reduce((original, [meaningful, inert]) => original.replaceAll(inert, meaningful), text)
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
