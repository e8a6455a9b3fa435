import { keccak256, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import type { LogBlock } from '#test/support/followLogs.ts'
import {
  BUYER,
  bought,
  by,
  CREATOR,
  CURVE,
  DOLLAR,
  ESCROW,
  entry,
  expectUnmoved,
  FACTORY,
  FAKE_POOL,
  initialized,
  LIAR,
  logOf,
  mint,
  OTHER,
  OTHER_POOL,
  POOL,
  poolCreated,
  rowsOf,
  SUPPLY,
  TOKEN,
  UNISWAP,
  WETH,
} from '#test/support/forgery.ts'
import { buyWow, coinCreated, createdWow } from '#test/support/launchpadLogs.ts'
import type { NewLog } from '#test/support/simulatedChain.ts'
import { transferLog } from '#test/support/simulatedLogs.ts'

// For every fact that an adapter believes, a log that lies about it. An honest token's rows must be the same with the lies as without.

const FEES =
  'event WowTokenFees(address indexed tokenCreator, address indexed platformReferrer, address indexed orderReferrer, address protocolFeeRecipient, uint256 tokenCreatorFee, uint256 platformReferrerFee, uint256 orderReferrerFee, uint256 protocolFee)'
const GRADUATED =
  'event WowMarketGraduated(address indexed tokenAddress, address indexed poolAddress, uint256 totalEthLiquidity, uint256 totalTokenLiquidity, uint256 lpPositionId, uint8 marketType)'
const DEPOSIT = 'event Deposit(address indexed from, address indexed to, bytes4 indexed reason, uint256 amount, string comment)'

describe('wow', () => {
  const launchpad = entry('wow', { factory: FACTORY, protocolRewards: ESCROW, uniswapFactory: UNISWAP })
  const launch = [poolCreated(POOL, WETH), initialized(POOL), createdWow()]
  const curveBuy = [transferLog(TOKEN, ZERO_ADDRESS, BUYER, 10n ** 21n), feesWow(TOKEN, 4n), buyWow()]
  const honest: readonly LogBlock[] = [[launch], [curveBuy], [[deposit(TOKEN, 50n, 'WOW_CREATOR_SECONDARY_REWARD')]]]

  it('believes only the factory, the escrow and the token', async () => {
    await expectUnmoved(launchpad, honest, [
      by(LIAR, createdWow({ poolAddress: FAKE_POOL, bondingCurve: ZERO_ADDRESS, tokenCreator: LIAR })),
      by(LIAR, coinCreated({ currency: DOLLAR })),
      by(LIAR, poolCreated(POOL, DOLLAR, TOKEN, 500)),
      poolCreated(FAKE_POOL, WETH, TOKEN, 500),
      buyWow(LIAR),
      feesWow(LIAR, 10n ** 30n),
      logOf(LIAR, GRADUATED, {
        tokenAddress: TOKEN,
        poolAddress: FAKE_POOL,
        totalEthLiquidity: 1n,
        totalTokenLiquidity: 1n,
        lpPositionId: 1n,
        marketType: 1,
      }),
      by(LIAR, deposit(TOKEN, 10n ** 30n)),
      ...bought(FAKE_POOL).slice(1),
    ])
  })

  it('counts as the creator’s share only what the token itself deposits', async () => {
    const { token } = await rowsOf(launchpad, [...honest, [[deposit(LIAR, 10n ** 30n)]], [[deposit(TOKEN, 3n)]]], 1)
    expect(token?.feesAccrued).toBe(57n)
  })

  it('has a coin’s currency from the factory, or from the pool, and no pool where neither says it', async () => {
    const coin = createdWow({ bondingCurve: ZERO_ADDRESS })
    const lie = by(LIAR, coinCreated({ currency: WETH }))
    const opened = [mint(POOL), initialized(POOL)]
    const follow = async (logs: readonly NewLog[]) => rowsOf(launchpad, [[logs], [bought(POOL)]], 1)
    const named = await follow([
      ...opened,
      lie,
      coin,
      coinCreated({ coin: OTHER, pool: OTHER_POOL, currency: WETH }),
      coinCreated({ currency: DOLLAR }),
    ])
    expect(named.pools).toMatchObject([{ quoteToken: DOLLAR, feeBps: null }])
    const made = await follow([poolCreated(POOL, DOLLAR, TOKEN, 500), ...opened, lie, coin])
    expect(made.pools).toMatchObject([{ quoteToken: DOLLAR, feeBps: 5 }])
    for (const { token, trades } of [named, made]) {
      expect(token).toMatchObject({ mainPool: POOL, priceWeth: null, athPriceWeth: null, feesAccrued: null, tradeCount: 1 })
      expect(trades).toMatchObject([{ side: 'buy', amountWei: null, priceWeth: null }])
    }
    expect(await follow([...opened, lie, coin])).toMatchObject({ token: { mainPool: null, priceWeth: null, tradeCount: 0 }, pools: [] })
  })

  it('keeps two launches apart that are nested in one another, and a token as it was announced first', async () => {
    const inner = [
      poolCreated(OTHER_POOL, DOLLAR, OTHER),
      createdWow({ tokenAddress: OTHER, poolAddress: OTHER_POOL, bondingCurve: ZERO_ADDRESS, tokenCreator: LIAR }),
    ]
    const [made, opened, created] = launch as [NewLog, NewLog, NewLog]
    const again = [
      createdWow({ poolAddress: FAKE_POOL, bondingCurve: ZERO_ADDRESS, tokenCreator: LIAR }),
      coinCreated({ pool: FAKE_POOL, currency: WETH }),
    ]
    const blocks: readonly LogBlock[] = [[[made, opened, ...inner, created]], ...honest.slice(1), [again]]
    expect((await rowsOf(launchpad, blocks, 1)).token).toMatchObject({ mainPool: TOKEN, creator: CREATOR, tradeCount: 1 })
    expect((await rowsOf(launchpad, blocks, 1, OTHER)).token).toMatchObject({ mainPool: OTHER_POOL, creator: LIAR, priceWeth: null })
  })
})

const LAUNCHED =
  'event TokenLaunched(address indexed token, address indexed creator, address indexed curve, string name, string symbol, string metadataUri, uint256 totalSupply, uint256 virtualWei, uint256 virtualToken, uint256 targetWei, uint16 feeBps, uint16 creatorShareBps)'
const BOUGHT =
  'event Bought(address indexed buyer, address indexed recipient, uint256 paidWei, uint256 feeWei, uint256 tokenAmount, uint256 virtualWei, uint256 virtualToken, uint256 realWei, uint256 realToken)'
const MOVED = 'event Graduated(address indexed token, address indexed pool, uint256 positionId, uint256 wethAmount, uint256 tokenAmount)'
const ACCRUED = 'event FeeAccrued(address indexed token, address indexed creator, address indexed currency, uint256 amount)'
const launched = (token: Address, curve: Address, creator = CREATOR): NewLog =>
  logOf(FACTORY, LAUNCHED, {
    token,
    creator,
    curve,
    name: 'Name',
    symbol: 'SYM',
    totalSupply: SUPPLY,
    virtualWei: 10n ** 18n,
    virtualToken: SUPPLY,
    targetWei: 10n ** 20n,
    feeBps: 100,
    creatorShareBps: 5_000,
  })
const curveBought = (curve: Address, virtualWei = 2n * 10n ** 18n): NewLog =>
  logOf(curve, BOUGHT, {
    buyer: BUYER,
    recipient: BUYER,
    paidWei: 10n ** 18n,
    feeWei: 10n ** 16n,
    tokenAmount: 10n ** 21n,
    virtualWei,
    virtualToken: SUPPLY,
    realWei: 10n ** 18n,
    realToken: SUPPLY,
  })
const moved = (token: Address, pool: Address) => logOf(FACTORY, MOVED, { token, pool, positionId: 1n, wethAmount: 1n, tokenAmount: 1n })
const accrued = (token: Address, amount: bigint) => logOf(FACTORY, ACCRUED, { token, creator: CREATOR, currency: WETH, amount })

// The reference launchpad is a mapping, and so is every entry with `events`.
describe('bonding-curve', () => {
  const launchpad = entry('bonding-curve', { factory: FACTORY })
  const launch = [mint(CURVE), launched(TOKEN, CURVE)]
  const buy = [transferLog(TOKEN, CURVE, BUYER, 10n ** 21n), curveBought(CURVE), accrued(TOKEN, 5n)]
  const honest: readonly LogBlock[] = [[launch], [buy], [[initialized(POOL), moved(TOKEN, POOL)]], [bought(POOL)]]

  it('believes only the factory and the curve', async () => {
    await expectUnmoved(launchpad, honest, [
      by(LIAR, launched(TOKEN, FAKE_POOL, LIAR)),
      curveBought(LIAR, 10n ** 30n),
      by(LIAR, moved(TOKEN, FAKE_POOL)),
      by(LIAR, accrued(TOKEN, 10n ** 30n)),
      logOf(LIAR, 'event Completed(uint256 raisedWei)', { raisedWei: 1n }),
      ...bought(FAKE_POOL).slice(1),
    ])
  })

  it("keeps a token's curve and pool from another that names them", async () => {
    const thief = [mint(LIAR, OTHER), launched(OTHER, CURVE, LIAR)]
    const before = await rowsOf(launchpad, [...honest, []], 1)
    expect(await rowsOf(launchpad, [...honest, [thief]], 1)).toEqual(before)
    const greedy = [mint(LIAR, OTHER), launched(OTHER, OTHER_POOL, LIAR), moved(OTHER, POOL)]
    expect(await rowsOf(launchpad, [...honest, [greedy]], 1)).toEqual(before)
  })

  it('keeps two launches apart that are nested in one another, and a token as it was announced first', async () => {
    const inner = [mint(OTHER_POOL, OTHER), launched(OTHER, OTHER_POOL, LIAR), curveBought(OTHER_POOL, 10n ** 24n)]
    const again = [launched(TOKEN, FAKE_POOL, LIAR), curveBought(FAKE_POOL, 10n ** 30n)]
    const blocks: readonly LogBlock[] = [[[launch[0] as NewLog, ...inner, launch[1] as NewLog, ...buy]], [again]]
    expect((await rowsOf(launchpad, blocks, 1)).token).toMatchObject({ mainPool: CURVE, creator: CREATOR, tradeCount: 1 })
    expect((await rowsOf(launchpad, blocks, 1, OTHER)).token).toMatchObject({ mainPool: OTHER_POOL, creator: LIAR, tradeCount: 1 })
  })
})

function feesWow(token: Address, tokenCreatorFee: bigint): NewLog {
  return logOf(token, FEES, {
    tokenCreator: CREATOR,
    platformReferrer: LIAR,
    orderReferrer: LIAR,
    protocolFeeRecipient: LIAR,
    tokenCreatorFee,
  })
}

function deposit(from: Address, amount: bigint, reason = 'COIN_CREATOR_MARKET_REWARD'): NewLog {
  return logOf(ESCROW, DEPOSIT, { from, to: CREATOR, reason: keccak256(toHex(reason)).slice(0, 10), amount, comment: '' })
}
