import type { Address, Hex } from '#domain/address.ts'
import { actor, actors } from './actors.ts'
import { candleSeries, candles } from './candles.ts'
import { type ChainStats, indexTotals, type LaunchpadTotals, launchpads } from './chainStats.ts'
import type { ChannelEvents, ChannelEventsQuery } from './channelEvent.ts'
import { claimable, claims } from './claimable.ts'
import { ethUsdPrice } from './ethUsd.ts'
import { processes, serviceHealth } from './health.ts'
import { distribution, earlyWallets, type Holder, holders } from './holders.ts'
import type { BlockPlace, BlockRange, DayTotals, FinalBlock, ListedAsset, ListedPair, PairEvents, Supply } from './marketData.ts'
import type { ListResource, PageOf, QueryOf, Resource } from './resource.ts'
import { token } from './token.ts'
import { search, sparklines, type TokensQuery, tokens } from './tokens.ts'
import { leaders, traders } from './traders.ts'
import { marketTrades, trades, walletTrades } from './trades.ts'
import type { Wire } from './values.ts'
import { holdings, wallet } from './wallet.ts'

type ReadList<List extends ListResource> = (query: QueryOf<List>) => Promise<PageOf<List>>

/** `null`: the token of the path is not indexed. */
type ReadTokenList<List extends ListResource> = (query: QueryOf<List>) => Promise<PageOf<List> | null>

/** `null`: the token of the path is not indexed. */
type ReadOne<One extends Resource> = (query: Wire<One['parameters']>) => Promise<Wire<One['answer']> | null>

type ReadLists = { readonly [Name in Exclude<keyof typeof LISTS, 'tokens'>]: ReadList<(typeof LISTS)[Name]> }
type ReadTokenLists = { readonly [Name in keyof typeof TOKEN_LISTS]: ReadTokenList<(typeof TOKEN_LISTS)[Name]> }
type ReadOnes = { readonly [Name in keyof typeof SINGLE]: ReadOne<(typeof SINGLE)[Name]> }

/**
 * What the gateway reads from the database. USD values that depend on the current price are `null`: the gateway fills them in, since the
 * price is not chain state.
 *
 * @throws `TokenwireError` `database_unavailable` from every function when the database can't answer
 */
export interface Reads extends ReadLists, ReadTokenLists, ReadOnes {
  tokens(query: TokensQuery): Promise<PageOf<typeof tokens>>
  /** How many tokens the query's filters let through; `null`: more than are counted. */
  tokenCount(query: TokensQuery): Promise<number | null>
  /** Launchpads that have a token. */
  launchpads(): Promise<{ readonly data: readonly LaunchpadTotals[]; readonly asOfBlock: string | null }>
  /** `null`: the token is not indexed. */
  supply(token: Address): Promise<Supply | null>
  channelEvents(query: ChannelEventsQuery): Promise<ChannelEvents>
  /** The gateway fills in the fields that come from the chain. `null`: nothing is indexed yet. */
  chainStats(): Promise<Omit<ChainStats, 'headBlock' | 'blockTimeMs' | 'baseFeeGwei'> | null>
  finality(): Promise<FinalBlock | null>
  /** Of a launchpad's pairs, in order. The blocks must be final. */
  pairEvents(launchpad: string, range: BlockRange, limit: number): Promise<PairEvents>
  /** `null`: no final block has it. The same for the next. */
  pair(id: Hex): Promise<ListedPair | null>
  asset(id: Address): Promise<ListedAsset | null>
  dayTotals(tokens: readonly Address[]): Promise<readonly DayTotals[]>
  block(at: BlockPlace): Promise<FinalBlock | null>
  /** Largest first, from a rank counted from 0. Empty for a token that is not indexed. */
  holdersFrom(token: Address, place: number, limit: number): Promise<readonly Pick<Holder, 'address' | 'balance'>[]>
  /** Round trip to the database in ms. */
  ping(): Promise<number>
}

/* The resources by the names of the client's methods. */

/** Lists that are read from the database. */
export const LISTS = { tokens, candleSeries, sparklines, marketTrades, leaders, walletTrades, holdings, claims, search } as const

/** Lists of one token, whose address is in the path. */
export const TOKEN_LISTS = { trades, traders, holders, candles } as const

/** Single answers that are read from the database. */
export const SINGLE = { token, distribution, earlyWallets, claimable, wallet } as const

/** Resources that take more than a read of the database. */
export const COMPOSED = {
  launchpads,
  ethUsd: ethUsdPrice,
  chainStats: indexTotals,
  health: serviceHealth,
  processes,
  actors,
  actor,
} as const
