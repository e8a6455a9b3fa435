import { encodeFunctionData, parseAbi, toEventSelector } from 'viem/utils'
import { type Address, type Hex, isEther, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { cleanTokenTexts } from '#domain/text.ts'
import {
  type AdapterKind,
  type AdapterOptions,
  contractsOf,
  type DecodedTransaction,
  decodeEach,
  type LaunchpadAdapter,
  type TransactionLogs,
  type Vesting,
} from '#launchpads/adapter.ts'
import { type DiscoveredSource, launchedSources, poolSource, type SourceLookup, tokenSource } from '#launchpads/logSource.ts'
import { POOL_CREATED_TOPIC, poolsCreated, V3_TOPICS } from '#launchpads/pools/uniswapV3.ts'
import { V4_SWAP_TOPIC } from '#launchpads/pools/uniswapV4.ts'
import {
  escrowChange,
  eventPosition,
  type PoolFacts,
  poolFacts,
  type TokenEvent,
  type TokenEventOf,
  type TokenEventPosition,
} from '#launchpads/tokenEvent.ts'
import {
  addressTopic,
  addressWord,
  decodeEvent,
  MalformedLogError,
  unlessMalformed,
  unsigned,
  wordsByName,
  wordsOf,
} from '#launchpads/words.ts'
import { surfaceOfReferrer } from './clankerToken.ts'
import { COIN_CREATED_TOPICS, decodeCoinCreated, decodeProtocolRewards, PROTOCOL_REWARDS_TOPICS, withdrawCall } from './zoraProtocol.ts'

/*
 * Zora's coins. A coin trades in a pool of any currency from its creation on: most in Uniswap v4, with a hook that shares out the fees at
 * every swap, the oldest in v3, where the coin shares them out. v3 coins in ETH pay into ProtocolRewards, all others pay the recipients at
 * once.
 */

const CLAIM_VESTING = parseAbi(['function claimVesting() returns (uint256)'])
const DECIMALS = 18
/** For a creator coin: the raw units that vest to its payout recipient (CreatorCoinConstants.sol). */
const VESTING_SUPPLY = 500_000_000n * 10n ** 18n

export const zoraCoins: AdapterKind = {
  version: 3,
  contracts: ['factory', 'poolManager'],
  presets: {
    factory: toAddress('0x777777751622c0d3258f214F9DF38E35BF45baF3'),
    poolManager: toAddress('0x498581fF718922c3f8e6A244956aF099B2652b2b'),
    protocolRewards: toAddress('0x7777777F279eba3d3Ad8F4E708545291A6fDBA8B'),
    uniswapFactory: toAddress('0x33128a8fC17869897dcE68Ed026d694621f6FDfD'),
  },
  optionalContracts: ['protocolRewards', 'uniswapFactory'],
  derivedContracts: {
    poolManager: [['coinV4Impl()', 'poolManager()']],
    protocolRewards: ['coinImpl()', 'coinV4Impl()'].map(coin => [coin, 'protocolRewards()']),
    uniswapFactory: [['coinImpl()', 'v3Factory()']],
  },
  create: createZoraCoins,
}

function createZoraCoins(options: AdapterOptions): LaunchpadAdapter {
  const { launchpad, startBlock, weth } = options
  const { factory, poolManager } = contractsOf(options, ['factory', 'poolManager'])
  const { protocolRewards = null, uniswapFactory = null } = options.contracts
  const contracts = { factory, uniswapFactory, weth }
  const created = new Set(ZORA_CREATED_TOPICS)
  const isCreation = (log: ChainLog) => log.address === factory && created.has(log.topics[0] ?? '0x')
  const isMigration = ({ topics }: ChainLog) => topics[0] === LIQUIDITY_MIGRATED_TOPIC
  const creationOf = (log: ChainLog, logs: readonly ChainLog[]) => decodeZoraCreation(log, logs, contracts)
  const isCoin = ({ address }: ChainLog, lookup: SourceLookup) => {
    const source = lookup(address)
    return source?.role === 'token' && source.launchpad === launchpad
  }
  return {
    launchpad,
    startBlock,
    contracts: [
      { address: factory, role: 'contract' },
      { address: poolManager, role: 'poolManager' },
      ...(protocolRewards === null ? [] : [{ address: protocolRewards, role: 'contract' } as const]),
      ...(uniswapFactory === null ? [] : [{ address: uniswapFactory, role: 'contract', topics: [[POOL_CREATED_TOPIC]] } as const]),
    ],
    discoveryTopics: new Set([...ZORA_CREATED_TOPICS, LIQUIDITY_MIGRATED_TOPIC]),
    decodedTopics: new Set([...ZORA_CREATED_TOPICS, ...ZORA_COIN_TOPICS, ...PROTOCOL_REWARDS_TOPICS, POOL_CREATED_TOPIC, ...V3_TOPICS]),
    discover: (logs, lookup) => [
      ...launchedSources(logs.filter(isCreation), log => sourcesOf(creationOf(log, logs), launchpad), lookup),
      ...logs
        .filter(log => isMigration(log) && isCoin(log, lookup))
        .flatMap(log => unlessMalformed(() => marketSources({ ...migratedTo(log), token: log.address }, launchpad)) ?? []),
    ],
    discoverFromUnknown: logs =>
      logs.filter(isMigration).flatMap(log => {
        const market = unlessMalformed(() => migratedTo(log))
        return market === null ? [] : marketSources({ ...market, token: log.address }, launchpad).map(({ key }) => key)
      }),
    decode: (transaction, lookup) => {
      const logs = transaction.logs.map(({ log }) => log)
      const ofCoins = decodeZoraCoins(transaction, { launchpad, weth, lookup })
      const others = decodeEach(transaction, ({ log }) => {
        if (isCreation(log)) return launch(log, creationOf(log, logs), transaction, options)
        return log.address === protocolRewards ? decodeProtocolRewards(log, transaction, launchpad, lookup) : []
      })
      const { makers } = ofCoins
      return { events: [...ofCoins.events, ...others.events], malformed: [...ofCoins.malformed, ...others.malformed], makers }
    },
    vestedOf: vested,
    claimCall: target => {
      const { token, currency, scope, amount } = target
      if (scope === 'creator') return protocolRewards === null ? null : withdrawCall(protocolRewards, target)
      const vests = currency === token && amount !== null && amount > 0n
      return vests ? { to: token, data: encodeFunctionData({ abi: CLAIM_VESTING }) } : null
    },
  }
}

/** What has vested of a creator coin, as its contract rounds it. */
function vested({ createdAt, endsAt, at }: Vesting): bigint {
  if (at <= createdAt) return 0n
  return at >= endsAt ? VESTING_SUPPLY : (VESTING_SUPPLY * BigInt(at - createdAt)) / BigInt(endsAt - createdAt)
}

function migratedTo(log: ChainLog): Pick<ZoraCreation, 'pool' | 'hook'> {
  return migratedMarket(log.address, log)
}

function sourcesOf(creation: ZoraCreation, launchpad: string): readonly DiscoveredSource[] {
  return [tokenSource(launchpad, creation.token), ...marketSources(creation, launchpad)]
}

function marketSources(
  { token, pool, hook }: Pick<ZoraCreation, 'token' | 'pool' | 'hook'>,
  launchpad: string,
): readonly DiscoveredSource[] {
  const market = poolSource(launchpad, token, pool, DECIMALS)
  return hook === null || hook === ZERO_ADDRESS ? [market] : [market, { key: hook, source: { role: 'module', launchpad } }]
}

function launch(
  log: ChainLog,
  { token, pool, creator, vesting, texts, surface }: ZoraCreation,
  transaction: TransactionLogs,
  { launchpad, weth }: Pick<AdapterOptions, 'launchpad' | 'weth'>,
): readonly TokenEvent[] {
  const at = { ...eventPosition(log, transaction), token }
  const inEther = isEther(pool.quoteToken, weth)
  const isV4 = pool.type === 'uniswap-v4'
  const events: TokenEvent[] = [
    {
      ...at,
      kind: 'launch',
      launchpad,
      creator,
      ...texts,
      surface,
      decimals: DECIMALS,
      // Set in contracts of which there are many versions.
      creatorFeeBps: null,
      // A withdrawal from the escrow names no token.
      feesReported: { accrued: inEther, claimed: inEther && isV4 },
      graduation: { status: 'none', target: null },
    },
    { ...at, kind: 'poolCreated', pool, main: true },
  ]
  // Opens the creator's account: deposits by others count from now on.
  if (inEther && !isV4) events.push(escrowChange(at, { launchpad, creator, currency: ZERO_ADDRESS }))
  if (vesting !== null) {
    const vestingEndsAt = vesting.seconds === null ? null : at.timestamp + vesting.seconds
    events.push({ ...at, kind: 'updated', fields: { vestingClaimed: 0n, vestingEndsAt } }, vestingAccount(at, launchpad, creator))
  }
  return events
}

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

interface ZoraCreation {
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
function decodeZoraCreation(log: ChainLog, logs: readonly ChainLog[], { uniswapFactory, weth }: ZoraContracts): ZoraCreation {
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
function migratedMarket(token: Address, log: Pick<ChainLog, 'data'>): Pick<ZoraCreation, 'pool' | 'hook'> {
  const field = wordsByName(log.data, 12, { currency0: 6, currency1: 7, fee: 8, hooks: 10, poolId: 11 })
  const address = (name: 'currency0' | 'currency1' | 'hooks') => addressWord(field(name))
  const key = { currency0: address('currency0'), currency1: address('currency1'), hooks: address('hooks') }
  const fee = Number(field('fee'))
  if (!Number.isSafeInteger(fee)) throw new MalformedLogError('expected a fee')
  return v4Market(token, { ...key, fee }, `0x${field('poolId').toString(16).padStart(64, '0')}`)
}

const [RENAMED, METADATA_UPDATED, VESTING_CLAIMED] = parseAbi([
  'event NameAndSymbolUpdated(address indexed caller, string newName, string newSymbol)',
  'event ContractMetadataUpdated(address indexed caller, string newURI, string name)',
  'event CreatorVestingClaimed(address indexed recipient, uint256 claimAmount, uint256 totalClaimed, uint256 vestingStartTime, uint256 vestingEndTime)',
])
const POOL_KEY = '(address,address,uint24,int24,address)'
const WORDS_OF_REWARDS_V4 = Array.from({ length: 10 }, () => 'uint256').join()
const WORDS_OF_REWARDS = Array.from({ length: 8 }, () => 'uint256').join()

/** Events of the hooks (IZoraV4CoinHook.sol, ICreatorCoinHook.sol) and of the coins (ICoin.sol, ICreatorCoin.sol). */
const REWARD_TOPICS = {
  marketRewardsV4: toEventSelector(`CoinMarketRewardsV4(address,address,address,address,address,address,address,(${WORDS_OF_REWARDS_V4}))`),
  creatorCoinRewards: toEventSelector('CreatorCoinRewards(address,address,address,address,uint256,uint256)'),
  swapped: toEventSelector(`Swapped(address,address,bool,${POOL_KEY},bytes32,(bool,int256,uint160),int128,int128,bool,bytes,uint160)`),
  marketRewards: toEventSelector(`CoinMarketRewards(address,address,address,address,(${WORDS_OF_REWARDS}))`),
  tradeRewards: toEventSelector('CoinTradeRewards(address,address,address,address,uint256,uint256,uint256,uint256,address)'),
  recipientUpdated: toEventSelector('CoinPayoutRecipientUpdated(address,address,address)'),
  vestingClaimed: toEventSelector(VESTING_CLAIMED),
  renamed: toEventSelector(RENAMED),
  metadataUpdated: toEventSelector(METADATA_UPDATED),
  liquidityMigrated: toEventSelector(`LiquidityMigrated(${POOL_KEY},bytes32,${POOL_KEY},bytes32)`),
} as const

export const ZORA_COIN_TOPICS: readonly Hex[] = Object.values(REWARD_TOPICS)
export const LIQUIDITY_MIGRATED_TOPIC = REWARD_TOPICS.liquidityMigrated

/** The bits of a whole number that a double holds exactly. */
const SAFE_BITS = 53

interface Context {
  readonly launchpad: string
  readonly weth: Address
  readonly lookup: SourceLookup
}

/** What a transaction's coins and hooks report: what payout recipients earned, who they are, who swapped, and a market that moved. */
function decodeZoraCoins(transaction: TransactionLogs, context: Context): Required<Omit<DecodedTransaction, 'partialSwaps'>> {
  const { launchpad, lookup } = context
  const makers = new Map<number, Address>()
  /** Swaps in v4 pools since the hook's last report. */
  let swaps: number[] = []
  /** Coins whose last swap's rewards were counted from `CoinMarketRewardsV4`, which later hooks emit before `CreatorCoinRewards`. */
  const counted = new Set<Address>()
  const isCoin = (address: Address) => {
    const source = lookup(address)
    return source?.role === 'token' && source.launchpad === launchpad
  }

  const decodeHook = (log: ChainLog): readonly TokenEvent[] => {
    const at = (token: Address) => ({ ...eventPosition(log, transaction), token })
    switch (log.topics[0]) {
      case REWARD_TOPICS.marketRewardsV4: {
        // The recipients' shares are all paid in one currency, of late also in the coin itself. The event's amounts of coins are always 0.
        const field = wordsByName(log.data, 17, { coin: 0, currency: 1, payoutRecipient: 2, creatorAmount: 7 })
        const coin = addressWord(field('coin'))
        if (!isCoin(coin)) return []
        counted.add(coin)
        const [recipient, currency] = [addressWord(field('payoutRecipient')), addressWord(field('currency'))]
        return paid(at(coin), launchpad, { recipient, currency, amount: field('creatorAmount') })
      }
      case REWARD_TOPICS.creatorCoinRewards: {
        const coin = addressTopic(log.topics, 1)
        if (!isCoin(coin) || counted.delete(coin)) return []
        const field = wordsByName(log.data, 5, { currency: 0, creator: 1, creatorAmount: 3 })
        const [recipient, currency] = [addressWord(field('creator')), addressWord(field('currency'))]
        return paid(at(coin), launchpad, { recipient, currency, amount: field('creatorAmount') })
      }
      case REWARD_TOPICS.swapped: {
        // The hook asks the router for its caller, and believes routers that Zora trusts. The hook's swaps of fees before this report count
        // for the same account.
        const swapper = addressTopic(log.topics, 2)
        const isTrusted = wordsOf(log.data, 1)(0) === 1n
        if (isTrusted && swapper !== ZERO_ADDRESS) for (const swap of swaps) makers.set(swap, swapper)
        swaps = []
        return []
      }
      default:
        return []
    }
  }

  const { events, malformed } = decodeEach(transaction, ({ log, source }) => {
    if (source.launchpad !== launchpad) return []
    if (source.role === 'pool' && log.topics[0] === V4_SWAP_TOPIC) swaps.push(log.logIndex)
    if (source.role === 'module') return decodeHook(log)
    return source.role === 'token' ? decodeCoin(log, { ...eventPosition(log, transaction), token: source.token }, context) : []
  })
  return { events, malformed, makers }
}

function decodeCoin(log: ChainLog, at: TokenEventPosition, { launchpad, weth }: Context): readonly TokenEvent[] {
  const { token } = at
  switch (log.topics[0]) {
    case REWARD_TOPICS.tradeRewards: {
      const field = wordsByName(log.data, 6, { creatorReward: 1, currency: 5 })
      const [amount, currency] = [field('creatorReward'), addressWord(field('currency'))]
      return earned(at, launchpad, { recipient: addressTopic(log.topics, 1), currency, amount, inEscrow: isEther(currency, weth) })
    }
    case REWARD_TOPICS.marketRewards: {
      const field = wordsByName(log.data, 10, { currency: 1, creatorAmount: 4, creatorCoins: 5 })
      const [recipient, currency] = [addressTopic(log.topics, 1), addressWord(field('currency'))]
      return [
        ...earned(at, launchpad, { recipient, currency, amount: field('creatorAmount'), inEscrow: isEther(currency, weth) }),
        ...paid(at, launchpad, { recipient, currency: token, amount: field('creatorCoins') }),
      ]
    }
    case REWARD_TOPICS.recipientUpdated: {
      const [from, to] = [addressTopic(log.topics, 2), addressTopic(log.topics, 3)]
      if (from === ZERO_ADDRESS || from === to) return []
      return [
        { ...vestingAccount(at, launchpad, to), handover: 'to', onlyVesting: true },
        { ...vestingAccount(at, launchpad, from), handover: 'from', onlyVesting: true, onlyKnown: true },
      ]
    }
    case REWARD_TOPICS.vestingClaimed: {
      const { recipient, claimAmount, totalClaimed, vestingEndTime } = decodeEvent(VESTING_CLAIMED, log)
      const fields = { vestingClaimed: totalClaimed, vestingEndsAt: Number(unsigned(vestingEndTime, SAFE_BITS)) }
      return [
        { ...at, kind: 'updated', fields },
        { ...vestingAccount(at, launchpad, toAddress(recipient)), claimed: claimAmount },
      ]
    }
    case REWARD_TOPICS.renamed: {
      const { newName, newSymbol } = decodeEvent(RENAMED, log)
      const { name, symbol } = cleanTokenTexts({ name: newName, symbol: newSymbol, metadataUri: '' })
      return [{ ...at, kind: 'updated', fields: { name, symbol } }]
    }
    case REWARD_TOPICS.metadataUpdated: {
      const { metadataUri } = cleanTokenTexts({ name: '', symbol: '', metadataUri: decodeEvent(METADATA_UPDATED, log).newURI })
      return [{ ...at, kind: 'updated', fields: { metadataUri } }]
    }
    case REWARD_TOPICS.liquidityMigrated: {
      const { pool } = migratedMarket(token, log)
      return [
        { ...at, kind: 'poolCreated', pool, main: false },
        { ...at, kind: 'marketMoved', pool: pool.address },
      ]
    }
    default:
      return []
  }
}

/** The account of what vests to a coin's payout recipient. It accrues with time, so events only report what was claimed. */
function vestingAccount(at: TokenEventPosition, launchpad: string, creator: Address): TokenEventOf<'creatorFee'> {
  return { ...at, kind: 'creatorFee', launchpad, creator, currency: at.token, scope: 'token', accrued: null, claimed: 0n }
}

interface Reward {
  readonly recipient: Address
  readonly currency: Address
  readonly amount: bigint
}

/** Earned and paid out at once. */
function paid(at: TokenEventPosition, launchpad: string, { recipient, currency, amount }: Reward): readonly TokenEvent[] {
  if (amount === 0n) return []
  return [{ ...at, kind: 'creatorFee', launchpad, creator: recipient, currency, scope: 'token', accrued: amount, claimed: amount }]
}

/** @param reward.inEscrow whether it is deposited in ProtocolRewards, whose own events report the recipient's account */
function earned(at: TokenEventPosition, launchpad: string, reward: Reward & { readonly inEscrow: boolean }): readonly TokenEvent[] {
  return reward.inEscrow ? [{ ...at, kind: 'creatorShare', accruedWei: reward.amount }] : paid(at, launchpad, reward)
}
