import { describe, expect, test } from 'vitest'
import { type TokenRow, toToken } from '#store/reads/tokenRow.ts'

const bytes = (text: string) => Buffer.from(text, 'hex')
const ADDRESS = 'ab'.repeat(20)

/** A row as the driver gives it: `bigint` and `numeric` as text. */
const row: TokenRow = {
  address: bytes(ADDRESS),
  launchpad: 'wow',
  symbol: 'ALP',
  name: 'Alpha',
  decimals: 18,
  total_supply: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
  creator: bytes('01'.repeat(20)),
  created_at: '1700000000',
  created_block: '9007199254740991',
  created_tx_hash: bytes('02'.repeat(32)),
  metadata_uri: null,
  image_url: null,
  description: null,
  price_weth: '0.00000001234000',
  first_price_weth: '0.00000001',
  ath_price_weth: '0.00000002',
  market_cap_weth: '12.3400',
  liquidity_weth: '100',
  trade_count: 812,
  holder_count: 93,
  last_trade_at: '1700000001',
  volume_m5: '0',
  volume_h1: '1500000000000000000',
  volume_h6: '1',
  volume_h24: '40000000000000000000',
  buys_m5: 0,
  buys_h1: 1,
  buys_h6: 2,
  buys_h24: 3,
  sells_m5: 4,
  sells_h1: 5,
  sells_h6: 6,
  sells_h24: 7,
  price_change_m5: 0.1,
  price_change_h1: -2.5,
  price_change_h6: null,
  price_change_h24: 12,
  creator_fee_bps: 50,
  fees_accrued: '410000000000000000',
  fees_claimed: '100000000000000000',
  graduation_status: 'migrated',
  graduation_percent: 100,
  raised: '4200000000000000000',
  target: '4200000000000000000',
  completed_at: '1700000002',
  migrated_at: '1700000003',
  graduated_pool: bytes('03'.repeat(20)),
  graduation_tx_hash: bytes('04'.repeat(32)),
  sequence: '1795000000123',
  as_of_block: '456',
  updated_at_ms: '1795000000122',
  pool_address: null,
  pool_type: null,
  pool_quote_token: null,
  pool_fee_bps: null,
  pool_reserve_token: null,
  pool_reserve_quote: null,
  pool_sqrt_price_x96: null,
  pool_tick: null,
  pool_liquidity: null,
}

describe('a stored token', () => {
  test('goes over the wire with plain decimals, exact integers and times to the millisecond', () => {
    expect(toToken(row, 8453)).toEqual({
      chainId: 8453,
      address: `0x${ADDRESS}`,
      symbol: 'ALP',
      name: 'Alpha',
      decimals: 18,
      totalSupply: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
      creator: `0x${'01'.repeat(20)}`,
      launchpad: 'wow',
      createdAt: '2023-11-14T22:13:20.000Z',
      createdBlock: '9007199254740991',
      createdTxHash: `0x${'02'.repeat(32)}`,
      metadataUri: null,
      imageUrl: null,
      description: null,
      market: {
        priceWeth: '0.00000001234',
        priceUsd: null,
        marketCapWeth: '12.34',
        marketCapUsd: null,
        liquidityWeth: '100',
        liquidityUsd: null,
        volumeWeth: { m5: '0', h1: '1.5', h6: '0.000000000000000001', h24: '40' },
        priceChange: { m5: 0.1, h1: -2.5, h6: null, h24: 12 },
        trades: { m5: { buys: 0, sells: 4 }, h1: { buys: 1, sells: 5 }, h6: { buys: 2, sells: 6 }, h24: { buys: 3, sells: 7 } },
        tradeCount: 812,
        holderCount: 93,
        lastTradeAt: '2023-11-14T22:13:21.000Z',
        athPriceWeth: '0.00000002',
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
      { ...row, price_weth: null, fees_accrued: null, raised: null, target: null, completed_at: null, last_trade_at: null },
      1,
    )
    expect(unknown.market.priceWeth).toBeNull()
    expect(unknown.market.lastTradeAt).toBeNull()
    expect(unknown.fees).toMatchObject({ accruedWeth: null, claimedWeth: '0.1', claimableWeth: null })
    expect(unknown.graduation).toMatchObject({ raisedWeth: null, targetWeth: null, completedAt: null })
  })

  test('has no volume where its trades were never priced in WETH, and none is zero before the first trade', () => {
    const volumeOf = (trade_count: number, first_price_weth: string | null) =>
      toToken({ ...row, trade_count, first_price_weth }, 1).market.volumeWeth
    expect(volumeOf(5, null)).toEqual({ m5: null, h1: null, h6: null, h24: null })
    expect(volumeOf(0, null).m5).toBe('0')
    expect(volumeOf(5, '1').m5).toBe('0')
  })
})
