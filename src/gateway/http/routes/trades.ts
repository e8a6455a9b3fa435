import { z } from 'zod'
import type { MarketTradesQuery, TradeCursor } from '#domain/queries.ts'
import { MARKET_TRADE_PARAMETERS, problemOfBounds, problemOfLaunchpads, TRADE_PARAMETERS } from '#gateway/filters/tradeParameters.ts'
import { jsonAnswer } from '#gateway/http/answer.ts'
import { decodeCursor, listBody, MARKET_TRADE_CURSOR, parseTradeId, TRADE_CURSOR } from '#gateway/http/cursor.ts'
import { addressParameter, listParameter, tokenParameter } from '#gateway/http/parameters.ts'
import { invalidParameter, type Problem, quote, tokenNotFound } from '#gateway/http/problem.ts'
import { type Route, type RouteDescription, resource } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { tradeListSchema } from '#protocol/schemas/resources.ts'

const parameters = z.object({
  address: tokenParameter,
  maker: addressParameter.exactOptional().describe('Only trades of this account.'),
  ...TRADE_PARAMETERS,
})

export function tradesRoute({ reads, chainId }: Pick<Sources, 'reads' | 'chainId'>): Route {
  return resource(
    {
      path: '/api/tokens/:address/trades',
      parameters,
      cacheControl: 'revalidate',
      keptUntil: () => 'tokenChanges',
      description: {
        id: 'listTrades',
        tag: 'Tokens',
        summary: 'Trades of a token, by block and log index',
        answer: tradeListSchema,
        problems: ['token_not_found', 'data_unavailable'],
      },
    },
    async ({ address: token, limit, cursor: cursorText, ...filter }) => {
      const problem = problemOfBounds(filter)
      if (problem !== null) return problem
      const query = { token, ...filter }
      const list = { chainId, query }
      const decoded = decodeCursor(TRADE_CURSOR, cursorText, list)
      if ('kind' in decoded) return decoded
      const page = await reads.trades({ ...query, ...decoded, limit })
      return page === null ? tokenNotFound(token) : jsonAnswer(listBody(page, TRADE_CURSOR, list))
    },
  )
}

const marketParameters = z.object({
  makers: listParameter(addressParameter, 20, 'addresses (0x and 40 hex digits)')
    .exactOptional()
    .describe('Only trades of these accounts.'),
  ...MARKET_TRADE_PARAMETERS,
  ...TRADE_PARAMETERS,
})

const MARKET: RouteDescription = {
  id: 'listMarketTrades',
  tag: 'Market',
  summary: 'Trades over all tokens, by block and log index',
  answer: tradeListSchema,
  problems: ['data_unavailable'],
}

export function marketTradesRoute(sources: Pick<Sources, 'reads' | 'config' | 'chainId'>): Route {
  return resource(
    { path: '/api/trades', parameters: marketParameters, cacheControl: 'revalidate', keptUntil: () => 'commit', description: MARKET },
    async query => answerMarketTrades(sources, query),
  )
}

const walletParameters = z.object({
  address: addressParameter.describe('Address of the wallet.'),
  ...MARKET_TRADE_PARAMETERS,
  ...TRADE_PARAMETERS,
})

const WALLET: RouteDescription = {
  id: 'listWalletTrades',
  tag: 'Wallets',
  summary: 'Trades of a wallet over all tokens, by block and log index',
  answer: tradeListSchema,
  problems: ['data_unavailable'],
}

export function walletTradesRoute(sources: Pick<Sources, 'reads' | 'config' | 'chainId'>): Route {
  return resource(
    {
      path: '/api/wallets/:address/trades',
      parameters: walletParameters,
      cacheControl: 'revalidate',
      keptUntil: () => 'commit',
      description: WALLET,
    },
    async ({ address, ...query }) => answerMarketTrades(sources, { makers: [address], ...query }),
  )
}

type Asked = Omit<MarketTradesQuery, 'cursor' | 'launchpads'> & {
  readonly launchpad?: readonly string[]
  readonly after?: string
  readonly cursor?: string
}

async function answerMarketTrades(
  { reads, config, chainId }: Pick<Sources, 'reads' | 'config' | 'chainId'>,
  { limit, cursor: cursorText, after, ...filter }: Asked,
) {
  const { launchpad, ...rest } = filter
  const problem = problemOfBounds(filter) ?? problemOfLaunchpads(launchpad, config.launchpads.launchpads) ?? problemOfAfter(after, filter)
  if (problem !== null) return problem
  const list = { chainId, query: filter }
  const decoded = decodeCursor(MARKET_TRADE_CURSOR, cursorText, list)
  if ('kind' in decoded) return decoded
  const start: { cursor?: TradeCursor } =
    cursorText === undefined && after !== undefined ? { cursor: parseTradeId(after) as TradeCursor } : decoded
  const page = await reads.marketTrades({ ...rest, ...(launchpad === undefined ? {} : { launchpads: launchpad }), ...start, limit })
  return jsonAnswer(listBody(page, MARKET_TRADE_CURSOR, list))
}

function problemOfAfter(after: string | undefined, { order }: Pick<Asked, 'order'>): Problem | null {
  if (after === undefined) return null
  if (parseTradeId(after) === null) return invalidParameter(`after must be <block>-<logIndex>, as the id of a trade, got ${quote(after)}`)
  return order === 'asc' ? null : invalidParameter('after needs order=asc')
}
