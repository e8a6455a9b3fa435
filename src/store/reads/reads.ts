import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import { TokenwireError } from '#errors'
import type { Reads } from '#resources/reads.ts'
import { toDatabaseError } from '#store/connection/databaseErrors.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { readCandleSeries, readSparklines } from './candleSeries.ts'
import { readCandles } from './candles.ts'
import { createChainStats, readLaunchpads, readSupply, readTokenCount } from './chainStats.ts'
import { readChannelEvents } from './channelEvents.ts'
import { type BuildClaimCall, type FindVested, readClaimable, readClaims } from './claimable.ts'
import { readEarlyWallets, readHolderDistribution, readHolders } from './holders.ts'
import { readAsset, readBlock, readDayTotals, readHoldersFrom, readPair, readPairEvents } from './marketData.ts'
import { readFinality } from './page.ts'
import { readSearch } from './search.ts'
import { TokenCache } from './tokenCache.ts'
import { readToken, readTokens } from './tokens.ts'
import { readLeaders, readTraders } from './traders.ts'
import { readMarketTrades, readTrades } from './trades.ts'
import { readHoldings, readWallet } from './wallet.ts'

export interface ReadsOptions {
  readonly db: Queryable
  readonly chainId: number
  readonly weth: Address
  readonly claimCall: BuildClaimCall
  /** Default: nothing vests. */
  readonly vestedOf?: FindVested
  /** A read is given up after this time, however the network fails. Default 15 s, which is more than it waits for a connection. */
  readonly timeoutMs?: number
  /** Default `performance.now`. */
  readonly now?: () => number
}

/** All reads of the HTTP layer. Each statement reads one snapshot of the database. */
export function createReads(options: ReadsOptions): Reads {
  const { db, chainId, weth, claimCall, vestedOf = () => null, timeoutMs = 15_000, now = () => performance.now() } = options
  const chainStats = createChainStats(db, chainId)
  const tokenCache = new TokenCache(db, chainId, now)
  const answer = <T>(work: Promise<T>) => inTime(work, timeoutMs)
  return {
    tokens: query => answer(readTokens(db, query, tokenCache)),
    tokenCount: query => answer(readTokenCount(db, query)),
    token: ({ address }) => answer(readToken(db, address, chainId)),
    trades: query => answer(readTrades(db, query)),
    marketTrades: query => answer(readMarketTrades(db, query)),
    walletTrades: ({ address, ...query }) => answer(readMarketTrades(db, { ...query, makers: [address] })),
    leaders: query => answer(readLeaders(db, query)),
    launchpads: () => answer(readLaunchpads(db)),
    wallet: ({ address }) => answer(readWallet(db, address)),
    holdings: query => answer(readHoldings(db, query)),
    claims: query => answer(readClaims(db, query, { creator: query.address, weth, claimCall, vestedOf })),
    traders: query => answer(readTraders(db, query)),
    holders: query => answer(readHolders(db, query)),
    distribution: ({ address }) => answer(readHolderDistribution(db, address)),
    earlyWallets: ({ address }) => answer(readEarlyWallets(db, address)),
    supply: token => answer(readSupply(db, token)),
    candles: query => answer(readCandles(db, query)),
    sparklines: query => answer(readSparklines(db, query)),
    candleSeries: query => answer(readCandleSeries(db, query)),
    claimable: ({ address, creator }) => answer(readClaimable(db, { token: address, creator, weth, claimCall, vestedOf })),
    search: query => answer(readSearch(db, query, chainId)),
    channelEvents: query => answer(readChannelEvents(db, query, chainId)),
    chainStats: () => answer(chainStats()),
    finality: () => answer(readFinality(db)),
    pairEvents: (launchpad, range, limit) => answer(readPairEvents(db, launchpad, range, limit)),
    pair: id => answer(readPair(db, id)),
    asset: id => answer(readAsset(db, id)),
    dayTotals: tokens => answer(readDayTotals(db, tokens)),
    block: at => answer(readBlock(db, at)),
    holdersFrom: (token, place, limit) => answer(readHoldersFrom(db, token, place, limit)),
    ping: async () => {
      const start = now()
      await answer(sql`select 1`.execute(db))
      return now() - start
    },
  }
}

/** @throws `TokenwireError` `database_unavailable` when the answer comes too late; the error of the read, by `toDatabaseError` */
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
