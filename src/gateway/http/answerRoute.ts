import type { Address } from '#domain/address.ts'
import type { Outcome } from './answer.ts'
import type { Exchange } from './exchange.ts'
import type { ParameterTexts } from './parameters.ts'
import type { ResponseCache } from './responseCache.ts'
import type { Route } from './route.ts'

export interface AskedRoute {
  readonly route: Route
  /** The parameters of the path and the query. */
  readonly texts: ParameterTexts
  /** The path and the query, which are the same for requests with the same answer. */
  readonly key: string
  readonly isOperator: boolean
}

/** Answers a request that has passed the gates, from the cache if the route's answers are cached. */
export async function answerRoute(
  { route, texts, key, isOperator }: AskedRoute,
  exchange: Exchange,
  responses: Pick<ResponseCache, 'ask'>,
): Promise<Outcome> {
  const handle = () => route.handle(texts, exchange, isOperator)
  const by = typeof route.outdatedBy === 'function' ? route.outdatedBy(texts) : route.outdatedBy
  if (by === undefined) return handle()
  if (by === 'commit') return responses.ask({ key, token: null }, handle)
  const token = texts.get('address')?.[0]?.toLowerCase()
  return token === undefined ? handle() : responses.ask({ key, token: token as Address }, handle)
}
