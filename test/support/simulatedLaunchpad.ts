import { concat, encodeAbiParameters, type Hex, keccak256, parseAbiParameters, toEventSelector } from 'viem'
import { createRandom, type Random } from '#devchain/traders/random.ts'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { type NewLog, testAddress } from './simulatedChain.ts'
import { actClanker, type ClankerToken, DOLLAR_POOL, launchClanker } from './simulatedClanker.ts'
import { randomPrice, randomSwap, topic, transferLog, v3SwapLog, words } from './simulatedLogs.ts'
import { actCoin, launchCoin, type SimulatedCoin } from './simulatedZora.ts'

/** The state of a branch of the chain, immutable, so that a fork can start at any block. */
export interface Market {
  readonly tokens: readonly SimulatedToken[]
  readonly clankers: readonly ClankerToken[]
  readonly coins: readonly SimulatedCoin[]
}

interface SimulatedToken {
  readonly token: Address
  readonly curve: Address
  readonly creator: Address
  readonly pool: Address | null
  readonly accrued: bigint
}

export const FACTORY = testAddress(1)
export const WETH = testAddress(2)
export const START_BLOCK = 1
const HOLDERS = [0xdead, 11, 12, 13, 14, 15].map(index => testAddress(index))
const CAST = { weth: WETH, holders: HOLDERS }
const ETHER = 10n ** 18n

export const EMPTY_MARKET: Market = { tokens: [], clankers: [], coins: [] }

/**
 * The logs of one block of the reference launchpad, of both Clankers and of Zora, and the branch's state after it. The nth token of every
 * branch has the same address, so a launch that a reorg drops often happens again.
 */
export function tradeBlock(market: Market, random: Random): { readonly logs: readonly NewLog[]; readonly market: Market } {
  const logs: NewLog[] = []
  let { tokens, clankers } = market
  for (let count = random.weighted([4, 5, 2, 1]); count > 0; count--) {
    if (random.chance(0.3)) {
      const launches = clankers.length === 0 || (clankers.length < 6 && random.chance(0.2))
      const token = launches ? null : random.pick(clankers)
      const acted = token === null ? launchClanker(clankers.length, CAST, random) : actClanker(token, CAST, random)
      clankers = token === null ? [...clankers, acted.token] : clankers.map(one => (one === token ? acted.token : one))
      // All in one transaction.
      logs.push(...acted.logs.map(log => ({ ...log, tx: count })))
      continue
    }
    if (tokens.length === 0 || (tokens.length < 8 && random.chance(0.15))) {
      const launched = launch(tokens.length, random)
      logs.push(...launched.logs)
      tokens = [...tokens, launched.token]
      continue
    }
    const token = random.pick(tokens)
    const acted = act(token, random)
    logs.push(...acted.logs.map(log => ({ ...log, tx: count })))
    tokens = tokens.map(one => (one === token ? acted.token : one))
  }
  if (random.chance(0.2)) logs.push(v3SwapLog(DOLLAR_POOL, random.pick(HOLDERS), randomSwap(random), random))
  const traded = tradeCoins(market.coins, logs)
  return { logs: [...logs, ...traded.logs], market: { tokens, clankers, coins: traded.coins } }
}

/** What Zora's coins do in a block, as the block's other logs determine: each branch differs in them, and no other choice depends on it. */
function tradeCoins(
  coins: Market['coins'],
  others: readonly NewLog[],
): { readonly logs: readonly NewLog[]; readonly coins: Market['coins'] } {
  const random = createRandom(Number(BigInt(keccak256(concat(others.map(({ data }) => data ?? '0x')))) % 2n ** 31n))
  if (others.length === 0 || random.chance(0.6)) return { logs: [], coins }
  const launches = coins.length === 0 || (coins.length < 4 && random.chance(0.2))
  const coin = launches ? null : random.pick(coins)
  const acted = coin === null ? launchCoin(coins.length, CAST, random) : actCoin(coin, CAST, random)
  return {
    logs: acted.logs.map(log => ({ ...log, tx: 99 })),
    coins: coin === null ? [...coins, acted.coin] : coins.map(one => (one === coin ? acted.coin : one)),
  }
}

interface Acted {
  readonly logs: readonly NewLog[]
  readonly token: SimulatedToken
}

/** The creation event comes last in its transaction, after the mint. */
function launch(index: number, random: Random): Acted {
  const creator = random.pick(HOLDERS)
  const token = { token: testAddress(100 + index), curve: testAddress(200 + index), creator, pool: null, accrued: 0n }
  const supply = 10n ** 27n
  const name = random.integer(0, 99)
  const data = encodeAbiParameters(parseAbiParameters('string, string, string, uint256, uint256, uint256, uint256, uint16, uint16'), [
    `Name ${name}`,
    `S${random.integer(0, 9)}`,
    // Few, so that tokens share them, and so that a token gets another one on another branch.
    `ipfs://x${name % 4}`,
    supply,
    2n * ETHER,
    supply,
    4n * ETHER,
    100,
    5_000,
  ])
  const topics = [LAUNCHPAD_TOPICS.launched, topic(token.token), topic(creator), topic(token.curve)]
  return { logs: [transferLog(token.token, ZERO_ADDRESS, token.curve, supply), { address: FACTORY, topics, data }], token }
}

function act(token: SimulatedToken, random: Random): Acted {
  const [from, to] = [random.pick(HOLDERS), random.pick(HOLDERS)]
  const amount = BigInt(random.integer(1, 1_000_000)) * 10n ** 18n
  const weiAmount = BigInt(random.integer(1, 1_000)) * 10n ** 15n
  switch (random.weighted([8, 3, token.accrued > 0n ? 1 : 0, token.pool === null ? 1 : 0])) {
    case 0:
      return token.pool === null ? tradeOnCurve(token, from, weiAmount, amount, random) : tradeInPool(token, token.pool, from, random)
    case 1:
      return { token, logs: [transferLog(token.token, from, to, amount)] }
    case 2: {
      const topics = [LAUNCHPAD_TOPICS.claimed, topic(token.token), topic(token.creator), topic(WETH)]
      return { token: { ...token, accrued: 0n }, logs: [{ address: FACTORY, topics, data: words(BigInt(token.creator), token.accrued) }] }
    }
    default:
      return graduate(token, random)
  }
}

function tradeOnCurve(token: SimulatedToken, holder: Address, weiAmount: bigint, most: bigint, random: Random): Acted {
  const buy = random.chance(0.65)
  // Some makers only trade, and most of them sell what they have bought, so that it is known what it cost.
  const onlyTrades = weiAmount % 3n !== 0n
  const maker = onlyTrades ? testAddress(9_000 + Number((weiAmount / 10n ** 15n) % 4n)) : holder
  const amount = onlyTrades && !buy ? most / 10n : most
  const fee = weiAmount / 100n
  const after = [2n * ETHER + weiAmount, 10n ** 27n - amount, BigInt(random.integer(0, 3_999)) * 10n ** 15n, 10n ** 27n - amount]
  const values = buy ? [weiAmount, fee, amount, ...after] : [amount, weiAmount, fee, ...after]
  const topics = [buy ? LAUNCHPAD_TOPICS.bought : LAUNCHPAD_TOPICS.sold, topic(maker), topic(maker)]
  return {
    token: { ...token, accrued: token.accrued + fee / 2n },
    logs: [
      buy ? transferLog(token.token, token.curve, maker, amount) : transferLog(token.token, maker, token.curve, amount),
      {
        address: FACTORY,
        topics: [LAUNCHPAD_TOPICS.accrued, topic(token.token), topic(token.creator), topic(WETH)],
        data: words(fee / 2n),
      },
      { address: token.curve, topics, data: words(...values) },
    ],
  }
}

function graduate(token: SimulatedToken, random: Random): Acted {
  const pool = testAddress(300 + Number(BigInt(token.token) % 100n) * 10 + random.integer(0, 1))
  const sqrtPriceX96 = randomPrice(random)
  return {
    token: { ...token, pool },
    logs: [
      { address: token.curve, topics: [LAUNCHPAD_TOPICS.completed], data: words(4n * ETHER) },
      { address: pool, topics: [LAUNCHPAD_TOPICS.initialize], data: words(sqrtPriceX96, 100n) },
      transferLog(token.token, token.curve, pool, 10n ** 26n),
      {
        address: pool,
        topics: [LAUNCHPAD_TOPICS.mint, topic(FACTORY), signedTopic(-200), signedTopic(200)],
        data: words(BigInt(FACTORY), 10n ** 20n, 10n ** 26n, 4n * ETHER),
      },
      {
        address: FACTORY,
        topics: [LAUNCHPAD_TOPICS.graduated, topic(token.token), topic(pool)],
        data: words(1n, 4n * ETHER, 10n ** 26n),
      },
    ],
  }
}

function tradeInPool(token: SimulatedToken, pool: Address, maker: Address, random: Random): Acted {
  const swapped = randomSwap(random)
  const amount = swapped.amount0 < 0n ? -swapped.amount0 : swapped.amount0
  return { token, logs: [transferLog(token.token, pool, maker, amount), v3SwapLog(pool, maker, swapped, random)] }
}

/** First topics. */
export const LAUNCHPAD_TOPICS = {
  launched: toEventSelector('TokenLaunched(address,address,address,string,string,string,uint256,uint256,uint256,uint256,uint16,uint16)'),
  graduated: toEventSelector('Graduated(address,address,uint256,uint256,uint256)'),
  accrued: toEventSelector('FeeAccrued(address,address,address,uint256)'),
  claimed: toEventSelector('FeeClaimed(address,address,address,address,uint256)'),
  bought: toEventSelector('Bought(address,address,uint256,uint256,uint256,uint256,uint256,uint256,uint256)'),
  sold: toEventSelector('Sold(address,address,uint256,uint256,uint256,uint256,uint256,uint256,uint256)'),
  completed: toEventSelector('Completed(uint256)'),
  initialize: toEventSelector('Initialize(uint160,int24)'),
  mint: toEventSelector('Mint(address,address,int24,int24,uint128,uint256,uint256)'),
}

const signedTopic = (value: number): Hex => words(BigInt(value))
