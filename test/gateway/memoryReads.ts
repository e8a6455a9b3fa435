import { type Address, parseAddress, ZERO_ADDRESS } from '#domain/address.ts'
import { CANDLE_INTERVALS } from '#domain/candle.ts'
import { EARLY_CLASSES, HOLDER_SIZES, RESERVE_TYPES } from '#domain/holder.ts'
import { TokenwireError } from '#errors'
import type { Candle, CandleCursor, CandlesQuery } from '#resources/candles.ts'
import type { ChainStats, LaunchpadTotals } from '#resources/chainStats.ts'
import type { Claimable, WalletClaim } from '#resources/claimable.ts'
import type { EarlyWallets, Holder, HolderCursor, HolderDistribution, HoldersQuery } from '#resources/holders.ts'
import type { Reads } from '#resources/reads.ts'
import type { Page, QueryOf } from '#resources/resource.ts'
import type { Token } from '#resources/token.ts'
import type { search, TokenCursor, TokenSort, TokensQuery } from '#resources/tokens.ts'
import type { Leader, Trader } from '#resources/traders.ts'
import type { MarketTradesQuery, Trade, TradeCursor, TradesQuery } from '#resources/trades.ts'
import type { Holding, Wallet } from '#resources/wallet.ts'
import { memoryMarketData, type StoredMarketData } from './memoryMarketData.ts'

/** Points of a sparkline of the fake storage. */
const MAX_POINTS = 24

/** The newest indexed block of the fake storage. */
const AS_OF_BLOCK = '456'

/** What the fake storage holds. Candles are those of one minute in WETH. */
export interface Stored extends StoredMarketData {
  tokens: Token[]
  trades: Trade[]
  holders: Map<Address, Holder[]>
  candles: Map<Address, Candle[]>
  claimables: Claimable[]
  wallets: Wallet[]
  /** Of every token and sort. */
  traders: Trader[]
  /** Of every window and sort. */
  leaders: Leader[]
  /** Of every wallet and sort. */
  holdings: Holding[]
  /** Of every creator. */
  claims: WalletClaim[]
  launchpads: LaunchpadTotals[]
  chainStats: Omit<ChainStats, 'headBlock' | 'blockTimeMs' | 'baseFeeGwei'> | null
}

export interface MemoryReads extends Mutable<Reads> {
  readonly stored: Stored
  /** What every query awaits before it answers: a test replaces it to make one fail or wait, or to see what lists are asked for. */
  before: (query?: unknown) => Promise<void>
}

/** Tests replace single reads. */
type Mutable<T> = { -readonly [Name in keyof T]: T[Name] }

/** Rejects as storage does when PostgreSQL is away. */
export async function databaseAway(): Promise<never> {
  throw new TokenwireError('database_unavailable', 'connect ECONNREFUSED postgresql://tokenwire:hunter2@10.0.0.7/tokenwire', {
    retryable: true,
  })
}

/**
 * `Reads` over arrays: filters, orders and pages as the interface says, so that what comes out of HTTP can be checked against what went in.
 */
export function memoryReads(stored: Stored): MemoryReads {
  const isIndexed = (address: Address) => stored.tokens.some(token => token.address === address)
  const reads: MemoryReads = {
    stored,
    before: async () => {},
    async tokens(query) {
      await reads.before(query)
      return tokensPage(stored.tokens, query)
    },
    async token({ address }) {
      await reads.before()
      return stored.tokens.find(token => token.address === address) ?? null
    },
    async trades(query) {
      await reads.before(query)
      return isIndexed(query.address) ? tradesPage(stored.trades, query) : null
    },
    async marketTrades(query) {
      await reads.before(query)
      return marketTradesPage(stored.trades, query)
    },
    async walletTrades({ address, ...query }) {
      await reads.before({ address, ...query })
      return marketTradesPage(stored.trades, { ...query, makers: [address] })
    },
    async tokenCount() {
      return stored.tokens.length
    },
    async supply(address) {
      await reads.before()
      const token = stored.tokens.find(one => one.address === address)
      if (token === undefined) return null
      const heldBy = (type: Holder['type']) =>
        (stored.holders.get(address) ?? []).reduce((sum, holder) => (holder.type === type ? sum + BigInt(holder.balance) : sum), 0n)
      return { total: BigInt(token.totalSupply), burned: heldBy('burn'), locked: heldBy('locker'), decimals: token.decimals }
    },
    async launchpads() {
      await reads.before()
      return { data: stored.launchpads, asOfBlock: AS_OF_BLOCK }
    },
    async holders(query) {
      await reads.before(query)
      return isIndexed(query.address) ? holdersPage(stored.holders.get(query.address) ?? [], query) : null
    },
    async distribution({ address }) {
      await reads.before()
      return isIndexed(address) ? distributionOf(address, stored.holders.get(address) ?? []) : null
    },
    async earlyWallets({ address }) {
      await reads.before()
      const token = stored.tokens.find(one => one.address === address)
      return token === undefined ? null : earlyWalletsOf(token)
    },
    async candles(query) {
      await reads.before(query)
      return isIndexed(query.address) ? candlesPage(stored.candles.get(query.address) ?? [], query) : null
    },
    async candleSeries({ tokens, cursor: _, ...query }) {
      await reads.before()
      const indexed = tokens.filter(isIndexed)
      const seriesOf = (token: Address) => candlesPage(stored.candles.get(token) ?? [], { ...query, address: token, fill: false }).data
      return { data: indexed.map(token => ({ token, candles: seriesOf(token) })), next: null, asOfBlock: AS_OF_BLOCK }
    },
    async sparklines({ tokens }) {
      await reads.before()
      const lineOf = (token: Address) => (stored.candles.get(token) ?? []).slice(-MAX_POINTS)
      const data = tokens.filter(isIndexed).map(token => ({
        token,
        times: lineOf(token).map(({ time }) => time),
        prices: lineOf(token).map(({ close }) => close),
      }))
      return { data, next: null, asOfBlock: AS_OF_BLOCK }
    },
    async claimable({ address: token, creator }) {
      await reads.before()
      if (!isIndexed(token)) return null
      const none: Claimable = { token, creator, asOfBlock: '456', claimable: [] }
      return stored.claimables.find(entry => entry.token === token && entry.creator === creator) ?? none
    },
    async wallet({ address }) {
      await reads.before()
      return { ...(stored.wallets.find(wallet => wallet.address === address) ?? NEW_WALLET), address }
    },
    async traders({ address, class: wanted, limit, cursor }) {
      await reads.before()
      if (!isIndexed(address)) return null
      return pageOf(
        after(wanted === undefined ? stored.traders : stored.traders.filter(({ classes }) => classes?.includes(wanted)), cursor, 'address'),
        limit,
        trader => ({ value: trader.realizedWeth, address: trader.address }),
      )
    },
    async leaders({ limit, cursor }) {
      await reads.before()
      return pageOf(after(stored.leaders, cursor, 'address'), limit, ({ realizedWeth: value, address }) => ({ value, address }))
    },
    async holdings({ limit, cursor }) {
      await reads.before()
      const rows = stored.holdings.map(holding => ({ holding, token: holding.token.address, value: holding.valueWeth }))
      const { data, ...page } = pageOf(after(rows, cursor, 'token'), limit, ({ value, token }) => ({ value, token }))
      return { ...page, data: data.map(({ holding }) => holding) }
    },
    async claims({ limit, cursor }) {
      await reads.before()
      const cursorOf = ({ token, launchpad, currency }: WalletClaim) => ({ token: token ?? ZERO_ADDRESS, launchpad, currency })
      return pageOf(after(stored.claims, cursor, 'token'), limit, cursorOf)
    },
    async channelEvents() {
      throw new Error('channels are tested over MemoryEvents')
    },
    async search(query) {
      await reads.before()
      return { data: found(stored.tokens, query), next: null, asOfBlock: AS_OF_BLOCK }
    },
    async chainStats() {
      await reads.before()
      return stored.chainStats
    },
    ...memoryMarketData(stored, () => reads.before()),
    async ping() {
      await reads.before()
      return 0.5
    },
  }
  return reads
}

const NEW_WALLET: Omit<Wallet, 'address'> = {
  tokensHeld: 0,
  valueWeth: '0',
  valueUsd: null,
  trades: 0,
  tokensTraded: 0,
  volumeWeth: '0',
  realizedWeth: '0',
  realizedUsd: '0',
  tokensWithoutWethProfit: 0,
  tokensWithoutUsdProfit: 0,
  tokensCreated: 0,
  firstSeenAt: null,
  lastSeenAt: null,
  asOfBlock: AS_OF_BLOCK,
}

function after<Row, Key extends keyof Row>(rows: readonly Row[], cursor: Pick<Row, Key> | undefined, key: Key): readonly Row[] {
  return cursor === undefined ? rows : rows.slice(rows.findIndex(row => row[key] === cursor[key]) + 1)
}

const secondsOf = (time: string | null) => (time === null ? null : Date.parse(time) / 1_000)

const SORT_VALUES: Readonly<Record<TokenSort, (token: Token) => number | string | null>> = {
  createdAt: token => secondsOf(token.createdAt),
  marketCap: token => token.market.marketCapWeth,
  volume5m: token => token.market.volumeWeth.m5,
  volume1h: token => token.market.volumeWeth.h1,
  volume24h: token => token.market.volumeWeth.h24,
  priceChange5m: token => token.market.priceChange.m5,
  priceChange1h: token => token.market.priceChange.h1,
  priceChange24h: token => token.market.priceChange.h24,
  liquidity: token => token.market.liquidityWeth,
  holders: token => token.market.holderCount,
  trades5m: ({ market }) => market.trades.m5.buys + market.trades.m5.sells,
  trades1h: ({ market }) => market.trades.h1.buys + market.trades.h1.sells,
  trades24h: ({ market }) => market.trades.h24.buys + market.trades.h24.sells,
  lastTradeAt: token => secondsOf(token.market.lastTradeAt),
  graduation: token => token.graduation.percent,
  migratedAt: token => secondsOf(token.graduation.migratedAt),
  trending: ({ market: { trades } }) => 24 * trades.h1.buyers + 4 * trades.h6.buyers + trades.h24.buyers,
}

const isAtLeast = (value: number | string | null, bound: number | string) => value !== null && Number(value) >= Number(bound)

/** What the tests of lists filter by; of the others it is asserted what storage is asked. */
const TOKEN_FILTERS: Readonly<Record<string, (token: Token, wanted: never) => boolean>> = {
  status: ({ graduation }, wanted: readonly string[]) => wanted.includes(graduation.status),
  launchpad: ({ launchpad }, wanted: readonly string[]) => wanted.includes(launchpad),
  creator: ({ creator }, wanted: Address) => creator === wanted,
  addresses: ({ address }, wanted: readonly Address[]) => wanted.includes(address),
  surface: ({ surface }, wanted: string) => surface === wanted.toLowerCase(),
  minMarketCap: ({ market }, bound: string) => isAtLeast(market.marketCapWeth, bound),
  minHolders: ({ market }, bound: number) => isAtLeast(market.holderCount, bound),
}

function tokensPage(tokens: readonly Token[], query: TokensQuery): Page<Token, TokenCursor> {
  const { sort, order, limit, cursor, ...filters } = query
  const cursorOf = (token: Token): TokenCursor => ({ value: SORT_VALUES[sort](token)?.toString() ?? null, address: token.address })
  const byAddress = (a: TokenCursor, b: TokenCursor) => (a.address < b.address ? -1 : a.address > b.address ? 1 : 0)
  const compare = (a: TokenCursor, b: TokenCursor) => {
    if (a.value === null && b.value === null) return byAddress(a, b)
    if (a.value === null || b.value === null) return a.value === null ? 1 : -1
    return (order === 'asc' ? 1 : -1) * (Number(a.value) - Number(b.value) || byAddress(a, b))
  }
  const wanted = Object.entries(filters).filter(([name]) => name in TOKEN_FILTERS)
  const rows = tokens
    .filter(token => wanted.every(([name, value]) => value === undefined || TOKEN_FILTERS[name]?.(token, value as never)))
    .toSorted((a, b) => compare(cursorOf(a), cursorOf(b)))
    .filter(token => cursor === undefined || compare(cursorOf(token), cursor) > 0)
  return pageOf(rows, limit, cursorOf)
}

function tradesPage(trades: readonly Trade[], { address: token, maker, ...query }: TradesQuery): Page<Trade, TradeCursor> {
  return marketTradesPage(trades, { ...query, tokens: [token], ...(maker === undefined ? {} : { makers: [maker] }) })
}

function marketTradesPage(trades: readonly Trade[], query: MarketTradesQuery): Page<Trade, TradeCursor> {
  const cursorOf = (trade: Trade) => ({ blockNumber: Number(trade.blockNumber), logIndex: trade.logIndex })
  const position = ({ blockNumber, logIndex }: TradeCursor) => (query.order === 'asc' ? 1 : -1) * (blockNumber * 1_000 + logIndex)
  const rows = trades
    .filter(trade => query.tokens?.includes(trade.token) !== false && query.makers?.includes(trade.maker) !== false)
    .filter(trade => query.side === undefined || trade.side === query.side)
    .filter(trade => Number(trade.amountWeth) >= Number(query.minWeth ?? 0))
    .filter(({ timestamp }) => Date.parse(timestamp) / 1_000 >= (query.from ?? 0) && Date.parse(timestamp) / 1_000 <= (query.to ?? 1e12))
    .filter(
      trade =>
        Number(trade.blockNumber) >= (query.fromBlock ?? 0) && Number(trade.blockNumber) <= (query.toBlock ?? Number.MAX_SAFE_INTEGER),
    )
    .toSorted((a, b) => position(cursorOf(a)) - position(cursorOf(b)))
    .filter(trade => query.cursor === undefined || position(cursorOf(trade)) > position(query.cursor))
  return pageOf(rows, query.limit, cursorOf)
}

function holdersPage(holders: readonly Holder[], query: HoldersQuery): Page<Holder, HolderCursor> {
  const rows = holders
    .filter(holder => !query.excludeType.includes(holder.type))
    .filter(holder => query.cursor === undefined || holder.rank > query.cursor.rank)
  return pageOf(rows, query.limit, ({ balance, address, rank }) => ({ balance, address, rank }))
}

function distributionOf(token: Address, holders: readonly Holder[]): HolderDistribution {
  const counted = holders.filter(({ type }) => !RESERVE_TYPES.includes(type))
  const shareOf = (some: readonly Holder[]) => some.reduce((sum, { percent }) => sum + percent, 0)
  return {
    token,
    holderCount: holders.length,
    topTenPercent: shareOf(counted.slice(0, 10)),
    creatorPercent: shareOf(holders.filter(({ type }) => type === 'creator')),
    reservePercent: shareOf(holders.filter(({ type }) => RESERVE_TYPES.includes(type))),
    sizes: HOLDER_SIZES.map((minPercent, index) => {
      const ofSize = counted.filter(({ percent }) => percent >= minPercent && percent < (HOLDER_SIZES[index - 1] ?? 101))
      return { minPercent, holders: ofSize.length, percent: shareOf(ofSize) }
    }),
    asOfBlock: AS_OF_BLOCK,
  }
}

function earlyWalletsOf({ address, early }: Token): EarlyWallets {
  const held = { creator: early.creatorPercent, sniper: early.sniperPercent, bundler: early.bundlerPercent, insider: early.insiderPercent }
  const classes = EARLY_CLASSES.map(name => ({
    class: name,
    wallets: 1,
    boughtPercent: 9.1,
    heldPercent: held[name],
    soldPercent: 6.7,
  }))
  return { token: address, asOfBlock: AS_OF_BLOCK, classes }
}

function candlesPage(candles: readonly Candle[], query: CandlesQuery): Page<Candle, CandleCursor> {
  if (query.interval !== '1m' || query.currency !== 'weth') return { data: [], next: null, asOfBlock: AS_OF_BLOCK }
  const rows = (query.fill ? filled(candles, CANDLE_INTERVALS[query.interval]) : candles)
    .filter(candle => candle.time + 60 > (query.from ?? 0) && candle.time <= (query.to ?? Number.MAX_SAFE_INTEGER))
    .filter(candle => query.cursor === undefined || candle.time < query.cursor.time)
  // A page is the newest part of the range, and the next one older.
  const data = rows.slice(-query.limit)
  const oldest = data[0]
  return { data, next: rows.length > query.limit && oldest !== undefined ? { time: oldest.time } : null, asOfBlock: AS_OF_BLOCK }
}

function filled(candles: readonly Candle[], length: number): readonly Candle[] {
  return candles.flatMap((candle, index) => {
    const next = candles[index + 1]
    const gaps = next === undefined ? 0 : (next.time - candle.time) / length - 1
    const { close } = candle
    const empty = { open: close, high: close, low: close, close, volume: '0', trades: 0 }
    return [candle, ...Array.from({ length: gaps }, (_, gap) => ({ ...empty, time: candle.time + (gap + 1) * length }))]
  })
}

function found(tokens: readonly Token[], { q, limit }: QueryOf<typeof search>): readonly Token[] {
  const wanted = q.toLowerCase()
  const isPrefix = (text: string | null) => text?.toLowerCase().startsWith(wanted) === true
  return tokens
    .filter(({ symbol, name, address }) => isPrefix(symbol) || isPrefix(name) || (parseAddress(q.padEnd(42, '0')) && isPrefix(address)))
    .slice(0, limit)
}

function pageOf<T, C>(rows: readonly T[], limit: number, cursorOf: (row: T) => C): Page<T, C> {
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  return { data, next: rows.length > limit && last !== undefined ? cursorOf(last) : null, asOfBlock: AS_OF_BLOCK }
}
