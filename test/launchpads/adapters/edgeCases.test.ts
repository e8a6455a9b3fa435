import { encodeAbiParameters, encodeEventTopics, type Hex, parseAbi, parseAbiParameters, toEventSelector, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { creatorFeeKey } from '#domain/claimable.ts'
import { formatDecimal, parseDecimal } from '#domain/decimal.ts'
import { followLogs, type LogBlock } from '#test/support/followLogs.ts'
import { type NewLog, testAddress, testAddresses } from '#test/support/simulatedChain.ts'
import { topic, transferLog, words } from '#test/support/simulatedLogs.ts'

const [WETH, CREATOR, BUYER, FACTORY, LOCKER, UNISWAP, REWARDS, MANAGER, FEE_LOCKER, TOKEN, POOL, POSITIONS] = testAddresses([
  900, 1, 2, 10, 11, 12, 13, 14, 15, 500, 501, 16,
])
const DEAD = `0x${'0'.repeat(36)}dead` as Address
const Q96 = 2n ** 96n
const SUPPLY = 10n ** 29n

const entry = (adapter: string, contracts: Readonly<Record<string, Address>>) => ({ name: adapter, adapter, startBlock: 1, contracts })
const V31 = entry('clanker-v3.1', { factory: FACTORY, locker: LOCKER, uniswapFactory: UNISWAP })
const V4 = entry('clanker-v4', { factory: FACTORY, feeLocker: FEE_LOCKER, poolManager: MANAGER })
const WOW = entry('wow', { factory: FACTORY, protocolRewards: REWARDS })

/** Blocks of transactions of logs, followed block by block or in ranges. */
async function follow(launchpad: typeof V31, blocks: readonly LogBlock[], atOnce = 1) {
  const { tables } = await followLogs({ launchpads: [launchpad], weth: WETH, blocks, atOnce })
  const { tokens, pools, trades, balances, creatorFees } = tables
  const feeOf = (creator: Address, currency: Address) =>
    creatorFees.get(creatorFeeKey({ launchpad: launchpad.name, creator, currency, token: TOKEN }))
  return { token: tokens.get(TOKEN), pools, trades, balances, feeOf }
}

const word = (value: number): Hex => toHex(value, { size: 32 })

const CREATED_31 = toEventSelector(
  'TokenCreated(address,address,address,address,address,uint256,string,string,int24,string,uint256,uint256,uint8,address)',
)
const CREATED_TYPES = parseAbiParameters('address, address, uint256, string, string, int24, string, uint256, uint256, uint8, address')
function created31(recipient: Address, name = 'Name'): NewLog {
  const values = [recipient, CREATOR, 77n, name, 'SYM', 0, '{}', 0n, 0n, 0, CREATOR] as const
  return {
    address: FACTORY,
    topics: [CREATED_31, topic(TOKEN), topic(CREATOR), topic(CREATOR)],
    data: encodeAbiParameters(CREATED_TYPES, values),
  }
}
function poolCreated(quote: Address, pool = POOL): NewLog {
  const pair = TOKEN < quote ? [TOKEN, quote] : [quote, TOKEN]
  const topics = [toEventSelector('PoolCreated(address,address,uint24,int24,address)'), ...pair.map(topic), word(10_000)]
  return { address: UNISWAP, topics, data: words(200n, BigInt(pool)) }
}
const initialized: NewLog = { address: POOL, topics: [toEventSelector('Initialize(uint160,int24)')], data: words(Q96, 0n) }
function swapped(amount0: bigint, amount1: bigint): NewLog {
  const topics = [toEventSelector('Swap(address,address,int256,int256,uint160,uint128,int24)'), topic(BUYER), topic(BUYER)]
  return { address: POOL, topics, data: words(amount0, amount1, Q96, 5n, 0n) }
}
const mint = transferLog(TOKEN, ZERO_ADDRESS, POOL, SUPPLY)
const launch31 = (recipient = CREATOR, quote = WETH) => [mint, poolCreated(quote), initialized, created31(recipient)]

function claimed(recipient: Address, amount0: bigint, amount1: bigint): NewLog {
  const topics = [
    toEventSelector('ClaimedRewards(uint256,address,address,address,address,address,uint256,uint256,uint256,uint256,uint256,uint256)'),
    word(77),
    topic(recipient),
    topic(CREATOR),
  ]
  return { address: LOCKER, topics, data: words(1n, BigInt(TOKEN), BigInt(WETH), amount0, amount1, 0n, 0n, 0n, 0n) }
}
function handedOver(from: Address, to: Address): NewLog {
  const topics = [toEventSelector('CreatorRewardRecipientUpdated(uint256,address,address)'), word(77), topic(from)]
  return { address: LOCKER, topics, data: words(BigInt(to)) }
}

describe('clanker-v3.1', () => {
  it('counts what a token does in its block before its announcement and after, in any transaction', async () => {
    const before = [transferLog(TOKEN, POOL, BUYER, 10n ** 21n), swapped(-(10n ** 21n), 10n ** 18n)]
    const after = [transferLog(TOKEN, BUYER, DEAD, 3n), transferLog(TOKEN, BUYER, ZERO_ADDRESS, 4n)]
    const { token, trades, balances } = await follow(V31, [[[mint], before, [poolCreated(WETH), initialized, created31(CREATOR)], after]])
    expect(token).toMatchObject({ totalSupply: SUPPLY - 4n, tradeCount: 1, holderCount: 3, mainPool: POOL })
    expect(trades).toMatchObject([{ side: 'buy', maker: BUYER, amountWei: 10n ** 18n }])
    expect(balances.get(`${TOKEN}${DEAD}`)).toMatchObject({ balance: 3n, type: 'burn' })
    expect(balances.has(`${TOKEN}${ZERO_ADDRESS}`)).toBe(false)
  })

  it('gives no WETH prices where the pair is another, in either order, and knows what is claimed of it', async () => {
    for (const quote of [testAddress(400), testAddress(700)]) {
      const { token, trades, pools, feeOf } = await follow(V31, [
        [launch31(CREATOR, quote)],
        [[transferLog(TOKEN, POOL, BUYER, 9n), swapped(TOKEN < quote ? -9n : 5n, TOKEN < quote ? 5n : -9n)]],
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
    const fake = { ...poolCreated(WETH, testAddress(666)), address: POSITIONS }
    const otherTier = { ...poolCreated(WETH, testAddress(667)) }
    const tier = { ...otherTier, topics: [...(otherTier.topics ?? []).slice(0, 3), word(3_000)] }
    const late = poolCreated(WETH, testAddress(668))
    const { token } = await follow(V31, [[[fake, ...launch31().slice(0, 3), tier, fake, created31(CREATOR), late]]])
    expect(token?.mainPool).toBe(POOL)
  })

  it('keeps names that break every rule within bounds, and passes over an announcement that is none', async () => {
    const hostile = `\0\u202e\ud83d${'z'.repeat(100_000)}`
    const { token } = await follow(V31, [[[...launch31().slice(0, 3), created31(CREATOR, hostile)]]])
    expect(token?.name?.length).toBeLessThanOrEqual(1_024)
    expect(token?.name).not.toContain('\0')
    const broken = { ...created31(CREATOR), data: words(1n, 2n, 3n, 2n ** 255n, 5n, 6n, 7n, 8n, 9n, 10n, 11n) }
    expect((await follow(V31, [[[...launch31().slice(0, 3), broken]]])).token).toBeUndefined()
  })
})

describe('clanker-v4', () => {
  const POOL_ID = word(123_456_789)
  const CREATED = toEventSelector(
    'TokenCreated(address,address,address,string,string,string,string,string,int24,address,bytes32,address,address,address,uint256,address[])',
  )
  const types = parseAbiParameters(
    'address, string, string, string, string, string, int24, address, bytes32, address, address, address, uint256, address[]',
  )
  const created = (paired: Address): NewLog => ({
    address: FACTORY,
    topics: [CREATED, topic(TOKEN), topic(CREATOR)],
    data: encodeAbiParameters(types, [CREATOR, '', 'N', 'S', '', '', 0, FACTORY, POOL_ID, paired, FACTORY, FACTORY, 0n, []]),
  })
  const ofPool = (signature: string, topics: readonly Hex[], ...values: bigint[]): NewLog => ({
    address: MANAGER,
    topics: [toEventSelector(signature), POOL_ID, ...topics],
    data: words(...values),
  })
  const initialize = (paired: Address) =>
    ofPool(
      'Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)',
      [topic(TOKEN), topic(paired)],
      0x800000n,
      200n,
      0n,
      Q96,
      0n,
    )
  const liquidity = (lower: bigint, upper: bigint, delta: bigint) =>
    ofPool('ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)', [topic(LOCKER)], lower, upper, delta, 1n)
  const swap = (amount0: bigint, amount1: bigint, liquid: bigint, tick: bigint) =>
    ofPool(
      'Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)',
      [topic(LOCKER)],
      amount0,
      amount1,
      Q96,
      liquid,
      tick,
      10_000n,
    )

  it('keeps the pool’s liquidity as its ticks and swaps say: a range holds its lower tick and not its upper one', async () => {
    const { pools } = await follow(V4, [
      [[initialize(WETH), liquidity(0n, 200n, 100n), liquidity(-200n, 0n, 1_000n), liquidity(-200n, 200n, 7n), created(WETH)]],
      [[liquidity(-200n, 200n, 0n)], [liquidity(0n, 200n, -40n)]],
    ])
    expect(pools.get(POOL_ID)).toMatchObject({ liquidity: 67n, tick: 0, sqrtPriceX96: Q96, reserveToken: 0n, reserveQuote: 10n })
    const moved = await follow(V4, [
      [[initialize(WETH), liquidity(0n, 200n, 100n), created(WETH)]],
      // Out of the range, where a position comes to lie round the new tick.
      [[swap(-5n, 5n, 0n, -1n), liquidity(-200n, 0n, 30n), liquidity(0n, 200n, 900n)]],
    ])
    expect(moved.pools.get(POOL_ID)).toMatchObject({ liquidity: 30n, tick: -1 })
  })

  it.each([1, 3])('counts what befalls a pool from the block on that announces it, %i blocks at once', async atOnce => {
    const early = [initialize(WETH), swap(-5n, 5n, 9n, 3n)]
    const { pools, trades } = await follow(V4, [[early], [[created(WETH)]], [[liquidity(-200n, 200n, 7n)]]], atOnce)
    expect(pools.get(POOL_ID)).toMatchObject({ tick: null, sqrtPriceX96: null, createdBlock: 2, lastChangedBlock: 3 })
    expect(trades).toEqual([])
  })

  it('gives no WETH prices where the pair is another, and those of ETH where it is ETH itself', async () => {
    const other = await follow(V4, [[[initialize(BUYER), created(BUYER)]], [[swap(9n, -5n, 1n, 0n)]]])
    expect(other.token).toMatchObject({ priceQuote: parseDecimal('1'), priceWeth: null, marketCapWeth: null, tradeCount: 1 })
    expect(other.trades).toMatchObject([{ amountWei: null, priceWeth: null }])
    const ether = await follow(V4, [[[initialize(ZERO_ADDRESS), created(ZERO_ADDRESS)]], [[swap(-(10n ** 18n), 10n ** 21n, 1n, 0n)]]])
    expect(ether.trades).toMatchObject([{ side: 'buy', amountToken: 10n ** 21n, amountWei: 10n ** 18n, feeWei: 10n ** 16n }])
  })

  // What the locker has collected it turns into WETH before the swap of the next trade, and inside of it.
  it('tells the locker’s own swap from the trader’s in the same transaction', async () => {
    const [fees, bought] = [10n ** 20n, 10n ** 22n]
    const trade = [
      liquidity(-200n, 200n, 0n),
      transferLog(TOKEN, MANAGER, LOCKER, fees),
      swap(-fees, 10n ** 16n, 9n, 0n),
      transferLog(TOKEN, LOCKER, MANAGER, fees),
      swap(bought, -(10n ** 18n), 9n, 0n),
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
  const CREATED = parseAbi([
    'event WowTokenCreated(address indexed factoryAddress, address indexed tokenCreator, address platformReferrer, address protocolFeeRecipient, address bondingCurve, string tokenURI, string name, string symbol, address tokenAddress, address poolAddress)',
  ])
  const created = (curve: Address): NewLog => ({
    address: FACTORY,
    topics: encodeEventTopics({ abi: CREATED, args: { factoryAddress: FACTORY, tokenCreator: CREATOR } }) as Hex[],
    data: encodeAbiParameters(parseAbiParameters('address, address, address, string, string, string, address, address'), [
      CREATOR,
      CREATOR,
      curve,
      'ipfs://uri',
      'Name',
      'SYM',
      TOKEN,
      POOL,
    ]),
  })
  const buy: NewLog = {
    address: TOKEN,
    topics: [
      toEventSelector('WowTokenBuy(address,address,address,uint256,uint256,uint256,uint256,uint256,string,uint256,uint8)'),
      topic(BUYER),
      topic(CREATOR),
      topic(BUYER),
    ],
    data: encodeAbiParameters(parseAbiParameters('uint256, uint256, uint256, uint256, uint256, string, uint256, uint8'), [
      101n * 10n ** 16n,
      10n ** 16n,
      10n ** 18n,
      10n ** 21n,
      10n ** 21n,
      '',
      SUPPLY,
      1,
    ]),
  }

  const coinCreated: NewLog = {
    address: FACTORY,
    topics: [
      toEventSelector('CoinCreated(address,address,address,address,address,string,string,string,address,address)'),
      ...[BUYER, CREATOR, CREATOR].map(topic),
    ],
    data: encodeAbiParameters(parseAbiParameters('address, address, string, string, string, address, address'), [
      CREATOR,
      ZERO_ADDRESS,
      'ipfs://uri',
      'Name',
      'SYM',
      TOKEN,
      POOL,
    ]),
  }

  // What the factory announces since its tokens begin in a Uniswap pool.
  it('has a token without a bonding curve begin in its pool, with the pool’s swaps as its trades', async () => {
    const { token, trades, pools } = await follow(WOW, [
      [[initialized, mint, created(ZERO_ADDRESS), coinCreated]],
      [[transferLog(TOKEN, POOL, TOKEN, 10n ** 21n), swapped(-(10n ** 21n), 10n ** 18n), buy]],
    ])
    expect(token).toMatchObject({ mainPool: POOL, graduationStatus: 'none', graduationPercent: null, target: null, tradeCount: 1 })
    expect(trades).toMatchObject([{ phase: 'pool', side: 'buy', maker: CREATOR, amountWei: 10n ** 18n }])
    expect([...pools.keys()]).toEqual([POOL])
    expect(token?.priceWeth === null || token === undefined ? null : formatDecimal(token.priceWeth)).toBe('1')
  })

  it('has one with a curve begin on it', async () => {
    const { token, pools } = await follow(WOW, [[[initialized, created(LOCKER)]]])
    expect(token).toMatchObject({ mainPool: TOKEN, graduationStatus: 'bonding' })
    expect([...pools.keys()].toSorted()).toEqual([TOKEN, POOL].toSorted())
  })
})
