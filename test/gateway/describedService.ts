import { hash } from 'node:crypto'
import { type Address, type Hex, toAddress } from '#domain/address.ts'
import type { TokenSnapshot } from '#domain/token.ts'
import { snapshotOf } from '#test/support/snapshots.ts'
import type { Conditions, GatewayOptions } from './startGateway.ts'

/* A token with everything that belongs to it, for the examples of the descriptions. */

const accountOf = (name: string): Address => toAddress(`0x${hash('sha1', name)}`)
const hashNamed = (name: string): Hex => `0x${hash('sha256', name)}`

export const EXAMPLE_TOKEN = accountOf('token')
export const EXAMPLE_CREATOR = accountOf('creator')
const WETH = toAddress('0x4200000000000000000000000000000000000006')

export function exampleSnapshot(): TokenSnapshot {
  const { token, latestTrade } = snapshotOf(EXAMPLE_TOKEN, 1_795_000_000_123)
  const curve = accountOf('curve')
  return {
    token: {
      ...token,
      creator: EXAMPLE_CREATOR,
      createdTxHash: hashNamed('launch'),
      pool: token.pool === null ? null : { ...token.pool, address: curve, quoteToken: WETH },
    },
    latestTrade:
      latestTrade === null
        ? null
        : { ...latestTrade, pool: curve, maker: accountOf('maker'), blockHash: hashNamed('block'), txHash: hashNamed('trade') },
    holders: [
      { rank: 1, address: curve, balance: '793000000000000000000000000', percent: 79.3, type: 'curve', lastChangedBlock: '456' },
      {
        rank: 2,
        address: accountOf('maker'),
        balance: '5000000000000000000000',
        percent: 0.0005,
        type: 'wallet',
        lastChangedBlock: '456',
      },
    ],
  }
}

export function exampleStored(): NonNullable<GatewayOptions['stored']> {
  const { token, latestTrade, holders } = exampleSnapshot()
  return {
    tokens: [token],
    trades: latestTrade === null ? [] : [latestTrade],
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
    claimables: [
      {
        token: EXAMPLE_TOKEN,
        creator: EXAMPLE_CREATOR,
        asOfBlock: '456',
        claimable: [
          {
            currency: WETH,
            symbol: 'WETH',
            decimals: 18,
            accrued: '410000000000000000',
            claimed: '100000000000000000',
            amount: '310000000000000000',
            amountUsd: null,
            scope: 'token',
            claim: { to: accountOf('escrow'), data: '0x4e71d92d' },
          },
        ],
      },
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

/** A request for each route whose answer is JSON, by its `operationId`. */
export const EXAMPLE_REQUESTS: Readonly<Record<string, string>> = {
  listTokens: '/api/tokens?sort=marketCap&limit=1',
  getToken: `/api/tokens/${EXAMPLE_TOKEN}`,
  listTrades: `/api/tokens/${EXAMPLE_TOKEN}/trades?limit=1`,
  listHolders: `/api/tokens/${EXAMPLE_TOKEN}/holders?limit=2`,
  listCandles: `/api/tokens/${EXAMPLE_TOKEN}/candles?interval=1m&limit=1`,
  getClaimable: `/api/tokens/${EXAMPLE_TOKEN}/claimable?creator=${EXAMPLE_CREATOR}`,
  listMarketTrades: '/api/trades?minWeth=0.1&limit=1',
  listWalletTrades: `/api/wallets/${accountOf('maker')}/trades?limit=1`,
  listLaunchpads: '/api/launchpads',
  searchTokens: '/api/search?q=alp&limit=1',
  getEthUsd: '/api/market/eth-usd',
  getChainStats: '/api/chain-stats',
  getTotalSupply: `/api/tokens/${EXAMPLE_TOKEN}/supply/total`,
  getCirculatingSupply: `/api/tokens/${EXAMPLE_TOKEN}/supply/circulating`,
  getUdfConfig: '/udf/config',
  getUdfSymbol: `/udf/symbols?symbol=${EXAMPLE_TOKEN}`,
  searchUdfSymbols: '/udf/search?query=alp&limit=1',
  getUdfHistory: `/udf/history?symbol=${EXAMPLE_TOKEN}&resolution=1&to=1795000200&countback=10`,
  getUdfMarks: `/udf/marks?symbol=${EXAMPLE_TOKEN}&from=0&to=1795000200&resolution=1`,
  getUdfTimescaleMarks: `/udf/timescale_marks?symbol=${EXAMPLE_TOKEN}&from=0&to=1795000200&resolution=1`,
  getHealth: '/api/indexer/health',
  listActors: '/api/indexer/health/actors?limit=1',
  getActor: `/api/indexer/health/actors/${EXAMPLE_TOKEN}`,
  getAlive: '/healthz',
  getReady: '/readyz',
}
