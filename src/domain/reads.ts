import type { Address, Hex } from './address.ts'
import type { Candle } from './candle.ts'
import type { ChainStats } from './chainStats.ts'
import type { ChannelEvents, ChannelEventsQuery } from './channelEvent.ts'
import type { Claimable, WalletClaim } from './claimable.ts'
import type { Holder } from './holder.ts'
import type { HolderDistribution } from './holderDistribution.ts'
import type { Holding } from './holding.ts'
import type { LaunchpadTotals } from './launchpad.ts'
import type { BlockPlace, BlockRange, DayTotals, FinalBlock, Finality, ListedAsset, ListedPair, PairEvents } from './marketData.ts'
import type {
  CandleCursor,
  CandlesQuery,
  ClaimCursor,
  ClaimsQuery,
  HolderCursor,
  HoldersQuery,
  HoldingCursor,
  HoldingsQuery,
  MarketTradesQuery,
  Page,
  SearchQuery,
  Supply,
  TokenCursor,
  TokensQuery,
  TradeCursor,
  TraderCursor,
  TradersQuery,
  TradesQuery,
} from './queries.ts'
import type { Token } from './token.ts'
import type { Trade } from './trade.ts'
import type { Trader } from './trader.ts'
import type { Wallet } from './wallet.ts'

/**
 * What the gateway reads from the database. USD values that depend on the current price are `null`: the gateway fills them in (`withUsd`),
 * since the price is not chain state.
 *
 * @throws `TokenwireError` `database_unavailable` from every function when the database can't answer
 */
export interface Reads {
  tokens(query: TokensQuery): Promise<Page<Token, TokenCursor>>
  /** `null`: not indexed. */
  token(address: Address): Promise<Token | null>
  marketTrades(query: MarketTradesQuery): Promise<Page<Trade, TradeCursor>>
  /** Launchpads that have a token. */
  launchpads(): Promise<{ readonly data: readonly LaunchpadTotals[]; readonly asOfBlock: string | null }>
  /** Answers for any account, also for one that is not known. The same for the next two. */
  wallet(address: Address): Promise<Wallet>
  holdings(query: HoldingsQuery): Promise<Page<Holding, HoldingCursor>>
  claims(query: ClaimsQuery): Promise<Page<WalletClaim, ClaimCursor>>
  /** `null`: the token is not indexed. The same for the next five. */
  trades(query: TradesQuery): Promise<Page<Trade, TradeCursor> | null>
  traders(query: TradersQuery): Promise<Page<Trader, TraderCursor> | null>
  holders(query: HoldersQuery): Promise<Page<Holder, HolderCursor> | null>
  holderDistribution(token: Address): Promise<HolderDistribution | null>
  supply(token: Address): Promise<Supply | null>
  candles(query: CandlesQuery): Promise<Page<Candle, CandleCursor> | null>
  claimable(token: Address, creator: Address): Promise<Claimable | null>
  search(query: SearchQuery): Promise<Omit<Page<Token, never>, 'next'>>
  channelEvents(query: ChannelEventsQuery): Promise<ChannelEvents>
  /** The gateway fills in the fields that come from the chain. `null`: nothing is indexed yet. */
  chainStats(): Promise<Omit<ChainStats, 'headBlock' | 'blockTimeMs' | 'baseFeeGwei'> | null>
  finality(): Promise<Finality>
  /** In order. The blocks must be final. */
  pairEvents(range: BlockRange, limit: number): Promise<PairEvents>
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
