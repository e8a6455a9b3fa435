import { z } from 'zod'
import { type Address, isEther } from '#domain/address.ts'
import { formatDecimal, formatUnits, parseDecimal, ratio } from '#domain/decimal.ts'
import { type Answer, jsonAnswer, textAnswer } from '#gateway/http/answer.ts'
import { invalidParameter, type Problem, tokenNotFound, unavailable } from '#gateway/http/problem.ts'
import { defineRoute, type Route } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { coingeckoPairsAnswer, coingeckoTickersAnswer, coingeckoTradesAnswer } from '#resources/integrations/coingecko.ts'
import type { DayTotals, Supply } from '#resources/marketData.ts'
import { integerParameter, tokenParameter, unixSeconds, wordParameter } from '#resources/parameters.ts'
import type { Page } from '#resources/resource.ts'
import { type Token, withUsd } from '#resources/token.ts'
import type { Trade, TradeCursor, TradesQuery } from '#resources/trades.ts'
import { MAX_UNIX_SECONDS } from '#resources/values.ts'
import { findLaunchpad, siteId, sitesLaunchpad } from './siteRoute.ts'

/** The most tickers. Each costs a read of its token's candles and trades of a day. */
const MAX_TICKERS = 100
const MAX_TRADES = 500
/** The most reads for an answer, of up to `MAX_TRADES` trades each. A pool with few of its token's trades costs at most 5,000 rows. */
const MAX_READS = 10

type CoingeckoSources = Pick<Sources, 'reads' | 'ethUsd' | 'config'>

/** Tickers, pairs and trades as CoinGecko asks of exchanges. They are as of the newest indexed block, not the newest final one. */
export function coingeckoRoutes(sources: CoingeckoSources): readonly Route[] {
  return [tickersRoute(sources), pairsRoute(sources), tradesRoute(sources)]
}

const launchpadParameters = z.object({ launchpad: sitesLaunchpad })

function tickersRoute(sources: CoingeckoSources): Route {
  const description = { tag: 'Integrations', problems: ['not_found', 'price_unavailable', 'data_unavailable'] } as const
  return defineRoute(
    {
      path: '/coingecko/:launchpad/tickers',
      parameters: launchpadParameters,
      cacheControl: 'seconds',
      outdatedBy: 'commit',
      description: {
        ...description,
        id: 'getCoingeckoTickers',
        summary: 'For CoinGecko: prices and volumes of the last 24 hours, of a launchpad’s tokens that traded most',
        answer: coingeckoTickersAnswer,
      },
    },
    async ({ launchpad }) => {
      const price = sources.ethUsd.ethUsd()
      if (price === null) return unavailable('price_unavailable', 'liquidity in USD needs the price of ETH, which is not known')
      const markets = await readMarkets(launchpad, sources)
      if (markets.kind === 'problem') return markets
      return jsonAnswer(
        markets.found.flatMap(({ token, totals, target }) => {
          const liquidity = withUsd(token, price).market.liquidityUsd
          if (liquidity === null || token.market.priceQuote === null) return []
          return {
            ticker_id: tickerId(token.address, target),
            base_currency: siteId(token.address),
            target_currency: siteId(target),
            pool_id: siteId(totals.pair),
            last_price: token.market.priceQuote,
            base_volume: totals.volume.token,
            target_volume: totals.volume.quote,
            liquidity_in_usd: liquidity,
            high: totals.high,
            low: totals.low,
          }
        }),
      )
    },
  )
}

function pairsRoute(sources: CoingeckoSources): Route {
  return defineRoute(
    {
      path: '/coingecko/:launchpad/pairs',
      parameters: launchpadParameters,
      cacheControl: 'seconds',
      outdatedBy: 'commit',
      description: {
        id: 'getCoingeckoPairs',
        tag: 'Integrations',
        summary: 'For CoinGecko: a launchpad’s tokens that traded most in the last 24 hours',
        answer: coingeckoPairsAnswer,
        problems: ['not_found', 'data_unavailable'],
      },
    },
    async ({ launchpad }) => {
      const markets = await readMarkets(launchpad, sources)
      if (markets.kind === 'problem') return markets
      return jsonAnswer(
        markets.found.map(({ token: { address }, totals, target }) => ({
          ticker_id: tickerId(address, target),
          base: siteId(address),
          target: siteId(target),
          pool_id: siteId(totals.pair),
        })),
      )
    },
  )
}

const tradeParameters = launchpadParameters.extend({
  ticker_id: z
    .string({ error: 'two addresses (0x and 40 hex digits) with _ between' })
    .regex(/^0x[0-9a-fA-F]{40}_0x[0-9a-fA-F]{40}$/)
    .toLowerCase()
    .describe('`ticker_id` of a ticker: the addresses of the token and of its quote currency, joined by `_`.'),
  type: wordParameter(['buy', 'sell']).exactOptional().describe('Only buys, or only sells.'),
  limit: integerParameter(1, MAX_TRADES)
    .default(100)
    .describe('Maximum number of trades returned. They are searched among at most 5,000 trades of the token.'),
  start_time: unixSeconds.exactOptional().describe('Earliest block time in Unix seconds, inclusive.'),
  end_time: unixSeconds.exactOptional().describe('Latest block time in Unix seconds, inclusive.'),
})

function tradesRoute(sources: CoingeckoSources): Route {
  return defineRoute(
    {
      path: '/coingecko/:launchpad/historical_trades',
      parameters: tradeParameters,
      cacheControl: 'seconds',
      outdatedBy: 'commit',
      description: {
        id: 'getCoingeckoTrades',
        tag: 'Integrations',
        summary: 'For CoinGecko: trades of a token in its main pool',
        answer: coingeckoTradesAnswer,
        problems: ['not_found', 'token_not_found', 'data_unavailable'],
      },
    },
    async (query): Promise<Answer | Problem> => {
      const launchpad = findLaunchpad(query.launchpad, sources.config)
      if (launchpad.kind === 'problem') return launchpad
      const { start_time: from = 0, end_time: to = MAX_UNIX_SECONDS } = query
      if (from > to) return invalidParameter(`start_time must not be after end_time, got ${from} and ${to}`)
      const [address, target] = query.ticker_id.split('_') as [Address, Address]
      const token = await sources.reads.token({ address })
      const decimals = token?.pool?.quoteDecimals ?? null
      const isAsked = token !== null && token.launchpad === query.launchpad && targetOf(token, sources) === target
      if (!isAsked || token.pool === null || decimals === null) return tokenNotFound(address)
      const side = query.type === undefined ? {} : { side: query.type }
      const asked = { address, order: 'desc', limit: query.limit, from, to, ...side } as const
      const trades = await readTradesOf(token.pool.address, asked, sources, trade => toTrade(trade, token.decimals, decimals))
      const { buy = [], sell = [] } = Object.groupBy(trades, ({ type }) => type)
      return jsonAnswer({ buy, sell })
    },
  )
}

/** Reads pages of a token's trades, at most `MAX_READS`, until it has `limit` trades of `pool`: a page has trades of all pools. */
async function readTradesOf<T>(
  pool: string,
  { limit, ...query }: TradesQuery,
  { reads }: CoingeckoSources,
  convert: (trade: Trade) => readonly T[],
): Promise<readonly T[]> {
  const found: T[] = []
  let next: Pick<TradesQuery, 'cursor'> | null = {}
  for (let read = 0; read < MAX_READS && next !== null && found.length < limit; read++) {
    const page: Page<Trade, TradeCursor> | null = await reads.trades({ ...query, ...next, limit: read === 0 ? limit : MAX_TRADES })
    for (const trade of page?.data ?? []) if (trade.pool === pool) found.push(...convert(trade))
    next = page === null || page.next === null ? null : { cursor: page.next }
  }
  return found.slice(0, limit)
}

interface TickerMarket {
  readonly token: Token
  readonly target: Address
  readonly totals: DayTotals
}

async function readMarkets(
  name: string,
  sources: CoingeckoSources,
): Promise<{ readonly kind: 'markets'; readonly found: readonly TickerMarket[] } | Problem> {
  const { reads, config } = sources
  const launchpad = findLaunchpad(name, config)
  if (launchpad.kind === 'problem') return launchpad
  const { data } = await reads.tokens({ launchpad: [name], sort: 'volume24h', order: 'desc', limit: MAX_TICKERS })
  const totals = new Map((await reads.dayTotals(data.map(({ address }) => address))).map(one => [one.token, one]))
  const found = data.flatMap(token => {
    const [target, ofToken] = [targetOf(token, sources), totals.get(token.address)]
    return target === null || ofToken === undefined ? [] : [{ token, target, totals: ofToken }]
  })
  return { kind: 'markets', found }
}

function targetOf({ pool }: Token, { config }: CoingeckoSources): Address | null {
  if (pool === null) return null
  return isEther(pool.quoteToken, config.launchpads.weth) ? config.launchpads.weth : pool.quoteToken
}

function tickerId(token: Address, target: Address): string {
  return `${siteId(token)}_${siteId(target)}`
}

function toTrade({ id, side, amountToken, amountQuote, timestamp }: Trade, decimals: number, quoteDecimals: number) {
  const base = formatUnits(BigInt(amountToken), decimals)
  const target = formatUnits(BigInt(amountQuote ?? 0), quoteDecimals)
  const price = ratio(parseDecimal(target), parseDecimal(base))
  if (price === null || price === 0n) return []
  return [
    {
      trade_id: id,
      price: formatDecimal(price),
      base_volume: base,
      target_volume: target,
      trade_timestamp: Math.floor(Date.parse(timestamp) / 1_000),
      type: side,
    },
  ]
}

const parameters = z.object({ address: tokenParameter })

/** Routes that answer with a plain number, as CoinGecko and CoinMarketCap read it. */
export function supplyRoutes({ reads }: Pick<Sources, 'reads'>): readonly Route[] {
  const supplyRoute = (name: string, id: string, meaning: string, supplyOf: (supply: Supply) => bigint): Route =>
    defineRoute(
      {
        path: `/api/tokens/:address/supply/${name}`,
        parameters,
        cacheControl: 'seconds',
        outdatedBy: 'tokenChange',
        description: {
          id,
          tag: 'Integrations',
          summary: `The ${name} supply of a token as a plain number`,
          answer: { contentType: 'text/plain', meaning },
          problems: ['token_not_found', 'data_unavailable'],
        },
      },
      ({ address }) => answer(address, supplyOf),
    )

  async function answer(address: Address, supplyOf: (supply: Supply) => bigint): Promise<Answer | Problem> {
    const supply = await reads.supply(address)
    if (supply === null) return tokenNotFound(address)
    return textAnswer('text/plain', formatUnits(supplyOf(supply), supply.decimals))
  }

  return [
    supplyRoute('total', 'getTotalSupply', 'Whole tokens, a decimal number.', ({ total }) => total),
    supplyRoute(
      'circulating',
      'getCirculatingSupply',
      'Whole tokens, a decimal number: the total supply without what burn addresses and lockers hold.',
      ({ total, burned, locked }) => total - burned - locked,
    ),
  ]
}
