import { parseAbi, toEventSelector } from 'viem/utils'
import { type Address, type Hex, toAddress } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { cleanTokenTexts } from '#domain/text.ts'
import { MalformedLogError } from '#launchpads/malformedLog.ts'
import { poolsCreated } from '#launchpads/pools/uniswapV3Factory.ts'
import { surfaceOfReferrer } from '#launchpads/surface.ts'
import { type PoolFacts, poolFacts } from '#launchpads/tokenEvent.ts'
import { addressWord, decodeEvent, wordsByName } from '#launchpads/words.ts'
import { COIN_CREATED_TOPICS, decodeCoinCreated } from './coinCreated.ts'

/*
 * How Zora's factory announces coins (IZoraFactory.sol, ICoin.sol in github.com/ourzora/zora-protocol, packages/coins): the first ones in
 * a Uniswap v3 pool, later ones, creator coins and trend coins in a Uniswap v4 pool with Zora's hook.
 */

const CREATED_V4 = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'event CoinCreatedV4(address indexed caller, address indexed payoutRecipient, address indexed platformReferrer, address currency, string uri, string name, string symbol, address coin, PoolKey poolKey, bytes32 poolKeyHash, string version)',
  'event CreatorCoinCreated(address indexed caller, address indexed payoutRecipient, address indexed platformReferrer, address currency, string uri, string name, string symbol, address coin, PoolKey poolKey, bytes32 poolKeyHash, string version)',
  'event TrendCoinCreated(address indexed caller, string symbol, address coin, PoolKey poolKey, bytes32 poolKeyHash, bytes poolConfig, string version)',
])
const [CONTENT_COIN, CREATOR_COIN, TREND_COIN] = CREATED_V4
const TOPICS = {
  contentCoin: toEventSelector(CONTENT_COIN),
  creatorCoin: toEventSelector(CREATOR_COIN),
  trendCoin: toEventSelector(TREND_COIN),
} as const

export const ZORA_CREATED_TOPICS: readonly Hex[] = [...COIN_CREATED_TOPICS, ...Object.values(TOPICS)]

/** Marks a pool whose fee its hook sets (v4-core, `LPFeeLibrary.sol`). */
const DYNAMIC_FEE = 0x80_00_00
const PIPS_PER_BPS = 100

interface ZoraContracts {
  readonly factory: Address
  /** `null`: unknown, and so are the fees of v3 pools. */
  readonly uniswapFactory: Address | null
  readonly weth: Address
}

export interface ZoraCreation {
  readonly token: Address
  /** The creator that the event names, else the first payout recipient. For a trend coin, the caller. */
  readonly creator: Address
  readonly pool: PoolFacts
  /** The hook of a v4 pool. */
  readonly hook: Address | null
  /** How long a creator coin vests from its launch on. `seconds` is `null` where its version is unknown. `null`: it does not vest. */
  readonly vesting: { readonly seconds: number | null } | null
  readonly texts: ReturnType<typeof cleanTokenTexts>
  readonly surface: string | null
}

/** @throws MalformedLogError */
export function decodeZoraCreation(log: ChainLog, logs: readonly ChainLog[], { uniswapFactory, weth }: ZoraContracts): ZoraCreation {
  switch (log.topics[0]) {
    case TOPICS.contentCoin:
    case TOPICS.creatorCoin: {
      const vests = log.topics[0] === TOPICS.creatorCoin
      const created = decodeEvent(vests ? CREATOR_COIN : CONTENT_COIN, log)
      const { name, symbol, uri, coin, payoutRecipient, poolKey, poolKeyHash, version } = created
      const surface = surfaceOfReferrer(created.platformReferrer)
      const vesting = vests ? { seconds: vestingSeconds(version) } : null
      const texts = cleanTokenTexts({ name, symbol, metadataUri: uri })
      return { ...v4Market(toAddress(coin), poolKey, poolKeyHash), creator: toAddress(payoutRecipient), vesting, texts, surface }
    }
    case TOPICS.trendCoin: {
      // It has no payout recipient, and its name is its symbol. The coin itself reports its metadata URI.
      const { symbol, coin, caller, poolKey, poolKeyHash } = decodeEvent(TREND_COIN, log)
      const texts = cleanTokenTexts({ name: symbol, symbol, metadataUri: '' })
      return { ...v4Market(toAddress(coin), poolKey, poolKeyHash), creator: toAddress(caller), vesting: null, texts, surface: null }
    }
    default: {
      const created = decodeCoinCreated(log, weth)
      if (created === null) throw new MalformedLogError('expected the event of a created coin')
      const { coin: token, creator, pool, currency: quoteToken, texts, surface } = created
      const made = uniswapFactory === null ? [] : poolsCreated(token, log, logs, uniswapFactory)
      const facts =
        made.find(one => one.facts.address === pool)?.facts ?? poolFacts(pool, 'uniswap-v3', { token, quoteToken, feeBps: null })
      return { token, creator, pool: facts, hook: null, vesting: null, texts, surface }
    }
  }
}

/** Version 2.3.0 began to count leap years (CreatorCoinConstants.sol). `null`: the version is not of the form that is known. */
function vestingSeconds(version: string): number | null {
  const [, major, minor] = /^(\d{1,4})\.(\d{1,4})\./.exec(version) ?? []
  if (major === undefined || minor === undefined) return null
  const isLeaping = Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 3)
  return 5 * (isLeaping ? 365.25 : 365) * 86_400
}

interface PoolKey {
  readonly currency0: string
  readonly currency1: string
  readonly fee: number
  readonly hooks: string
}

/** The market of a coin in the v4 pool of a key. @throws MalformedLogError when the coin is not one of the pool's currencies */
function v4Market(token: Address, key: PoolKey, id: Hex): Pick<ZoraCreation, 'token' | 'pool' | 'hook'> {
  const [currency0, currency1] = [toAddress(key.currency0), toAddress(key.currency1)]
  if (token !== currency0 && token !== currency1) throw new MalformedLogError('expected a pool of the coin')
  const quoteToken = token === currency0 ? currency1 : currency0
  const feeBps = (key.fee & DYNAMIC_FEE) === 0 ? key.fee / PIPS_PER_BPS : null
  const hook = toAddress(key.hooks)
  return { token, pool: poolFacts(id.toLowerCase() as Hex, 'uniswap-v4', { token, quoteToken, feeBps }), hook }
}

/** The pool that a coin's `LiquidityMigrated` names as its new one. Words: a pool key and its hash, twice. @throws MalformedLogError */
export function migratedMarket(token: Address, log: Pick<ChainLog, 'data'>): Pick<ZoraCreation, 'pool' | 'hook'> {
  const field = wordsByName(log.data, 12, { currency0: 6, currency1: 7, fee: 8, hooks: 10, poolId: 11 })
  const address = (name: 'currency0' | 'currency1' | 'hooks') => addressWord(field(name))
  const key = { currency0: address('currency0'), currency1: address('currency1'), hooks: address('hooks') }
  const fee = Number(field('fee'))
  if (!Number.isSafeInteger(fee)) throw new MalformedLogError('expected a fee')
  return v4Market(token, { ...key, fee }, `0x${field('poolId').toString(16).padStart(64, '0')}`)
}
