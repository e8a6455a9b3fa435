import { encodeAbiParameters, type Hex, keccak256, numberToHex, parseAbiParameters, toEventSelector } from 'viem'
import type { Random } from '#devchain/traders/random.ts'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { sqrtPriceAtTick } from '#domain/prices.ts'
import { type NewLog, testAddress } from './simulatedChain.ts'
import { randomPrice, randomSwap, topic, transferLog, v3SwapLog, words } from './simulatedLogs.ts'

export const CLANKER_V31 = { factory: testAddress(3), locker: testAddress(4), uniswapFactory: testAddress(5) }
/** A currency that is no token of the index, and its pool against WETH. */
export const DOLLAR = testAddress(9)
export const DOLLAR_POOL = testAddress(10)
export const CLANKER_V4 = { factory: testAddress(6), feeLocker: testAddress(7), poolManager: testAddress(8) }

export type ClankerToken = { readonly token: Address; readonly creator: Address } & (
  | { readonly version: '3.1'; readonly pool: Address; readonly positionId: bigint; readonly recipient: Address; readonly quote: Address }
  | { readonly version: '4'; readonly pool: Hex; readonly positions: readonly SimulatedPosition[] }
)

export interface SimulatedPosition {
  readonly lower: number
  readonly upper: number
  readonly amount: bigint
}

interface Cast {
  readonly weth: Address
  readonly holders: readonly Address[]
}

interface Acted {
  /** Of one transaction. */
  readonly logs: readonly NewLog[]
  readonly token: ClankerToken
}

/** The nth token, alternately of either version, announced by its last log. Every other branch gives it another pool. */
export function launchClanker(index: number, { weth, holders }: Cast, random: Random): Acted {
  const token = testAddress(400 + index)
  const creator = random.pick(holders)
  const supply = 10n ** 29n
  const variant = index * 10 + random.integer(0, 1)
  const name = `Name ${random.integer(0, 99)}`
  if (index % 2 === 0) {
    // Paired with WETH, with dollars, and with the first token.
    const quote = [weth, DOLLAR, testAddress(400)][index / 2] ?? weth
    const pool = testAddress(5_000 + variant)
    const positionId = BigInt(variant)
    const types =
      'address, address, uint256 positionId, string name, string symbol, int24, string metadata, uint256, uint256, uint8, address sender'
    const data = encodeAbiParameters(parseAbiParameters(types), [
      creator,
      ZERO_ADDRESS,
      positionId,
      name,
      'C3',
      0,
      '{}',
      0n,
      0n,
      0,
      creator,
    ])
    return {
      token: { version: '3.1', token, creator, pool, positionId, recipient: creator, quote },
      logs: [
        transferLog(token, ZERO_ADDRESS, pool, supply),
        {
          address: CLANKER_V31.uniswapFactory,
          topics: [CLANKER_TOPICS.poolCreated, ...pair(token, quote), words(10_000n)],
          data: words(200n, BigInt(pool)),
        },
        { address: pool, topics: [CLANKER_TOPICS.v3Initialize], data: words(randomPrice(random), 100n) },
        { address: CLANKER_V31.locker, topics: [CLANKER_TOPICS.rewardAdded, topic(creator), topic(creator)], data: words(positionId, 80n) },
        { address: CLANKER_V31.factory, topics: [CLANKER_TOPICS.created31, topic(token), topic(creator), topic(creator)], data },
      ],
    }
  }
  const pool = keccak256(numberToHex(variant))
  const types =
    'address, string image, string name, string symbol, string metadata, string context, int24, address, bytes32, address, address, address, uint256, address[]'
  const data = encodeAbiParameters(parseAbiParameters(types), [
    creator,
    '',
    name,
    'C4',
    '',
    '',
    0,
    testAddress(8_000 + variant),
    pool,
    weth,
    testAddress(8_500),
    ZERO_ADDRESS,
    0n,
    // An account that may hold tokens and trade already becomes an extension.
    [random.pick(holders)],
  ])
  const position = { lower: -200, upper: 400, amount: 10n ** 20n }
  return {
    token: { version: '4', token, creator, pool, positions: [position] },
    logs: [
      transferLog(token, ZERO_ADDRESS, CLANKER_V4.poolManager, supply),
      poolOpenedLog(pool, pair(token, weth)),
      modifyLog(pool, creator, position),
      { address: CLANKER_V4.factory, topics: [CLANKER_TOPICS.created4, topic(token), topic(creator)], data },
    ],
  }
}

export function actClanker(token: ClankerToken, { weth, holders }: Cast, random: Random): Acted {
  const [from, to] = [random.pick(holders), random.pick(holders)]
  const amount = BigInt(random.integer(1, 1_000_000)) * 10n ** 18n
  if (random.chance(0.2))
    return { token, logs: [(amount / 10n ** 18n) % 3n === 0n ? updateLog(token, to, amount) : transferLog(token.token, from, to, amount)] }
  if (token.version === '4') {
    if ((amount / 10n ** 18n) % 5n === 0n) return modifyPosition(token, from, amount)
    return { token, logs: random.chance(0.6) ? swapV4(token, from, weth, random) : moveEscrow(token, to, weth, random) }
  }
  if (random.chance(0.7)) {
    const swapped = randomSwap(random)
    const moved = swapped.amount0 < 0n ? [token.pool, from, -swapped.amount0] : [from, token.pool, swapped.amount0]
    return {
      token,
      logs: [transferLog(token.token, ...(moved as [Address, Address, bigint])), v3SwapLog(token.pool, from, swapped, random)],
    }
  }
  const rewards = [1, 2, 3, 4, 5, 6].map(() => BigInt(random.integer(0, 1_000_000)))
  const id = words(token.positionId)
  if (amount % 3n === 0n) {
    const topics = [CLANKER_TOPICS.handedOver, id, topic(token.recipient)]
    return { token: { ...token, recipient: to }, logs: [{ address: CLANKER_V31.locker, topics, data: words(BigInt(to)) }] }
  }
  const parties = [token.recipient, from].map(topic)
  const [token0, token1] = [token.token, token.quote].toSorted() as [Address, Address]
  const data = words(BigInt(ZERO_ADDRESS), BigInt(token0), BigInt(token1), ...rewards)
  return { token, logs: [{ address: CLANKER_V31.locker, topics: [CLANKER_TOPICS.claimedRewards, id, ...parties], data }] }
}

/** The admin changes the image, the metadata or the admin. */
function updateLog({ token, version }: ClankerToken, admin: Address, amount: bigint): NewLog {
  const text = (value: string) => encodeAbiParameters(parseAbiParameters('string'), [value])
  const { image, metadata, admin: handed } = CLANKER_TOPICS.updates
  const choice = (amount / (3n * 10n ** 18n)) % 12n
  if (choice < 4n) return { address: token, topics: [image], data: text(choice === 0n ? '' : `ipfs://image-${choice}`) }
  if (choice < 8n) return { address: token, topics: [metadata], data: text(`{"description":"${choice}"}`) }
  const indexed = version === '4'
  return {
    address: token,
    topics: [handed, ...(indexed ? [topic(admin), topic(admin)] : [])],
    data: indexed ? '0x' : words(0n, BigInt(admin)),
  }
}

type TokenV4 = Extract<ClankerToken, { readonly version: '4' }>

/** Adds a position, or takes the newest one out again. */
function modifyPosition(token: TokenV4, owner: Address, amount: bigint): Acted {
  const { pool, positions } = token
  const last = positions.at(-1)
  if (last !== undefined && positions.length > 3) {
    return { token: { ...token, positions: positions.slice(0, -1) }, logs: [modifyLog(pool, owner, { ...last, amount: -last.amount })] }
  }
  const lower = Number((amount / 10n ** 18n) % 40n) * 10 - 200
  const added = { lower, upper: lower + 10 * (1 + positions.length), amount }
  return { token: { ...token, positions: [...positions, added] }, logs: [modifyLog(pool, owner, added)] }
}

export function modifyLog(pool: Hex, owner: Address, { lower, upper, amount }: SimulatedPosition): NewLog {
  const data = words(BigInt(lower), BigInt(upper), amount, 0n)
  return { address: CLANKER_V4.poolManager, topics: [CLANKER_TOPICS.modifyLiquidity, pool, topic(owner)], data }
}

export function poolOpenedLog(pool: Hex, currencies: readonly Hex[]): NewLog {
  const data = words(10_000n, 200n, 0n, sqrtPriceAtTick(5), 5n)
  return { address: CLANKER_V4.poolManager, topics: [CLANKER_TOPICS.v4Initialize, pool, ...currencies], data }
}

/** A swap in a Uniswap v4 pool, with the liquidity of its positions at the price. */
export function swapLog(
  pool: Hex,
  positions: readonly SimulatedPosition[],
  maker: Address,
  random: Random,
  swapped = randomSwap(random),
): NewLog {
  const tick = random.integer(-300, 300)
  const liquidity = positions.reduce((sum, { lower, upper, amount }) => (lower <= tick && tick < upper ? sum + amount : sum), 0n)
  const data = words(-swapped.amount0, -swapped.amount1, sqrtPriceAtTick(tick), liquidity, BigInt(tick), 10_000n)
  return { address: CLANKER_V4.poolManager, topics: [CLANKER_TOPICS.v4Swap, pool, topic(maker)], data }
}

/** A swap pays fees into the escrow. */
function swapV4({ token, pool, creator, positions }: TokenV4, maker: Address, weth: Address, random: Random): readonly NewLog[] {
  const { poolManager, feeLocker } = CLANKER_V4
  const swapped = randomSwap(random)
  const swap = swapLog(pool, positions, maker, random, swapped)
  const balance = BigInt(random.integer(1, 1_000_000))
  return [
    swap,
    transferLog(token, poolManager, maker, swapped.amount0 < 0n ? -swapped.amount0 : swapped.amount0),
    { address: feeLocker, topics: [CLANKER_TOPICS.stored, topic(maker), topic(creator), topic(weth)], data: words(balance, 1n) },
  ]
}

/** A claim, a claim by permission, or a payment by a token that is not indexed. */
function moveEscrow({ creator }: TokenV4, other: Address, weth: Address, random: Random): readonly NewLog[] {
  const amount = BigInt(random.integer(1, 1_000_000))
  const owner = random.chance(0.7) ? creator : other
  const parties = [topic(owner), topic(weth)]
  const kind = random.integer(0, 2)
  const address = CLANKER_V4.feeLocker
  if (kind === 0) return [{ address, topics: [CLANKER_TOPICS.claimed, ...parties], data: words(amount) }]
  if (kind === 1) return [{ address, topics: [CLANKER_TOPICS.claimedPermissioned, ...parties], data: words(BigInt(other), amount) }]
  return [{ address, topics: [CLANKER_TOPICS.stored, topic(other), ...parties], data: words(amount, amount) }]
}

/** First topics. */
export const CLANKER_TOPICS = {
  updates: {
    image: toEventSelector('UpdateImage(string)'),
    metadata: toEventSelector('UpdateMetadata(string)'),
    admin: toEventSelector('UpdateAdmin(address,address)'),
  },
  poolCreated: toEventSelector('PoolCreated(address,address,uint24,int24,address)'),
  v3Initialize: toEventSelector('Initialize(uint160,int24)'),
  rewardAdded: toEventSelector('TokenRewardAdded(uint256,uint256,address,address)'),
  claimedRewards: toEventSelector(
    'ClaimedRewards(uint256,address,address,address,address,address,uint256,uint256,uint256,uint256,uint256,uint256)',
  ),
  handedOver: toEventSelector('CreatorRewardRecipientUpdated(uint256,address,address)'),
  created31: toEventSelector(
    'TokenCreated(address,address,address,address,address,uint256,string,string,int24,string,uint256,uint256,uint8,address)',
  ),
  v4Initialize: toEventSelector('Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)'),
  v4Swap: toEventSelector('Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)'),
  modifyLiquidity: toEventSelector('ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)'),
  stored: toEventSelector('StoreTokens(address,address,address,uint256,uint256)'),
  claimed: toEventSelector('ClaimTokens(address,address,uint256)'),
  claimedPermissioned: toEventSelector('ClaimTokensPermissioned(address,address,address,uint256)'),
  created4: toEventSelector(
    'TokenCreated(address,address,address,string,string,string,string,string,int24,address,bytes32,address,address,address,uint256,address[])',
  ),
}

export const pair = (a: Address, b: Address): readonly Hex[] => (a < b ? [a, b] : [b, a]).map(topic)
