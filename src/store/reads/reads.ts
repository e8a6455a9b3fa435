import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { Reads } from '#domain/queries.ts'
import { TokenwireError } from '#errors'
import { toDatabaseError } from '#store/connection/databaseErrors.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { readCandles } from './candles.ts'
import { createChainStats } from './chainStats.ts'
import { type BuildClaimCall, type FindVested, readClaimable } from './claimable.ts'
import { readHolders } from './holders.ts'
import { readLaunchpads } from './launchpads.ts'
import { readMarketTrades } from './marketTrades.ts'
import { readSearch } from './search.ts'
import { readSupply } from './supply.ts'
import { readToken, readTokens } from './tokens.ts'
import { readTrades } from './trades.ts'

export interface ReadsOptions {
  readonly db: Queryable
  readonly chainId: number
  readonly weth: Address
  readonly claimCall: BuildClaimCall
  /** Default: nothing vests. */
  readonly vestedOf?: FindVested
  /** A read without an answer by then is given up, however the network fails. Default 15 s, more than it waits for a connection. */
  readonly timeoutMs?: number
  /** Default `performance.now`. */
  readonly now?: () => number
}

/** Everything that the HTTP layer asks of storage, each from one moment of the database per statement. */
export function createReads(options: ReadsOptions): Reads {
  const { db, chainId, weth, claimCall, vestedOf = () => null, timeoutMs = 15_000, now = () => performance.now() } = options
  const chainStats = createChainStats(db, chainId)
  const answer = <T>(work: Promise<T>) => inTime(work, timeoutMs)
  return {
    tokens: query => answer(readTokens(db, query, chainId)),
    token: address => answer(readToken(db, address, chainId)),
    trades: query => answer(readTrades(db, query)),
    marketTrades: query => answer(readMarketTrades(db, query)),
    launchpads: () => answer(readLaunchpads(db)),
    holders: query => answer(readHolders(db, query)),
    supply: token => answer(readSupply(db, token)),
    candles: query => answer(readCandles(db, query)),
    claimable: (token, creator) => answer(readClaimable(db, { token, creator, weth, claimCall, vestedOf })),
    search: query => answer(readSearch(db, query, chainId)),
    chainStats: () => answer(chainStats()),
    ping: async () => {
      const start = now()
      await answer(sql`select 1`.execute(db))
      return now() - start
    },
  }
}

/** @throws `TokenwireError` when the answer comes too late or not at all */
async function inTime<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    late.reject(new TokenwireError('database_unavailable', 'The database does not answer', { retryable: true, details: { timeoutMs } }))
  }, timeoutMs)
  try {
    return await Promise.race([work, late.promise])
  } catch (error) {
    throw toDatabaseError(error)
  } finally {
    clearTimeout(timer)
  }
}
