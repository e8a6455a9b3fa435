import { describe, expect, test } from 'vitest'
import type { Address } from '#domain/address.ts'
import { sharedCurveOf } from '#domain/trade.ts'
import { type SelectedToken, toToken } from '#store/reads/toToken.ts'

const bytes = (byte: string, count: number) => `0x${byte.repeat(count)}` as Address
const ADDRESS = bytes('ab', 20)

describe('a stored token', () => {
  // The key of a curve in a shared contract went over the wire as 32 bytes, which no explorer finds.
  test.each([
    ['a contract', bytes('05', 20), bytes('05', 20)],
    ['a curve in a shared contract', sharedCurveOf(ADDRESS), ADDRESS],
    ['a pool of Uniswap v4', bytes('05', 32), bytes('05', 32)],
  ])('names %s as its pool', (_, key, shown) => {
    const pool = { 'pool.address': key, 'pool.type': 'curve', 'pool.quoteToken': ADDRESS, 'pool.reserveQuote': '1' } as const
    expect(toToken({ ...row, ...pool } as SelectedToken, 8453).pool?.address).toBe(shown)
  })

  test('goes over the wire with plain decimals, exact integers and times to the millisecond', () => {
    expect(toToken(row, 8453)).toEqual({
      chainId: 8453,
      address: ADDRESS,
      symbol: 'ALP',
      name: 'Alpha',
      decimals: 18,
      totalSupply: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
      creator: `0x${'01'.repeat(20)}`,
      admin: null,
      launchpad: 'wow',
      createdAt: '2023-11-14T22:13:20.000Z',
      createdBlock: '9007199254740991',
      createdTxHash: `0x${'02'.repeat(32)}`,
      metadataUri: null,
      imageUrl: null,
      description: null,
      links: [{ kind: 'x', url: 'https://x.com/token' }],
      surface: 'bankr',
      early: { sniperPercent: 49.9999, bundlerPercent: null, insiderPercent: 0, creatorPercent: 0 },
      market: {
        priceQuote: null,
        priceWeth: '0.00000001234',
        priceUsd: null,
        marketCapWeth: '12.34',
        marketCapUsd: null,
        liquidityWeth: '100',
        liquidityUsd: null,
        volumeWeth: { m5: '0', h1: '1.5', h6: '0.000000000000000001', h24: '40' },
        buyVolumeWeth: { m5: '0', h1: '1', h6: '0.000000000000000001', h24: '10' },
        sellVolumeWeth: { m5: '0', h1: '0.5', h6: '0', h24: '30' },
        priceChange: { m5: 0.1, h1: -2.5, h6: null, h24: 12 },
        trades: {
          m5: { buys: 0, sells: 4, buyers: 0, sellers: 3 },
          h1: { buys: 1, sells: 5, buyers: 1, sellers: 3 },
          h6: { buys: 2, sells: 6, buyers: 2, sellers: 4 },
          h24: { buys: 3, sells: 7, buyers: 2, sellers: 4 },
        },
        tradeCount: 812,
        holderCount: 93,
        lastTradeAt: '2023-11-14T22:13:21.000Z',
        athPriceWeth: '0.00000002',
        athPriceUsd: '0.00006',
      },
      pool: null,
      fees: { creatorFeeBps: 50, accruedWeth: '0.41', claimedWeth: '0.1', claimableWeth: '0.31' },
      graduation: {
        status: 'migrated',
        percent: 100,
        raisedWeth: '4.2',
        targetWeth: '4.2',
        completedAt: '2023-11-14T22:13:22.000Z',
        migratedAt: '2023-11-14T22:13:23.000Z',
        poolAddress: `0x${'03'.repeat(20)}`,
        txHash: `0x${'04'.repeat(32)}`,
      },
      sequence: 1795000000123,
      asOfBlock: '456',
      updatedAt: '2026-11-18T11:06:40.122Z',
    })
  })

  test('has null, never zero, for what is not known', () => {
    const unknown = toToken(
      { ...row, priceWeth: null, feesAccrued: null, raised: null, target: null, completedAt: null, lastTradeAt: null },
      1,
    )
    expect(unknown.market.priceWeth).toBeNull()
    expect(unknown.market.lastTradeAt).toBeNull()
    expect(unknown.fees).toMatchObject({ accruedWeth: null, claimedWeth: '0.1', claimableWeth: null })
    expect(unknown.graduation).toMatchObject({ raisedWeth: null, targetWeth: null, completedAt: null })
  })

  test('has its price in whole units of the quote currency, whatever its decimals', () => {
    const priceAt = (decimals: number | null) =>
      toToken({ ...row, priceQuote: '0.00000000000250', 'quote.decimals': decimals }, 1).market.priceQuote
    expect([18, 6, 0, 36, null].map(priceAt)).toEqual(['0.0000000000025', '2.5', '2500000', `0.${'0'.repeat(29)}25`, null])
  })

  test('has what a curve raised in another currency at what that was worth', () => {
    const raisedAt = (quoteRate: string | null) => toToken({ ...row, quoteRate, raised: '1500000', target: '3000000' }, 1).graduation
    expect(raisedAt('333333333.5')).toMatchObject({ raisedWeth: '0.00050000000025', targetWeth: '0.0010000000005' })
    expect(raisedAt(null)).toMatchObject({ raisedWeth: null, targetWeth: null })
  })

  test('has no volume where its trades were never priced in WETH, and none is zero before the first trade', () => {
    const volumeOf = (tradeCount: number, firstPriceWeth: string | null) =>
      toToken({ ...row, tradeCount, firstPriceWeth }, 1).market.volumeWeth
    expect(volumeOf(5, null)).toEqual({ m5: null, h1: null, h6: null, h24: null })
    expect(volumeOf(0, null).m5).toBe('0')
    expect(volumeOf(5, '1').m5).toBe('0')
  })
})

/** A row as the driver returns it: `numeric` as text. */
const row: SelectedToken = {
  address: ADDRESS,
  launchpad: 'wow',
  symbol: 'ALP',
  name: 'Alpha',
  decimals: 18,
  totalSupply: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
  creator: bytes('01', 20),
  createdAt: 1700000000,
  createdBlock: 9007199254740991,
  createdTxHash: bytes('02', 32),
  metadataUri: null,
  imageUri: null,
  admin: null,
  imageUrl: null,
  description: null,
  links: '[{"url": "https://x.com/token", "kind": "x"}]',
  surface: 'bankr',
  creatorHeld: '0',
  sniperHeld: '57896044618658097711785492504343953926634992332820282019728792003956564819967',
  bundlerHeld: null,
  insiderHeld: '1',
  priceQuote: '0.00000001234000',
  quoteToken: null,
  quoteRate: '1',
  quoteUsd: null,
  priceWeth: '0.00000001234000',
  firstPriceWeth: '0.00000001',
  athPriceWeth: '0.00000002',
  athPriceUsd: '0.000060',
  marketCapWeth: '12.3400',
  liquidityWeth: '100',
  tradeCount: 812,
  holderCount: 93,
  lastTradeAt: 1700000001,
  volumeM5: '0',
  volumeH1: '1500000000000000000',
  volumeH6: '1',
  volumeH24: '40000000000000000000',
  buyVolumeM5: '0',
  buyVolumeH1: '1000000000000000000',
  buyVolumeH6: '1',
  buyVolumeH24: '10000000000000000000',
  buysM5: 0,
  buysH1: 1,
  buysH6: 2,
  buysH24: 3,
  sellsM5: 4,
  sellsH1: 5,
  sellsH6: 6,
  sellsH24: 7,
  buyersM5: 0,
  buyersH1: 1,
  buyersH6: 2,
  buyersH24: 2,
  sellersM5: 3,
  sellersH1: 3,
  sellersH6: 4,
  sellersH24: 4,
  priceChangeM5: 0.1,
  priceChangeH1: -2.5,
  priceChangeH6: null,
  priceChangeH24: 12,
  creatorFeeBps: 50,
  feesAccrued: '410000000000000000',
  feesClaimed: '100000000000000000',
  graduationStatus: 'migrated',
  graduationPercent: 100,
  raised: '4200000000000000000',
  target: '4200000000000000000',
  completedAt: 1700000002,
  migratedAt: 1700000003,
  graduatedPool: bytes('03', 20),
  graduationTxHash: bytes('04', 32),
  sequence: 1795000000123,
  asOfBlock: 456,
  updatedAtMs: 1795000000122,
  'pool.address': null,
  'quote.symbol': null,
  'quote.decimals': null,
}
