import { hash } from 'node:crypto'
import { type Address, type Hex, toAddress } from '#domain/address.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import type { Conditions, GatewayOptions } from '#test/gateway/startGateway.ts'
import { recentOf, snapshotOf, tradeOf } from '#test/support/snapshots.ts'
import { aClaim, aClaimable, aHolding, aTrader, aWallet } from '#test/support/walletRows.ts'

/* A token with everything that belongs to it, for the examples of the descriptions. */

const accountOf = (name: string): Address => toAddress(`0x${hash('sha1', name)}`)
const hashNamed = (name: string): Hex => `0x${hash('sha256', name)}`

export const EXAMPLE_TOKEN = accountOf('token')
export const EXAMPLE_CREATOR = accountOf('creator')
const WETH = toAddress('0x4200000000000000000000000000000000000006')

export function exampleSnapshot(): TokenSnapshot {
  const { token } = snapshotOf(EXAMPLE_TOKEN, 1_795_000_000_123)
  const curve = accountOf('curve')
  return {
    token: {
      ...token,
      creator: EXAMPLE_CREATOR,
      createdTxHash: hashNamed('launch'),
      pool: token.pool === null ? null : { ...token.pool, address: curve, quoteToken: WETH },
    },
    recent: recentOf([
      {
        ...tradeOf(EXAMPLE_TOKEN),
        pool: curve,
        maker: accountOf('maker'),
        blockHash: hashNamed('block'),
        txHash: hashNamed('trade'),
      },
    ]),
    holders: [
      {
        rank: 1,
        address: curve,
        balance: '793000000000000000000000000',
        percent: 79.3,
        type: 'curve',
        lastChangedBlock: '456',
        classes: [],
      },
      {
        rank: 2,
        address: accountOf('maker'),
        balance: '5000000000000000000000',
        percent: 0.0005,
        type: 'wallet',
        lastChangedBlock: '456',
        classes: ['sniper'],
      },
    ],
  }
}

/** The same token after another trade. */
export function exampleAfterTrade(): TokenSnapshot {
  const { token, recent, holders } = exampleSnapshot()
  const [newest] = recent.trades
  const [holder] = holders
  if (newest === undefined || holder === undefined) throw new RangeError('the example has no trade or no holder')
  const block = String(Number(token.asOfBlock) + 1)
  const market = { ...token.market, priceWeth: '0.0000000023519', tradeCount: token.market.tradeCount + 1 }
  return {
    token: { ...token, market, sequence: token.sequence + 2_000, asOfBlock: block },
    recent: { ...recent, trades: [...recent.trades, { ...newest, id: `${block}-3`, blockNumber: block, logIndex: 3 }] },
    holders: [{ ...holder, lastChangedBlock: block }, ...holders.slice(1)],
  }
}

export function exampleStored(): NonNullable<GatewayOptions['stored']> {
  const { token, recent, holders } = exampleSnapshot()
  const owed = { currency: WETH, claim: { to: accountOf('escrow'), data: '0x4e71d92d' } } as const
  return {
    tokens: [token],
    trades: [...recent.trades],
    holders: new Map([[EXAMPLE_TOKEN, [...holders]]]),
    candles: new Map([
      [
        EXAMPLE_TOKEN,
        [
          {
            time: 1_795_000_020,
            open: '0.000000012',
            high: '0.00000001234',
            low: '0.000000012',
            close: '0.00000001234',
            volume: '0.12',
            trades: 3,
          },
        ],
      ],
    ]),
    launchpads: [
      { name: 'wow', tokens: 812, tokens24h: 40, bonding: 600, completed: 2, migrated: 60, volumeWeth24h: '341.5', trades24h: 9_001 },
    ],
    wallets: [aWallet(accountOf('maker'))],
    traders: [aTrader(accountOf('maker'))],
    leaders: [
      {
        address: accountOf('maker'),
        buys: 2,
        sells: 1,
        boughtWeth: '0.00015',
        boughtUsd: '0.45',
        soldWeth: '0.00014',
        soldUsd: '0.42',
        volumeWeth: '0.00029',
        volumeUsd: '0.87',
        realizedWeth: '0.00004',
        realizedUsd: '0.12',
        tradesWithoutWethValue: 0,
        tradesWithoutUsdValue: 0,
        salesWithoutWethProfit: 0,
        salesWithoutUsdProfit: 0,
        lastTradeAt: '2026-01-02T03:04:08.000Z',
      },
    ],
    holdings: [
      aHolding({
        address: EXAMPLE_TOKEN,
        symbol: token.symbol,
        name: token.name,
        decimals: token.decimals,
        imageUrl: token.imageUrl,
        launchpad: token.launchpad,
        priceWeth: token.market.priceWeth,
      }),
    ],
    claims: [aClaim(EXAMPLE_TOKEN, owed)],
    ...exampleMarketData(),
    claimables: [
      {
        token: EXAMPLE_TOKEN,
        creator: EXAMPLE_CREATOR,
        asOfBlock: '456',
        claimable: [aClaimable(owed)],
      },
    ],
  }
}

const EXAMPLE_PAIR = accountOf('curve')
export const EXAMPLE_FACTORY = accountOf('factory')

function exampleMarketData(): Pick<NonNullable<GatewayOptions['stored']>, 'pairs' | 'assets' | 'pairEvents' | 'dayTotals'> {
  const pair = {
    id: EXAMPLE_PAIR,
    type: 'curve',
    token: EXAMPLE_TOKEN,
    quoteToken: WETH,
    launchpad: 'wow',
    creator: EXAMPLE_CREATOR,
  } as const
  const place = { timestamp: 1_795_000_000, txIndex: 3, pair: EXAMPLE_PAIR, pairType: 'curve' } as const
  const trade = { ...place, blockNumber: 456, txHash: hashNamed('trade'), logIndex: 12, maker: accountOf('maker') }
  const amounts = { token: '1000', quote: '0.12' }
  return {
    pairs: [{ ...pair, feeBps: 100, createdBlock: 123, createdAt: 1_767_323_045, creationTxHash: hashNamed('launch') }],
    assets: [
      {
        id: EXAMPLE_TOKEN,
        name: 'Alpha',
        symbol: 'ALP',
        decimals: 18,
        totalSupply: '1000000000',
        circulatingSupply: '999000000',
        holderCount: 2,
        links: [
          { kind: 'website', url: 'https://alpha.example/' },
          { kind: 'other', url: 'https://one.example/' },
          { kind: 'other', url: 'https://two.example/' },
        ],
      },
    ],
    dayTotals: [
      { token: EXAMPLE_TOKEN, pair: EXAMPLE_PAIR, volume: { token: '324000000', quote: '40' }, high: '0.000000013', low: '0.000000012' },
    ],
    pairEvents: [
      { ...trade, kind: 'creation', logIndex: 2, maker: EXAMPLE_CREATOR },
      { ...trade, kind: 'swap', side: 'buy', amounts, price: '0.00012345', reserves: { token: '793000000', quote: '4.2' } },
      { ...trade, kind: 'exit', logIndex: 15, amounts, reserves: { token: '792999000', quote: '4.08' } },
    ],
  }
}

export function exampleActors(): Conditions['actors'] {
  return [
    {
      token: EXAMPLE_TOKEN,
      state: 'live',
      sequence: 1_795_000_000_123,
      subscribers: { webSocket: 40, eventStream: 2, lagging: 1 },
      lastUpdateAt: '2026-01-02T03:04:08.123Z',
      lastBlock: '456',
      frameBytes: 3_120,
      activatedAt: '2026-01-02T03:00:00.000Z',
      eventsHandled: 88,
      conflated: 2,
    },
  ]
}

export function exampleProcesses(): Conditions['processes'] {
  const common = { status: 'ok', standby: false, version: '1.2.3', indexedBlock: '467', lagBlocks: 0, subscriptions: 0 } as const
  const database = { ok: true, latencyMs: 0.5 }
  const feed = { connected: true, disconnectedMs: 0, waitingMs: 0, behindBlocks: 0, reconnects: 0, replica: null }
  const indexer = { url: 'http://10.0.0.1:3000', host: 'indexer-1', pid: 17, connections: 0, uptimeSeconds: 8_000 }
  const gateway = { url: 'http://10.0.0.2:3000', host: 'gateway-1', pid: 23, connections: 42, uptimeSeconds: 7_200 }
  return [
    { ...common, role: 'indexer', ...indexer, database, feed: { carrier: 'thread', ...feed }, id: 'd1f0e5a2', heardMsAgo: 1_200 },
    { ...common, role: 'gateway', ...gateway, database, feed: { carrier: 'nats', ...feed }, id: '77b3c019', heardMsAgo: 3_400 },
  ]
}

/** A request for each route whose answer is JSON, by its `operationId`. */
export const EXAMPLE_REQUESTS: Readonly<Record<string, string>> = {
  listTokens: '/api/tokens?sort=marketCap&limit=1',
  getToken: `/api/tokens/${EXAMPLE_TOKEN}`,
  listTrades: `/api/tokens/${EXAMPLE_TOKEN}/trades?limit=1`,
  listTraders: `/api/tokens/${EXAMPLE_TOKEN}/traders?limit=1`,
  listHolders: `/api/tokens/${EXAMPLE_TOKEN}/holders?limit=2`,
  getEarlyWallets: `/api/tokens/${EXAMPLE_TOKEN}/early-wallets`,
  getHolderDistribution: `/api/tokens/${EXAMPLE_TOKEN}/holders/distribution`,
  listCandles: `/api/tokens/${EXAMPLE_TOKEN}/candles?interval=1m&limit=1`,
  getClaimable: `/api/tokens/${EXAMPLE_TOKEN}/claimable?creator=${EXAMPLE_CREATOR}`,
  listCandleSeries: `/api/candles?tokens=${EXAMPLE_TOKEN}&limit=1`,
  listSparklines: `/api/sparklines?tokens=${EXAMPLE_TOKEN}`,
  listMarketTrades: '/api/trades?minWeth=0.1&limit=1',
  listLeaders: '/api/traders?window=7d&limit=1',
  listWalletTrades: `/api/wallets/${accountOf('maker')}/trades?limit=1`,
  getWallet: `/api/wallets/${accountOf('maker')}`,
  listHoldings: `/api/wallets/${accountOf('maker')}/holdings?limit=1`,
  listClaims: `/api/wallets/${EXAMPLE_CREATOR}/claimable?limit=1`,
  listLaunchpads: '/api/launchpads',
  searchTokens: '/api/search?q=alp&limit=1',
  getEthUsd: '/api/market/eth-usd',
  getChainStats: '/api/chain-stats',
  getUsage: '/api/usage',
  getTotalSupply: `/api/tokens/${EXAMPLE_TOKEN}/supply/total`,
  getCirculatingSupply: `/api/tokens/${EXAMPLE_TOKEN}/supply/circulating`,
  getDexscreenerLatestBlock: '/dexscreener/wow/latest-block',
  getDexscreenerAsset: `/dexscreener/wow/asset?id=${EXAMPLE_TOKEN}`,
  getDexscreenerPair: `/dexscreener/wow/pair?id=${EXAMPLE_PAIR}`,
  getDexscreenerEvents: '/dexscreener/wow/events?fromBlock=456&toBlock=456',
  getGeckoterminalLatestBlock: '/geckoterminal/wow/latest-block',
  getGeckoterminalAsset: `/geckoterminal/wow/asset?id=${EXAMPLE_TOKEN}`,
  getGeckoterminalPair: `/geckoterminal/wow/pair?id=${EXAMPLE_PAIR}`,
  getGeckoterminalEvents: '/geckoterminal/wow/events?fromBlock=456&toBlock=456',
  getDextoolsLatestBlock: '/dextools/wow/latest-block',
  getDextoolsBlock: '/dextools/wow/block?number=456',
  getDextoolsAsset: `/dextools/wow/asset?id=${EXAMPLE_TOKEN}`,
  getDextoolsHolders: `/dextools/wow/asset/holders?id=${EXAMPLE_TOKEN}`,
  getDextoolsExchange: `/dextools/wow/exchange?id=${EXAMPLE_FACTORY}`,
  getDextoolsPair: `/dextools/wow/pair?id=${EXAMPLE_PAIR}`,
  getDextoolsEvents: '/dextools/wow/events?fromBlock=456&toBlock=456',
  getCoingeckoTickers: '/coingecko/wow/tickers',
  getCoingeckoPairs: '/coingecko/wow/pairs',
  getCoingeckoTrades: `/coingecko/wow/historical_trades?ticker_id=${EXAMPLE_TOKEN}_${WETH}`,
  getUdfConfig: '/udf/config',
  getUdfSymbol: `/udf/symbols?symbol=${EXAMPLE_TOKEN}`,
  searchUdfSymbols: '/udf/search?query=alp&limit=1',
  getUdfHistory: `/udf/history?symbol=${EXAMPLE_TOKEN}&resolution=1&to=1795000200&countback=10`,
  getUdfMarks: `/udf/marks?symbol=${EXAMPLE_TOKEN}&from=0&to=1795000200&resolution=1`,
  getUdfTimescaleMarks: `/udf/timescale_marks?symbol=${EXAMPLE_TOKEN}&from=0&to=1795000200&resolution=1`,
  getHealth: '/api/indexer/health',
  listProcesses: '/api/indexer/health/processes',
  listActors: '/api/indexer/health/actors?limit=1',
  getActor: `/api/indexer/health/actors/${EXAMPLE_TOKEN}`,
  getAlive: '/healthz',
  getReady: '/readyz',
}
