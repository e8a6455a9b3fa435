import { z } from 'zod'
import { textAnswer } from '#gateway/http/answer.ts'
import { launchingEntries } from '#gateway/http/launchingEntries.ts'
import { defineRoute, type Route, type RouteDescription } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { udfConfigSchema, udfSearchAnswer, udfSymbolAnswer } from '#resources/integrations/udf.ts'
import type { Token } from '#resources/token.ts'
import { withUsd } from '#resources/token.ts'
import { udfHistoryRoute } from './udfHistory.ts'
import { udfMarksRoute, udfTimescaleMarksRoute } from './udfMarks.ts'
import {
  CURRENCIES,
  countParameter,
  currencyParameter,
  findNamedToken,
  inertText,
  MULTIPLIERS,
  RESOLUTIONS,
  splitName,
  symbolParameter,
  udfRoute,
} from './udfRoute.ts'

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
