import { describe, expect, it } from 'vitest'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import type { LogBlock } from '#test/support/followLogs.ts'
import {
  BUYER,
  bought,
  by,
  CREATOR,
  DOLLAR,
  ESCROW,
  entry,
  expectUnmoved,
  FACTORY,
  FAKE_POOL,
  LIAR,
  logOf,
  MANAGER,
  mint,
  OTHER,
  POOL,
  poolCreated,
  rowsOf,
  TOKEN,
  UNISWAP,
  WETH,
} from '#test/support/forgery.ts'
import { coinCreated } from '#test/support/launchpadLogs.ts'
import type { NewLog } from '#test/support/simulatedChain.ts'
import { transferLog } from '#test/support/simulatedLogs.ts'
import {
  created,
  FAKE_ID,
  HOOK,
  ID,
  KEY,
  keyOf,
  metadataUpdated,
  migrated,
  NEW_HOOK,
  NEW_ID,
  ofCreatorCoin,
  Q96,
  ROUTER,
  recipientUpdated,
  renamed,
  rewarded,
  swapped,
  swapV4,
  vestingClaimed,
} from './zoraLogs.ts'

// What any account can make Zora's coins, hooks and the contracts around them say. An honest coin's rows are the same without it.

describe('zora-coins in Uniswap v4', () => {
  const launchpad = entry('zora-coins', { factory: FACTORY, poolManager: MANAGER, protocolRewards: ESCROW, uniswapFactory: UNISWAP })
  const launch = [mint(TOKEN), created('CreatorCoinCreated')]
  const buy = [transferLog(TOKEN, MANAGER, BUYER, 10n ** 21n), swapV4(ID)]
  const honest: readonly LogBlock[] = [[launch], [[...buy, rewarded(9n), swapped(BUYER, true)]], [[vestingClaimed(5n)]]]

  it('believes only the factory, the coin, its hook and its pool', async () => {
    await expectUnmoved(launchpad, honest, [
      by(LIAR, created('CoinCreatedV4', { id: FAKE_ID, creator: LIAR })),
      swapV4(FAKE_ID, 999n * Q96),
      by(LIAR, swapV4(ID, 999n * Q96)),
      rewarded(10n ** 30n, TOKEN, LIAR),
      rewarded(10n ** 30n, OTHER),
      by(LIAR, ofCreatorCoin(10n ** 30n)),
      by(LIAR, migrated(FAKE_ID, LIAR)),
      by(LIAR, vestingClaimed(10n ** 30n)),
      by(LIAR, recipientUpdated(CREATOR, LIAR)),
      by(LIAR, mint(LIAR)),
      by(LIAR, renamed('Liar', 'LIE')),
      by(LIAR, metadataUpdated('ipfs://lie')),
    ])
  })

  it('has the name and the metadata that the coin itself reports, within the bounds of texts', async () => {
    const { token } = await rowsOf(
      launchpad,
      [[launch], [[renamed(`\0${'n'.repeat(2_000)}`, 'NEW')]], [[metadataUpdated('ipfs://new\0')]]],
      1,
    )
    expect(token).toMatchObject({ name: 'n'.repeat(512), symbol: 'NEW', metadataUri: 'ipfs://new' })
  })

  it('has the metadata that a trend coin reports while it is created', async () => {
    const signature = `event TrendCoinCreated(address indexed caller, string symbol, address coin, ${KEY} poolKey, bytes32 poolKeyHash, bytes poolConfig, string version)`
    const poolKey = keyOf(TOKEN, WETH, HOOK)
    const trend = logOf(FACTORY, signature, {
      caller: CREATOR,
      symbol: 'TREND',
      coin: TOKEN,
      poolKey,
      poolKeyHash: ID,
      version: '1',
    })
    const { token } = await rowsOf(
      launchpad,
      [[[by(LIAR, metadataUpdated('ipfs://lie')), mint(TOKEN), metadataUpdated('ipfs://trend'), trend]]],
      1,
    )
    expect(token).toMatchObject({ name: 'TREND', symbol: 'TREND', metadataUri: 'ipfs://trend', creator: CREATOR, mainPool: ID })
    expect((await rowsOf(launchpad, [[[mint(TOKEN), trend]]], 1)).token).toMatchObject({ metadataUri: null, mainPool: ID })
  })

  it('counts rewards once that a hook reports twice, and those of hooks that report them in one event alone', async () => {
    const accruedOf = async (...logs: readonly NewLog[]) => (await rowsOf(launchpad, [[launch], [logs]], 1)).token?.feesAccrued
    expect(await accruedOf(rewarded(9n))).toBe(9n)
    expect(await accruedOf(rewarded(9n), ofCreatorCoin(9n))).toBe(9n)
    expect(await accruedOf(rewarded(9n), ofCreatorCoin(9n), rewarded(4n), ofCreatorCoin(4n))).toBe(13n)
    expect(await accruedOf(ofCreatorCoin(9n), ofCreatorCoin(4n))).toBe(13n)
  })

  it('takes the swapper whom a trusted router names where transfers show none or a contract, also for the fees that the hook swaps', async () => {
    const makersOf = async (...logs: readonly NewLog[]) => (await rowsOf(launchpad, [[launch], [logs]], 1)).trades.map(({ maker }) => maker)
    const netted = [swapV4(ID), swapV4(ID, Q96, HOOK)]
    expect(await makersOf(...netted, swapped(BUYER, true))).toEqual([BUYER, BUYER])
    expect(await makersOf(...netted, swapped(BUYER, true), swapV4(ID), swapped(CREATOR, true))).toEqual([BUYER, BUYER, CREATOR])
    const toHook = [transferLog(TOKEN, MANAGER, HOOK, 10n ** 21n), swapV4(ID)]
    expect(await makersOf(...toHook, swapped(BUYER, true))).toEqual([BUYER])
    // One that is not trusted may name any account. The sender of the transaction is asked for, and none is known here.
    expect(await makersOf(...netted, swapped(LIAR, false))).toEqual([ROUTER, HOOK])
    expect(await makersOf(...netted, swapped(LIAR, true, LIAR))).toEqual([ROUTER, HOOK])
    expect(await makersOf(...toHook, swapped(LIAR, false))).toEqual([HOOK])
    expect(await makersOf(transferLog(TOKEN, MANAGER, BUYER, 10n ** 21n), swapV4(ID), swapped(LIAR, true))).toEqual([BUYER])
  })

  it('follows a market into the pool of another hook, and only its own coin there', async () => {
    const opened: NewLog = logOf(
      MANAGER,
      'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
      { id: NEW_ID, ...keyOf(TOKEN, WETH, NEW_HOOK), sqrtPriceX96: Q96, tick: 0 },
    )
    const other = [mint(OTHER, OTHER), created('CoinCreatedV4', { coin: OTHER, id: FAKE_ID, creator: LIAR })]
    for (const atOnce of [1, 5]) {
      const blocks: readonly LogBlock[] = [
        [launch, other],
        [buy],
        [[opened, migrated(NEW_ID, NEW_HOOK)]],
        [[transferLog(TOKEN, MANAGER, BUYER, 10n ** 21n), swapV4(NEW_ID, 4n * Q96), rewarded(3n, TOKEN, NEW_HOOK)]],
        // The liar's coin claims the honest one's pools.
        [[migrated(NEW_ID, LIAR, OTHER)], [migrated(ID, LIAR, OTHER)]],
      ]
      const { token, pools, trades } = await rowsOf(launchpad, blocks, atOnce)
      expect(token).toMatchObject({ mainPool: NEW_ID, feesAccrued: 3n, graduationStatus: 'none' })
      expect(pools.map(({ address, feeBps }) => [address, feeBps])).toEqual([
        [ID, 100],
        [NEW_ID, 100],
      ])
      expect(trades.map(({ pool }) => pool)).toEqual([ID, NEW_ID])
      expect((await rowsOf(launchpad, blocks, atOnce, OTHER)).token).toMatchObject({ mainPool: FAKE_ID, tradeCount: 0 })
    }
  })

  it('lets the vesting pass to another recipient, and gives none to a coin that does not vest', async () => {
    const feesOf = async (launched: NewLog, ...logs: readonly NewLog[]) =>
      (await rowsOf(launchpad, [[[mint(TOKEN), launched]], ...logs.map(log => [[log]])], 1)).creatorFees.map(fee => [
        fee.creator,
        fee.accrued,
        fee.claimed,
      ])
    const creatorCoin = created('CreatorCoinCreated')
    expect(await feesOf(creatorCoin, vestingClaimed(5n), recipientUpdated(CREATOR, BUYER), vestingClaimed(2n, BUYER))).toEqual([
      [CREATOR, 5n, 5n],
      [BUYER, null, 2n],
    ])
    expect(await feesOf(creatorCoin, vestingClaimed(5n), recipientUpdated(CREATOR, BUYER), recipientUpdated(BUYER, CREATOR))).toEqual([
      [CREATOR, null, 5n],
      [BUYER, 0n, 0n],
    ])
    expect(await feesOf(created('CoinCreatedV4'), recipientUpdated(CREATOR, BUYER))).toEqual([])
    expect(await feesOf(creatorCoin, recipientUpdated(ZERO_ADDRESS, CREATOR))).toEqual([[CREATOR, null, 0n]])
  })

  it.each([
    ['2.2.9', 5 * 365],
    ['2.3.0', 5 * 365.25],
    ['2.10.0', 5 * 365.25],
    ['3.0.0', 5 * 365.25],
    ['1.1.2', 5 * 365],
    ['', null],
    ['two', null],
  ])('knows from the version %j of a creator coin that it vests over %s days', async (version, days) => {
    const { token } = await rowsOf(launchpad, [[[mint(TOKEN), created('CreatorCoinCreated', { version })]]], 1)
    expect(token?.vestingEndsAt).toBe(days === null ? null : (token?.createdAt ?? 0) + days * 86_400)
    expect(token?.vestingClaimed).toBe(0n)
  })

  it('keeps two launches apart that are nested in one another, and a coin as it was announced first', async () => {
    const inner = [mint(OTHER, OTHER), created('CoinCreatedV4', { coin: OTHER, currency: DOLLAR, id: FAKE_ID, creator: LIAR })]
    const again = [created('CoinCreatedV4', { id: NEW_ID, creator: LIAR })]
    const blocks: readonly LogBlock[] = [[[launch[0] as NewLog, ...inner, launch[1] as NewLog]], [buy], [again]]
    expect((await rowsOf(launchpad, blocks, 1)).token).toMatchObject({ mainPool: ID, creator: CREATOR, tradeCount: 1 })
    expect((await rowsOf(launchpad, blocks, 1, OTHER)).token).toMatchObject({ mainPool: FAKE_ID, creator: LIAR, priceWeth: null })
  })
})

describe('zora-coins in Uniswap v3', () => {
  const launchpad = entry('zora-coins', { factory: FACTORY, poolManager: MANAGER, protocolRewards: ESCROW, uniswapFactory: UNISWAP })
  const createdV3 = (pool: Address, currency = WETH) => coinCreated({ pool, currency })
  const traded = (amount: bigint, currency = WETH): NewLog =>
    logOf(
      TOKEN,
      'event CoinTradeRewards(address indexed payoutRecipient, address indexed platformReferrer, address indexed tradeReferrer, address protocolRewardRecipient, uint256 creatorReward, uint256 platformReferrerReward, uint256 traderReferrerReward, uint256 protocolReward, address currency)',
      {
        payoutRecipient: CREATOR,
        platformReferrer: LIAR,
        tradeReferrer: LIAR,
        protocolRewardRecipient: LIAR,
        creatorReward: amount,
        platformReferrerReward: 1n,
        traderReferrerReward: 1n,
        protocolReward: 1n,
        currency,
      },
    )
  const deposited = (from: Address, amount: bigint): NewLog =>
    logOf(ESCROW, 'event Deposit(address indexed from, address indexed to, bytes4 indexed reason, uint256 amount, string comment)', {
      from,
      to: CREATOR,
      reason: '0x12345678',
      amount,
    })

  it('believes only the factory, the coin, its pool and the escrow', async () => {
    const honest: readonly LogBlock[] = [
      [[mint(TOKEN), poolCreated(POOL, WETH), createdV3(POOL)]],
      [[...bought(POOL), deposited(TOKEN, 7n), traded(7n)]],
    ]
    await expectUnmoved(launchpad, honest, [
      by(LIAR, createdV3(FAKE_POOL)),
      by(LIAR, poolCreated(FAKE_POOL, WETH)),
      by(LIAR, traded(10n ** 30n)),
      by(LIAR, deposited(TOKEN, 10n ** 30n)),
      ...bought(FAKE_POOL).slice(1),
    ])
    expect((await rowsOf(launchpad, honest, 1)).token).toMatchObject({ feesAccrued: 7n, feesClaimed: null })
  })

  it('takes the pool that the factory names, whatever pools others make in the same transaction', async () => {
    for (const quote of [WETH, DOLLAR]) {
      const logs = [mint(TOKEN), poolCreated(FAKE_POOL, WETH), poolCreated(POOL, quote), createdV3(POOL, quote)]
      const { pools, token } = await rowsOf(launchpad, [[logs], [bought(POOL), [traded(7n, quote)]]], 1)
      expect(pools).toMatchObject([{ address: POOL, quoteToken: quote, feeBps: 100 }])
      expect(token).toMatchObject({ mainPool: POOL, feesAccrued: quote === WETH ? 7n : null })
    }
  })
})
