import { type Address, type Hex, toAddress } from '#domain/address.ts'
import { FIRST_PLACE } from '#domain/eventPlace.ts'
import type { Holder } from '#resources/holders.ts'
import type { Token, TokenSnapshot } from '#resources/token.ts'
import type { RecentTrades, Trade } from '#resources/trades.ts'

/** The n-th test address: `addressOf(1)` is 0x00…01. */
export function addressOf(n: number): Address {
  return toAddress(`0x${n.toString(16).padStart(40, '0')}`)
}

export function hashOf(n: number): Hex {
  return `0x${n.toString(16).padStart(64, '0')}`
}

/** A plausible state of a token at a sequence; every field can be overridden. */
export function snapshotOf(address: Address, sequence: number, overrides: Partial<Token> = {}): TokenSnapshot {
  return { token: tokenOf(address, sequence, overrides), recent: recentOf([tradeOf(address)]), holders: holdersOf(20) }
}

/** These are all trades of the token, and there was no reorg. */
export function recentOf(trades: readonly Trade[]): RecentTrades {
  return { trades, after: FIRST_PLACE, reorgs: 0, voidFrom: [] }
}

export function tokenOf(address: Address, sequence: number, overrides: Partial<Token> = {}): Token {
  return {
    chainId: 8453,
    address,
    symbol: 'ALP',
    name: 'Alpha',
    decimals: 18,
    totalSupply: '1000000000000000000000000000',
    creator: addressOf(0xc0),
    admin: null,
    launchpad: 'wow',
    createdAt: '2026-01-02T03:04:05.000Z',
    createdBlock: '123',
    createdTxHash: hashOf(1),
    metadataUri: 'ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi',
    imageUrl: null,
    description: null,
    links: [],
    surface: null,
    market: {
      priceQuote: '0.00000001234',
      priceWeth: '0.00000001234',
      priceUsd: null,
      marketCapWeth: '12.34',
      marketCapUsd: null,
      liquidityWeth: '4.2',
      liquidityUsd: null,
      volumeWeth: { m5: '0', h1: '1.5', h6: '9', h24: '40' },
      buyVolumeWeth: { m5: '0', h1: '1', h6: '5', h24: '25' },
      sellVolumeWeth: { m5: '0', h1: '0.5', h6: '4', h24: '15' },
      priceChange: { m5: 0.1, h1: -2.5, h6: null, h24: 12 },
      trades: {
        m5: { buys: 0, sells: 0, buyers: 0, sellers: 0 },
        h1: { buys: 3, sells: 1, buyers: 2, sellers: 1 },
        h6: { buys: 9, sells: 4, buyers: 7, sellers: 3 },
        h24: { buys: 90, sells: 40, buyers: 61, sellers: 33 },
      },
      tradeCount: 812,
      holderCount: 93,
      lastTradeAt: '2026-01-02T03:04:07.000Z',
      athPriceWeth: '0.00000002',
      athPriceUsd: '0.00006',
    },
    pool: {
      address: addressOf(0xb0),
      type: 'curve',
      quoteToken: addressOf(0xee),
      quoteSymbol: 'WETH',
      quoteDecimals: 18,
      feeBps: 100,
      reserveToken: '793000000000000000000000000',
      reserveQuote: '4200000000000000000',
      sqrtPriceX96: null,
      tick: null,
      liquidity: null,
    },
    fees: { creatorFeeBps: 50, accruedWeth: '0.41', claimedWeth: '0.1', claimableWeth: '0.31' },
    graduation: {
      status: 'bonding',
      percent: 41.2,
      raisedWeth: '1.7',
      targetWeth: '4.2',
      completedAt: null,
      migratedAt: null,
      poolAddress: null,
      txHash: null,
    },
    early: { sniperPercent: 2.4, bundlerPercent: 0, insiderPercent: 0.8333, creatorPercent: 3.1 },
    sequence,
    asOfBlock: '456',
    updatedAt: '2026-01-02T03:04:08.123Z',
    ...overrides,
  }
}

export function tradeOf(token: Address): Trade {
  return {
    id: '456-12',
    token,
    pool: addressOf(0xb0),
    phase: 'curve',
    side: 'buy',
    maker: addressOf(0xd0),
    amountToken: '5000000000000000000000',
    amountQuote: '61700000000000',
    amountWeth: '0.0000617',
    priceWeth: '0.00000001234',
    priceAfterWeth: '0.00000001234',
    priceUsd: null,
    valueUsd: null,
    feeWeth: '0.000000617',
    blockNumber: '456',
    blockHash: hashOf(2),
    txHash: hashOf(3),
    txIndex: 3,
    logIndex: 12,
    timestamp: '2026-01-02T03:04:07.000Z',
  }
}

export function holdersOf(count: number): readonly Holder[] {
  return Array.from({ length: count }, (_, index) => ({
    rank: index + 1,
    address: addressOf(0x1000 + index),
    balance: '12500000000000000000000000',
    percent: 1.25,
    type: 'wallet' as const,
    lastChangedBlock: '456',
    classes: [],
  }))
}
