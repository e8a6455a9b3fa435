import { keccak256 } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Address } from '#domain/address.ts'
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
  initialized,
  LIAR,
  LOCKER,
  logOf,
  MANAGER,
  mint,
  OTHER,
  OTHER_POOL,
  POOL,
  poolCreated,
  rowsOf,
  swap,
  TOKEN,
  UNISWAP,
  WETH,
} from '#test/support/forgery.ts'
import { claimed31, created4, created31, ID, swap4 } from '#test/support/launchpadLogs.ts'
import type { NewLog } from '#test/support/simulatedChain.ts'
import { transferLog } from '#test/support/simulatedLogs.ts'

// For every fact that an adapter believes, a log that lies about it. An honest token's rows must be the same with the lies as without.

const Q96 = 2n ** 96n
const FAKE_ID = keccak256('0x02')

const REWARD_ADDED = 'event TokenRewardAdded(uint256 lpTokenId, uint256 creatorReward, address indexed creator, address indexed interfacer)'

describe('clanker-v3.1', () => {
  const launchpad = entry('clanker-v3.1', { factory: FACTORY, locker: LOCKER, uniswapFactory: UNISWAP })
  const launch = [mint(FACTORY), poolCreated(POOL, WETH), initialized(POOL), rewardAdded(77n, 40n), created31()]
  const honest: readonly LogBlock[] = [[launch], [bought(POOL)], [[claimed([5n, 6n])]]]

  it('believes only the factory, the locker and the pool', async () => {
    await expectUnmoved(launchpad, honest, [
      by(LIAR, created31({ positionId: 78n, creator: LIAR })),
      by(LIAR, poolCreated(FAKE_POOL, WETH)),
      by(LIAR, rewardAdded(77n, 80n)),
      by(LIAR, claimed([10n ** 30n, 1n])),
      claimed([10n ** 30n, 1n], { lpTokenId: 99n }),
      ...bought(FAKE_POOL).slice(1),
      by(LIAR, bought(POOL)[1] as NewLog),
      by(LIAR, mint(LIAR)),
    ])
  })

  // A paired token that is called by the first buy makes a pool against WETH; another one was made before the token.
  it.each([
    ['WETH', WETH],
    ['the paired token itself', DOLLAR],
  ])('takes the pool that the factory made, whatever pools others make of the token in the same transaction: %s', async (_, quote) => {
    const worth = 999n * Q96
    const pools = (pool: Address) => [poolCreated(pool, WETH), initialized(pool, worth)]
    const [minted, made, opened, ...rest] = launch
    const first = [...pools(OTHER_POOL), minted, poolCreated(POOL, quote), opened, ...pools(FAKE_POOL), swap(FAKE_POOL, 1n, -1n, worth)]
    expect(made).toBeDefined()
    for (const atOnce of [1, 5]) {
      const { token, pools: known } = await rowsOf(launchpad, [[[...(first as NewLog[]), ...rest]], [bought(POOL)]], atOnce)
      expect(token).toMatchObject({ mainPool: POOL, tradeCount: 1, ...(quote === DOLLAR && { priceWeth: null, athPriceWeth: null }) })
      expect(known).toMatchObject([{ address: POOL, quoteToken: quote }])
    }
  })

  it('keeps two launches apart that are nested in one another', async () => {
    const inner = [
      mint(FACTORY, OTHER),
      poolCreated(OTHER_POOL, WETH, OTHER),
      initialized(OTHER_POOL),
      created31({ tokenAddress: OTHER, positionId: 88n, creator: LIAR }),
    ]
    const [minted, made, opened, ...rest] = launch as [NewLog, NewLog, NewLog, ...NewLog[]]
    const blocks = [[[minted, made, opened, ...inner, ...rest]], [bought(POOL)]]
    expect((await rowsOf(launchpad, blocks, 1)).token).toMatchObject({ mainPool: POOL, creator: CREATOR, tradeCount: 1 })
    expect((await rowsOf(launchpad, blocks, 1, OTHER)).token).toMatchObject({ mainPool: OTHER_POOL, creator: LIAR, tradeCount: 0 })
  })

  it('keeps a token as it was announced first', async () => {
    const again = [poolCreated(FAKE_POOL, WETH), initialized(FAKE_POOL), created31({ positionId: 78n, creator: LIAR })]
    const { token } = await rowsOf(launchpad, [...honest, [again]], 1)
    expect(token).toMatchObject({ mainPool: POOL, creator: CREATOR })
  })

  it("gives the creator's recipient the interface's share as well where it is the same account", async () => {
    const { token, creatorFees } = await rowsOf(
      launchpad,
      [[launch], [[claimed([5n, 6n], { interfaceRecipient: CREATOR })]], [[claimed([5n, 6n])]]],
      1,
    )
    expect(creatorFees.map(({ creator, claimed: paid }) => [creator, paid])).toEqual([
      [CREATOR, 16n],
      [CREATOR, 16n],
    ])
    expect(token?.feesClaimed).toBe(16n)
  })
})

const STORED = 'event StoreTokens(address indexed sender, address indexed feeOwner, address indexed token, uint256 balance, uint256 amount)'
const stored = (feeOwner: Address, balance: bigint) =>
  logOf(ESCROW, STORED, { sender: LOCKER, feeOwner, token: WETH, balance, amount: balance })

describe('clanker-v4', () => {
  const launchpad = entry('clanker-v4', { factory: FACTORY, feeLocker: ESCROW, poolManager: MANAGER })
  const launch = [mint(MANAGER), created4()]
  const honest: readonly LogBlock[] = [[launch], [[transferLog(TOKEN, MANAGER, BUYER, 10n ** 21n), swap4()], [stored(CREATOR, 9n)]]]

  it('believes only the factory, the fee locker and the PoolManager, and of that only the pool', async () => {
    await expectUnmoved(launchpad, honest, [
      by(LIAR, created4({ poolId: FAKE_ID, creator: LIAR })),
      swap4({ id: FAKE_ID, sqrtPriceX96: 999n * Q96 }),
      by(LIAR, swap4({ sqrtPriceX96: 999n * Q96 })),
      by(LIAR, stored(CREATOR, 10n ** 30n)),
      by(LIAR, mint(LIAR)),
    ])
  })

  it('keeps two launches apart that are nested in one another, and a token as it was announced first', async () => {
    const inner = [mint(MANAGER, OTHER), created4({ tokenAddress: OTHER, poolId: FAKE_ID, pairedToken: DOLLAR, creator: LIAR })]
    const again = [created4({ poolId: keccak256('0x03'), creator: LIAR })]
    const blocks: readonly LogBlock[] = [[[launch[0] as NewLog, ...inner, launch[1] as NewLog]], ...honest.slice(1), [again]]
    expect((await rowsOf(launchpad, blocks, 1)).token).toMatchObject({ mainPool: ID, creator: CREATOR, tradeCount: 1 })
    expect((await rowsOf(launchpad, blocks, 1, OTHER)).token).toMatchObject({ mainPool: FAKE_ID, creator: LIAR, priceWeth: null })
  })

  it('keeps the pool of the token that named it first', async () => {
    const thief = [mint(MANAGER, OTHER), created4({ tokenAddress: OTHER, pairedToken: DOLLAR, creator: LIAR })]
    const before = await rowsOf(launchpad, honest, 1)
    const after = await rowsOf(launchpad, [...honest, [thief]], 1)
    expect({ ...after, creatorFees: [] }).toEqual({ ...before, creatorFees: [] })
  })
})

function rewardAdded(lpTokenId: bigint, creatorReward: bigint) {
  return logOf(LOCKER, REWARD_ADDED, { lpTokenId, creatorReward, creator: CREATOR, interfacer: LIAR })
}

/** In both currencies the same. */
function claimed(amounts: readonly [creator: bigint, ofInterface: bigint], fields: Readonly<Record<string, unknown>> = {}) {
  const [creator, other] = amounts
  return claimed31({ creatorReward0: creator, creatorReward1: creator, interfaceReward0: other, interfaceReward1: other, ...fields })
}
