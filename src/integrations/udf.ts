import { z } from 'zod'
import { type Address, parseAddress } from '#domain/address.ts'
import { CANDLE_INTERVALS, type CandleInterval, candleStart } from '#domain/candle.ts'
import { formatUnits } from '#domain/decimal.ts'
import { jsonAnswer, textAnswer } from '#gateway/http/answer.ts'
import { parseParameters } from '#gateway/http/parameters.ts'
import { defineRoute, launchingEntries, type Route, type RouteDescription } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import type { Candle, CandlesQuery } from '#resources/candles.ts'
import {
  udfConfigSchema,
  udfHistoryAnswer,
  udfMarksAnswer,
  udfSearchAnswer,
  udfSymbolAnswer,
  udfTimescaleMarksAnswer,
} from '#resources/integrations/udf.ts'
import { NO_PARAMETERS } from '#resources/resource.ts'
import { type Token, withUsd } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import { MAX_UNIX_SECONDS } from '#resources/values.ts'

/* TradingView's UDF data feed: its chart library polls these routes. It reads `errmsg` of errors, whatever their status. */

/** The chart library's name of each interval. */
const RESOLUTIONS: Readonly<Record<CandleInterval, string>> = {
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
const CURRENCIES = ['WETH', 'USD'] as const
const currencyParameter = z
  .enum(CURRENCIES, { error: `one of ${CURRENCIES.join(', ')}` })
  .default('WETH')
  .describe('Currency of the prices.')

const WHOLE = z.string({ error: 'Unix seconds' }).regex(/^-?\d{1,15}(?:\.\d*)?$/)
/** A time in Unix seconds. The library may send times before 1970. */
const timeParameter = z.codec(WHOLE, z.int(), {
  decode: text => Math.min(Math.max(Math.floor(Number(text)), 0), MAX_UNIX_SECONDS),
  encode: String,
})

/** The units in which charts write the length of a bar, in seconds. Without one it is minutes. `M` is a month, which is not offered. */
const UNIT_SECONDS: Readonly<Record<string, number>> = {
  s: 1,
  S: 1,
  '': 60,
  m: 60,
  h: 3_600,
  H: 3_600,
  d: 86_400,
  D: 86_400,
  w: 604_800,
  W: 604_800,
}
const INTERVALS_BY_SECONDS = new Map(Object.entries(CANDLE_INTERVALS).map(([interval, seconds]) => [seconds as number, interval]))

/** The interval of a resolution, in whatever unit it is: `60`, `1h`, `D`. A unit alone means one of it. `undefined`: there is none. */
function intervalOf(resolution: string): CandleInterval | undefined {
  const [text = '', count = '', unit = ''] = /^(\d{0,6})([smhdw]?|[SHDW])$/.exec(resolution) ?? []
  const seconds = text === '' ? 0 : Number(count === '' ? '1' : count) * (UNIT_SECONDS[unit] ?? 0)
  return INTERVALS_BY_SECONDS.get(seconds) as CandleInterval | undefined
}

const resolutionParameter = z
  .string({ error: `a resolution of ${Object.values(RESOLUTIONS).join(', ')}` })
  .refine(text => intervalOf(text) !== undefined)
  .describe(`Length of a bar in minutes, or \`1D\` and the like.`)

/** A number of rows. The library computes it, so a fraction or one out of bounds is cut to what there is. */
function countParameter(max: number) {
  const number = z.string({ error: 'a number' }).regex(/^\s*[+-]?\d+(?:\.\d*)?(?:e\d{1,3})?\s*$/i)
  return z.codec(number, z.int().min(1).max(max), {
    decode: text => Math.min(Math.max(Math.ceil(Number(text)), 1), max),
    encode: String,
  })
}

/** The ticker of a token, which is its address, since a symbol would not be unique. */
const symbolParameter = z
  .string({ error: 'the address or symbol of a token, of at most 256 characters' })
  .refine(text => [...text].length <= 256)
  .describe('The token: a `ticker`, `symbol` or `full_name` of `/udf/search`, in any letter case.')

/** How many tokens of one symbol are looked through for the one of a launchpad. */
const MAX_NAMESAKES = 200

/**
 * The address of the token that a name stands for: its address, its symbol, or either one behind `<launchpad>:`. Of several tokens with the
 * symbol it is the one that a search finds first. `null`: there is none.
 */
async function resolveSymbol(text: string, { reads, config }: Pick<Sources, 'reads' | 'config'>): Promise<Address | null> {
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
async function findNamedToken(text: string, sources: Pick<Sources, 'reads' | 'config'>): Promise<Token | null> {
  const address = await resolveSymbol(text, sources)
  return address === null ? null : sources.reads.token({ address })
}

/** The launchpad before the first colon of a name, and what follows; `null`: there is no launchpad of this name. */
function splitName(text: string, { launchpads }: Sources['config']): { readonly launchpad: string | null; readonly name: string } {
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
function inertText(text: string, meaningful = /[<>&"'`]/g): string {
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
function udfRoute<S extends z.ZodObject = typeof NO_PARAMETERS>(options: UdfOptions<S>): Route {
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
const MULTIPLIERS = {
  seconds: multipliersOf(/^\d+S$/),
  minutes: multipliersOf(/^\d+$/),
}

function multipliersOf(resolution: RegExp): readonly string[] {
  return Object.values(RESOLUTIONS).flatMap(text => (resolution.test(text) ? [String(Number.parseInt(text, 10))] : []))
}

const DIGITS = 6
/** The most decimals: a double has no more digits. */
const MAX_DECIMALS = 16
const MAX_FOUND = 50

type UdfSources = Pick<Sources, 'reads' | 'config' | 'ethUsd'>

export function udfRoutes(sources: UdfSources): readonly Route[] {
  return [
    configRoute(sources),
    timeRoute(),
    symbolsRoute(sources),
    searchRoute(sources),
    udfHistoryRoute(sources),
    udfMarksRoute(sources),
    udfTimescaleMarksRoute(sources),
  ]
}

function configRoute({ config }: UdfSources): Route {
  return udfRoute({
    name: 'config',
    id: 'getUdfConfig',
    summary: 'What TradingView’s UDF data feed offers here',
    answer: udfConfigSchema,
    handle: async () => ({
      supports_search: true,
      supports_group_request: false,
      supports_marks: true,
      supports_timescale_marks: true,
      supports_time: true,
      supported_resolutions: Object.values(RESOLUTIONS),
      currency_codes: CURRENCIES,
      exchanges: [
        { value: '', name: 'All launchpads', desc: '' },
        ...launchingEntries(config.launchpads).map(({ name }) => ({ value: name, name, desc: name })),
      ],
      symbols_types: [{ value: '', name: 'All types' }],
    }),
  })
}

function timeRoute(): Route {
  const description: RouteDescription = {
    id: 'getUdfTime',
    tag: 'Integrations',
    summary: 'The server’s time in Unix seconds',
    answer: { contentType: 'text/plain', meaning: 'Unix seconds.' },
    problems: [],
  }
  return defineRoute({ path: '/udf/time', cacheControl: 'never', description }, async () =>
    textAnswer('text/plain', String(Math.floor(Date.now() / 1_000))),
  )
}

const symbolParameters = z.object({
  symbol: symbolParameter,
  currencyCode: currencyParameter,
})

function symbolsRoute(sources: UdfSources): Route {
  return udfRoute({
    name: 'symbols',
    parameters: symbolParameters,
    id: 'getUdfSymbol',
    summary: 'A token as a symbol of TradingView’s chart library',
    answer: udfSymbolAnswer,
    handle: async ({ symbol, currencyCode }) => {
      const token = await findNamedToken(symbol, sources)
      if (token === null) return null
      const { priceWeth, priceUsd } = withUsd(token, sources.ethUsd.ethUsd()).market
      const price = currencyCode === 'USD' ? priceUsd : priceWeth
      return {
        ...listed(token),
        name: symbolOf(token),
        session: '24x7',
        timezone: 'Etc/UTC',
        listed_exchange: token.launchpad,
        format: 'price',
        minmov: 1,
        pricescale: priceScale(Number(price ?? 0)),
        has_intraday: true,
        intraday_multipliers: MULTIPLIERS.minutes,
        has_seconds: true,
        seconds_multipliers: MULTIPLIERS.seconds,
        has_daily: true,
        has_weekly_and_monthly: true,
        weekly_multipliers: ['1'],
        monthly_multipliers: [],
        supported_resolutions: Object.values(RESOLUTIONS),
        volume_precision: 4,
        data_status: 'streaming',
        currency_code: currencyCode,
      }
    },
  })
}

/** The `pricescale` with which the price is shown with six digits. */
export function priceScale(price: number): number {
  const places = price > 0 ? DIGITS - 1 - Math.floor(Math.log10(price)) : MAX_DECIMALS
  return 10 ** Math.min(Math.max(places, 2), MAX_DECIMALS)
}

/** A token without a symbol or name shows its address, since the chart library needs a text. */
function symbolOf({ address, symbol }: Token): string {
  return inertText(symbol ?? address)
}

function listed({ address, name, launchpad }: Token) {
  return { ticker: address, description: inertText(name ?? address), exchange: launchpad, type: 'crypto' }
}

const searchParameters = z.object({
  query: z.string({ error: 'text' }).max(100).default('').describe('Part of a symbol or name, or the beginning of an address.'),
  type: z.string({ error: 'text' }).default('').describe('Ignored: there is one type.'),
  exchange: z
    .string({ error: 'the name of a launchpad, of at most 64 characters' })
    .regex(/^\P{Cc}{0,64}$/u)
    .default('')
    .describe('Only tokens of this launchpad.'),
  limit: countParameter(MAX_FOUND).default(30).describe('Maximum number of tokens returned. It is cut to the bounds.'),
})

function searchRoute({ reads, config }: UdfSources): Route {
  return udfRoute({
    name: 'search',
    parameters: searchParameters,
    id: 'searchUdfSymbols',
    summary: 'Tokens by symbol, name or address; without a query, those with the largest volume',
    answer: udfSearchAnswer,
    handle: async ({ query, exchange: given, limit: most }) => {
      const { launchpad, name: q } = splitName(query.replace(/\p{Cc}/gu, ''), config)
      const exchange = given === '' ? (launchpad ?? '') : given
      const { data } =
        q === ''
          ? await reads.tokens({ sort: 'volume24h', order: 'desc', limit: most, ...(exchange !== '' && { launchpad: [exchange] }) })
          : await reads.search({ q, limit: MAX_FOUND })
      const found = data.filter(({ launchpad }) => exchange === '' || launchpad === exchange)
      return found.slice(0, most).map(token => ({
        ...listed(token),
        symbol: symbolOf(token),
        full_name: `${token.launchpad}:${token.address}`,
      }))
    },
  })
}

const PAGE = 1_500
const MAX_BARS = 5 * PAGE

const parameters = z.object({
  symbol: symbolParameter,
  resolution: resolutionParameter,
  from: timeParameter.exactOptional().describe('Unix seconds of the first bar, inclusive. Ignored if `countback` is given.'),
  to: timeParameter.describe('Unix seconds, exclusive.'),
  countback: countParameter(MAX_BARS)
    .exactOptional()
    .describe('Number of bars to return: the newest before `to`. It is cut to the bounds.'),
  currencyCode: currencyParameter,
})

function udfHistoryRoute(sources: Pick<Sources, 'reads' | 'config'>): Route {
  const { reads } = sources
  return udfRoute({
    name: 'history',
    parameters,
    id: 'getUdfHistory',
    summary: 'Bars of a token up to a time',
    answer: udfHistoryAnswer,
    handle: async ({ symbol, resolution, from = 0, to, countback, currencyCode }) => {
      const address = await resolveSymbol(symbol, sources)
      if (address === null) return null
      const query = {
        address,
        of: 'price',
        interval: intervalOf(resolution) ?? '1m',
        currency: currencyCode === 'USD' ? 'usd' : 'weth',
        fill: false,
      } as const
      const range = { ...(countback === undefined && { from }), to: to - 1 }
      const bars =
        to === 0 || (countback === undefined && from >= to) ? [] : await readBars(reads, { ...query, ...range }, countback ?? MAX_BARS)
      if (bars === null) return null
      if (bars.length > 0) return toColumns(bars)
      const earlier = await reads.candles({ ...query, to: Math.max(from - 1, 0), limit: 1 })
      const last = earlier?.data.at(-1)
      return earlier === null ? null : { s: 'no_data', ...(last !== undefined && from > 0 && { nextTime: last.time }) }
    },
  })
}

/** Reads the newest bars of the range, ascending; `null`: the token is not indexed. */
async function readBars(
  reads: Pick<Sources['reads'], 'candles'>,
  query: Omit<CandlesQuery, 'limit' | 'cursor'>,
  count: number,
): Promise<readonly Candle[] | null> {
  let bars: readonly Candle[] = []
  let cursor: CandlesQuery['cursor']
  while (bars.length < count) {
    const page = await reads.candles({ ...query, limit: Math.min(PAGE, count - bars.length), ...(cursor && { cursor }) })
    if (page === null) return null
    bars = [...page.data, ...bars]
    if (page.next === null) break
    cursor = page.next
  }
  return bars
}

function toColumns(bars: readonly Candle[]) {
  const column = (field: 'open' | 'high' | 'low' | 'close' | 'volume') => bars.map(bar => Number(bar[field]))
  return {
    s: 'ok',
    t: bars.map(({ time }) => time),
    o: column('open'),
    h: column('high'),
    l: column('low'),
    c: column('close'),
    v: column('volume'),
  }
}

/** The most marks of a range. Newer trades of the range are left out. */
const MAX_MARKS = 500
const GREEN = '#16a34a'
const RED = '#dc2626'
const BLUE = '#2563eb'

const marksParameters = z.object({
  symbol: symbolParameter,
  from: timeParameter.describe('Unix seconds: the bar that holds this time is the first.'),
  to: timeParameter.describe('Unix seconds: the bar that holds this time is the last.'),
  resolution: resolutionParameter.default('1'),
})

/**
 * The bars from one time to another. The chart library shows a mark only if its time is the start of a bar.
 *
 * Source: https://www.tradingview.com/charting-library-docs/latest/api/interfaces/Charting_Library.IDatafeedChartApi/
 */
function barsOf({ from, to, resolution }: Pick<z.output<typeof marksParameters>, 'from' | 'to' | 'resolution'>) {
  const interval = intervalOf(resolution) ?? '1m'
  const startOf = (time: string) => candleStart(toSeconds(time), interval)
  return { first: candleStart(from, interval), end: candleStart(to, interval) + CANDLE_INTERVALS[interval] - 1, startOf }
}

function udfMarksRoute(sources: Pick<Sources, 'reads' | 'config'>): Route {
  return udfRoute({
    name: 'marks',
    parameters: marksParameters,
    id: 'getUdfMarks',
    summary: 'The creator’s trades of a token as marks on bars',
    answer: udfMarksAnswer,
    handle: async ({ symbol, ...range }) => {
      const token = await findNamedToken(symbol, sources)
      if (token === null) return null
      const { first: from, end: to, startOf } = barsOf(range)
      const query = { address: token.address, maker: token.creator, from, to, order: 'asc', limit: MAX_MARKS } as const
      const page = from > to ? { data: [] } : await sources.reads.trades(query)
      return page === null ? null : toMarks(page.data, token, startOf)
    },
  })
}

function toMarks(trades: readonly Trade[], { symbol, decimals }: Token, startOf: (time: string) => number) {
  const each = <T>(pick: (trade: Trade) => T) => trades.map(pick)
  const shownSymbol = inertText(symbol ?? 'tokens')
  return {
    id: each(({ id }) => id),
    time: each(({ timestamp }) => startOf(timestamp)),
    color: each(({ side }) => (side === 'buy' ? GREEN : RED)),
    text: each(({ side, amountToken }) => {
      return `The creator ${side === 'buy' ? 'bought' : 'sold'} ${formatUnits(BigInt(amountToken), decimals)} ${shownSymbol}`
    }),
    label: each(({ side }) => (side === 'buy' ? 'B' : 'S')),
    labelFontColor: each(() => '#ffffff'),
    minSize: each(() => 20),
  }
}

function udfTimescaleMarksRoute(sources: Pick<Sources, 'reads' | 'config'>): Route {
  return udfRoute({
    name: 'timescale_marks',
    parameters: marksParameters,
    id: 'getUdfTimescaleMarks',
    summary: 'Launch and graduation of a token as marks on the time axis',
    answer: udfTimescaleMarksAnswer,
    handle: async ({ symbol, ...range }) => {
      const token = await findNamedToken(symbol, sources)
      if (token === null) return null
      const { first, end, startOf } = barsOf(range)
      const { completedAt, migratedAt } = token.graduation
      const marks = [
        { id: 'launch', at: token.createdAt, color: BLUE, label: 'L', tooltip: ['Launched'] },
        { id: 'completed', at: completedAt, color: BLUE, label: 'C', tooltip: ['Curve completed'] },
        { id: 'graduation', at: migratedAt, color: BLUE, label: 'G', tooltip: ['Graduated to a pool'] },
      ]
      return marks.flatMap(({ at, ...mark }) => {
        const time = at === null ? Number.NaN : startOf(at)
        return time >= first && time <= end ? [{ ...mark, time }] : []
      })
    },
  })
}

function toSeconds(time: string): number {
  return Math.floor(Date.parse(time) / 1_000)
}
