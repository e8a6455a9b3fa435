import { type Hex, toEventSelector, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { creatorFeeKey } from '#domain/claimable.ts'
import { formatDecimal, parseDecimal } from '#domain/decimal.ts'
import { followLogs, type LogBlock } from '#test/support/followLogs.ts'
import {
  BUYER,
  CREATOR,
  ESCROW,
  entry,
  FACTORY,
  initialized,
  LOCKER,
  logOf,
  MANAGER,
  POOL,
  poolCreated,
  swap,
  TOKEN,
  UNISWAP,
  WETH,
} from '#test/support/forgery.ts'
import { buyWow, claimed31, created4, created31, createdWow, ID, initialized4, liquidity4, swap4 } from '#test/support/launchpadLogs.ts'
import { type NewLog, testAddress } from '#test/support/simulatedChain.ts'
import { topic, transferLog, words } from '#test/support/simulatedLogs.ts'

const DEAD = `0x${'0'.repeat(36)}dead` as Address
const Q96 = 2n ** 96n
const SUPPLY = 10n ** 29n
const V31 = entry('clanker-v3.1', { factory: FACTORY, locker: LOCKER, uniswapFactory: UNISWAP })
const V4 = entry('clanker-v4', { factory: FACTORY, feeLocker: ESCROW, poolManager: MANAGER })
const WOW = entry('wow', { factory: FACTORY, protocolRewards: ESCROW })

const mint = transferLog(TOKEN, ZERO_ADDRESS, POOL, SUPPLY)
/** Deploys a contract that looks like the factory. */
const POSITIONS = testAddress(16)

describe('clanker-v3.1', () => {
  it('counts what a token does in its block before its announcement and after, in any transaction', async () => {
    const before = [transferLog(TOKEN, POOL, BUYER, 10n ** 21n), swap(POOL, -(10n ** 21n), 10n ** 18n)]
    const after = [transferLog(TOKEN, BUYER, DEAD, 3n), transferLog(TOKEN, BUYER, ZERO_ADDRESS, 4n)]
    const { token, trades, balances } = await follow(V31, [
      [[mint], before, [poolCreated(POOL, WETH), initialized(POOL), created31()], after],
    ])
    expect(token).toMatchObject({ totalSupply: SUPPLY - 4n, tradeCount: 1, holderCount: 3, mainPool: POOL })
    expect(trades).toMatchObject([{ side: 'buy', maker: BUYER, amountWei: 10n ** 18n }])
    expect(balances.get(`${TOKEN}${DEAD}`)).toMatchObject({ balance: 3n, type: 'burn' })
    expect(balances.has(`${TOKEN}${ZERO_ADDRESS}`)).toBe(false)
  })

  it('gives no WETH prices where the pair is another, in either order, and knows what is claimed of it', async () => {
    for (const quote of [testAddress(400), testAddress(700)]) {
      const { token, trades, pools, feeOf } = await follow(V31, [
        [launch31(CREATOR, quote)],
        [[transferLog(TOKEN, POOL, BUYER, 9n), swap(POOL, TOKEN < quote ? -9n : 5n, TOKEN < quote ? 5n : -9n)]],
        [[claimed(CREATOR, 21n, 22n)]],
      ])
      expect(token).toMatchObject({ priceWeth: null, athPriceWeth: null, marketCapWeth: null, liquidityWeth: null, feesClaimed: null })
      expect(trades).toMatchObject([{ side: 'buy', amountToken: 9n, amountQuote: 5n, feeQuote: 1n, amountWei: null, priceWeth: null }])
      expect(token?.priceQuote).toBe(parseDecimal('1'))
      expect(pools.get(POOL)).toMatchObject({ quoteToken: quote, sqrtPriceX96: Q96 })
      expect(feeOf(CREATOR, quote)).toMatchObject({ accrued: null, claimed: TOKEN < quote ? 22n : 21n, claimId: 77n })
    }
  })

  it('follows the rewards through handovers, back to the first and to the zero address', async () => {
    const heir = BUYER
    const { feeOf } = await follow(V31, [
      [launch31()],
      [[claimed(CREATOR, 1n, 2n)]],
      // In one transaction: handed over, collected, handed back, and to the zero address, when the team is paid.
      [[handedOver(CREATOR, heir), claimed(heir, 10n, 20n), handedOver(heir, CREATOR), claimed(CREATOR, 3n, 4n)]],
      [[handedOver(CREATOR, ZERO_ADDRESS)], [claimed(DEAD, 5n, 6n)], [handedOver(ZERO_ADDRESS, heir)]],
      [[handedOver(heir, heir)]],
    ])
    expect(feeOf(CREATOR, TOKEN)).toMatchObject({ accrued: 4n, claimed: 4n, lastChangedBlock: 4 })
    expect(feeOf(CREATOR, WETH)).toMatchObject({ accrued: 6n, claimed: 6n })
    expect(feeOf(DEAD, WETH)).toMatchObject({ accrued: 6n, claimed: 6n })
    expect(feeOf(heir, TOKEN)).toMatchObject({ accrued: null, claimed: 10n, claimId: 77n, lastChangedBlock: 4 })
    expect(feeOf(ZERO_ADDRESS, WETH)).toBeUndefined()
  })

  it('opens no account where the creator names no recipient, nor for positions of others', async () => {
    const other = { ...claimed(BUYER, 1n, 1n), topics: [...(claimed(BUYER, 1n, 1n).topics ?? [])] }
    other.topics[1] = word(78)
    const { feeOf } = await follow(V31, [[launch31(ZERO_ADDRESS)], [[other]]])
    expect([feeOf(ZERO_ADDRESS, WETH), feeOf(CREATOR, WETH), feeOf(BUYER, WETH)]).toEqual([undefined, undefined, undefined])
  })

  it.each([1, 3])('counts what is claimed of a position from the block on that announces it, %i blocks at once', async atOnce => {
    const { feeOf } = await follow(V31, [[[claimed(CREATOR, 1n, 2n)]], [launch31()], [[claimed(CREATOR, 10n, 20n)]]], atOnce)
    expect(feeOf(CREATOR, TOKEN)).toMatchObject({ claimed: 10n, lastChangedBlock: 3 })
  })

  it('takes the pool from the factory’s own word, whatever others say before or after', async () => {
    const fake = { ...poolCreated(testAddress(666), WETH), address: POSITIONS }
    const otherTier = { ...poolCreated(testAddress(667), WETH) }
    const tier = { ...otherTier, topics: [...(otherTier.topics ?? []).slice(0, 3), word(3_000)] }
    const late = poolCreated(testAddress(668), WETH)
    const { token } = await follow(V31, [[[fake, ...launch31().slice(0, 3), tier, fake, created31(), late]]])
    expect(token?.mainPool).toBe(POOL)
  })

  it('keeps names that break every rule within bounds, and passes over an announcement that is none', async () => {
    const hostile = `\0\u202e\ud83d${'z'.repeat(100_000)}`
    const { token } = await follow(V31, [[[...launch31().slice(0, 3), created31({ name: hostile })]]])
    expect(token?.name?.length).toBeLessThanOrEqual(1_024)
    expect(token?.name).not.toContain('\0')
    const broken = { ...created31(), data: words(1n, 2n, 3n, 2n ** 255n, 5n, 6n, 7n, 8n, 9n, 10n, 11n) }
    expect((await follow(V31, [[[...launch31().slice(0, 3), broken]]])).token).toBeUndefined()
  })
})

describe('clanker-v4', () => {
  const created = (pairedToken: Address) => created4({ pairedToken })
  const initialize = (currency1: Address) => initialized4({ currency1, fee: 0x800000 })
  const liquidity = (tickLower: number, tickUpper: number, liquidityDelta: bigint) => liquidity4({ tickLower, tickUpper, liquidityDelta })
  const swap = (amount0: bigint, amount1: bigint, liquid: bigint, tick: number) =>
    swap4({ sender: LOCKER, amount0, amount1, liquidity: liquid, tick })

  it('keeps the pool’s liquidity as its ticks and swaps say: a range holds its lower tick and not its upper one', async () => {
    const { pools } = await follow(V4, [
      [[initialize(WETH), liquidity(0, 200, 100n), liquidity(-200, 0, 1_000n), liquidity(-200, 200, 7n), created(WETH)]],
      [[liquidity(-200, 200, 0n)], [liquidity(0, 200, -40n)]],
    ])
    expect(pools.get(ID)).toMatchObject({ liquidity: 67n, tick: 0, sqrtPriceX96: Q96, reserveToken: 0n, reserveQuote: 10n })
    const moved = await follow(V4, [
      [[initialize(WETH), liquidity(0, 200, 100n), created(WETH)]],
      // Out of the range, where a position comes to lie round the new tick.
      [[swap(-5n, 5n, 0n, -1), liquidity(-200, 0, 30n), liquidity(0, 200, 900n)]],
    ])
    expect(moved.pools.get(ID)).toMatchObject({ liquidity: 30n, tick: -1 })
  })

  it.each([1, 3])('counts what befalls a pool from the block on that announces it, %i blocks at once', async atOnce => {
    const early = [initialize(WETH), swap(-5n, 5n, 9n, 3)]
    const { pools, trades } = await follow(V4, [[early], [[created(WETH)]], [[liquidity(-200, 200, 7n)]]], atOnce)
    expect(pools.get(ID)).toMatchObject({ tick: null, sqrtPriceX96: null, createdBlock: 2, lastChangedBlock: 3 })
    expect(trades).toEqual([])
  })

  it('gives no WETH prices where the pair is another, and those of ETH where it is ETH itself', async () => {
    const other = await follow(V4, [[[initialize(BUYER), created(BUYER)]], [[swap(9n, -5n, 1n, 0)]]])
    expect(other.token).toMatchObject({ priceQuote: parseDecimal('1'), priceWeth: null, marketCapWeth: null, tradeCount: 1 })
    expect(other.trades).toMatchObject([{ amountWei: null, priceWeth: null }])
    const ether = await follow(V4, [[[initialize(ZERO_ADDRESS), created(ZERO_ADDRESS)]], [[swap(-(10n ** 18n), 10n ** 21n, 1n, 0)]]])
    expect(ether.trades).toMatchObject([{ side: 'buy', amountToken: 10n ** 21n, amountWei: 10n ** 18n, feeWei: 10n ** 16n }])
  })

  // What the locker has collected it turns into WETH before the swap of the next trade, and inside of it.
  it('tells the locker’s own swap from the trader’s in the same transaction', async () => {
    const [fees, bought] = [10n ** 20n, 10n ** 22n]
    const trade = [
      liquidity(-200, 200, 0n),
      transferLog(TOKEN, MANAGER, LOCKER, fees),
      swap(-fees, 10n ** 16n, 9n, 0),
      transferLog(TOKEN, LOCKER, MANAGER, fees),
      swap(bought, -(10n ** 18n), 9n, 0),
      transferLog(TOKEN, MANAGER, BUYER, bought),
    ]
    const { trades } = await follow(V4, [[[initialize(WETH), created(WETH)]], [trade]])
    expect(trades).toMatchObject([
      { side: 'sell', maker: LOCKER, amountToken: fees, amountWei: 10n ** 16n },
      { side: 'buy', maker: BUYER, amountToken: bought, amountWei: 10n ** 18n },
    ])
  })
})

describe('wow', () => {
  const COIN_CREATED =
    'event CoinCreated(address indexed deployer, address indexed creator, address indexed payoutRecipient, address platformReferrer, address currency, string tokenURI, string name, string symbol, address coin, address pool)'
  const created = (bondingCurve: Address) => createdWow({ bondingCurve })

  // What the factory announces since its tokens begin in a Uniswap pool.
  it('has a token without a bonding curve begin in its pool, with the pool’s swaps as its trades', async () => {
    const { token, trades, pools } = await follow(WOW, [
      [
        [
          initialized(POOL),
          mint,
          created(ZERO_ADDRESS),
          logOf(FACTORY, COIN_CREATED, { creator: CREATOR, payoutRecipient: CREATOR, coin: TOKEN, pool: POOL }),
        ],
      ],
      [
        [
          transferLog(TOKEN, POOL, TOKEN, 10n ** 21n),
          swap(POOL, -(10n ** 21n), 10n ** 18n),
          buyWow(TOKEN, { recipient: CREATOR, marketType: 1 }),
        ],
      ],
    ])
    expect(token).toMatchObject({ mainPool: POOL, graduationStatus: 'none', graduationPercent: null, target: null, tradeCount: 1 })
    expect(trades).toMatchObject([{ phase: 'pool', side: 'buy', maker: CREATOR, amountWei: 10n ** 18n }])
    expect([...pools.keys()]).toEqual([POOL])
    expect(token?.priceWeth === null || token === undefined ? null : formatDecimal(token.priceWeth)).toBe('1')
  })

  it('has one with a curve begin on it', async () => {
    const { token, pools } = await follow(WOW, [[[initialized(POOL), created(LOCKER)]]])
    expect(token).toMatchObject({ mainPool: TOKEN, graduationStatus: 'bonding' })
    expect([...pools.keys()].toSorted()).toEqual([TOKEN, POOL].toSorted())
  })
})

/** Blocks of transactions of logs, followed block by block or in ranges. */
async function follow(launchpad: typeof V31, blocks: readonly LogBlock[], atOnce = 1) {
  const { tables } = await followLogs({ launchpads: [launchpad], weth: WETH, blocks, atOnce })
  const { tokens, pools, trades, balances, creatorFees } = tables
  const feeOf = (creator: Address, currency: Address) =>
    creatorFees.get(creatorFeeKey({ launchpad: launchpad.name, creator, currency, token: TOKEN }))
  return { token: tokens.get(TOKEN), pools, trades, balances, feeOf }
}

function word(value: number): Hex {
  return toHex(value, { size: 32 })
}

function launch31(recipient = CREATOR, quote = WETH) {
  return [mint, poolCreated(POOL, quote), initialized(POOL), created31({ creatorRewardRecipient: recipient })]
}

function handedOver(from: Address, to: Address): NewLog {
  const topics = [toEventSelector('CreatorRewardRecipientUpdated(uint256,address,address)'), word(77), topic(from)]
  return { address: LOCKER, topics, data: words(BigInt(to)) }
}

function claimed(creatorRecipient: Address, creatorReward0: bigint, creatorReward1: bigint): NewLog {
  return claimed31({ creatorRecipient, creatorReward0, creatorReward1 })
}
