import { parseAbi, toEventSelector } from 'viem'
import { expect, it } from 'vitest'
import { LIQUIDITY_MIGRATED_TOPIC, ZORA_COIN_TOPICS, ZORA_CREATED_TOPICS } from '#launchpads/adapters/zoraCoins.ts'
import { COIN_CREATED_TOPICS } from '#launchpads/adapters/zoraProtocol.ts'

// The events as Zora declares them, with the names of their arguments: IZoraFactory.sol, ICoin.sol, ICreatorCoin.sol, IZoraV4CoinHook.sol
// and ICreatorCoinHook.sol in packages/coins/src/interfaces of github.com/ourzora/zora-protocol.

const POOL_KEY = 'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }'
const topicsOf = (events: readonly string[]) =>
  (parseAbi([POOL_KEY, ...events] as readonly string[]) as unknown as Parameters<typeof toEventSelector>[0][]).map(event =>
    toEventSelector(event),
  )

const COIN =
  'address indexed caller, address indexed payoutRecipient, address indexed platformReferrer, address currency, string uri, string name, string symbol, address coin'

it('knows every version of the event that announces a coin', () => {
  const v3 = topicsOf([
    'event CoinCreated(address indexed deployer, address indexed creator, address indexed payoutRecipient, address platformReferrer, address currency, string tokenURI, string name, string symbol, address coin, address pool)',
    `event CoinCreated(${COIN}, address pool)`,
    `event CoinCreated(${COIN}, address pool, string version)`,
  ])
  const v4 = topicsOf([
    `event CoinCreatedV4(${COIN}, PoolKey poolKey, bytes32 poolKeyHash, string version)`,
    `event CreatorCoinCreated(${COIN}, PoolKey poolKey, bytes32 poolKeyHash, string version)`,
    'event TrendCoinCreated(address indexed caller, string symbol, address coin, PoolKey poolKey, bytes32 poolKeyHash, bytes poolConfig, string version)',
  ])
  expect(COIN_CREATED_TOPICS).toEqual(v3)
  expect(ZORA_CREATED_TOPICS).toEqual([...v3, ...v4])
})

it('knows what coins and hooks report', () => {
  const rewards =
    'uint256 totalAmountCurrency; uint256 totalAmountCoin; uint256 creatorPayoutAmountCurrency; uint256 creatorPayoutAmountCoin; uint256 platformReferrerAmountCurrency; uint256 platformReferrerAmountCoin; uint256 protocolAmountCurrency; uint256 protocolAmountCoin;'
  const rewardsV4 =
    'uint256 creatorPayoutAmountCurrency; uint256 creatorPayoutAmountCoin; uint256 platformReferrerAmountCurrency; uint256 platformReferrerAmountCoin; uint256 tradeReferrerAmountCurrency; uint256 tradeReferrerAmountCoin; uint256 protocolAmountCurrency; uint256 protocolAmountCoin; uint256 dopplerAmountCurrency; uint256 dopplerAmountCoin;'
  const topics = topicsOf([
    `struct MarketRewards { ${rewards} }`,
    `struct MarketRewardsV4 { ${rewardsV4} }`,
    'struct SwapParams { bool zeroForOne; int256 amountSpecified; uint160 sqrtPriceLimitX96; }',
    'event CoinMarketRewardsV4(address coin, address currency, address payoutRecipient, address platformReferrer, address tradeReferrer, address protocolRewardRecipient, address dopplerRecipient, MarketRewardsV4 marketRewards)',
    'event CreatorCoinRewards(address indexed coin, address currency, address creator, address protocol, uint256 creatorAmount, uint256 protocolAmount)',
    'event Swapped(address indexed sender, address indexed swapSender, bool isTrustedSwapSenderAddress, PoolKey key, bytes32 indexed poolKeyHash, SwapParams params, int128 amount0, int128 amount1, bool isCoinBuy, bytes hookData, uint160 sqrtPriceX96)',
    'event CoinMarketRewards(address indexed payoutRecipient, address indexed platformReferrer, address protocolRewardRecipient, address currency, MarketRewards marketRewards)',
    'event CoinTradeRewards(address indexed payoutRecipient, address indexed platformReferrer, address indexed tradeReferrer, address protocolRewardRecipient, uint256 creatorReward, uint256 platformReferrerReward, uint256 traderReferrerReward, uint256 protocolReward, address currency)',
    'event CoinPayoutRecipientUpdated(address indexed caller, address indexed prevRecipient, address indexed newRecipient)',
    'event CreatorVestingClaimed(address indexed recipient, uint256 claimAmount, uint256 totalClaimed, uint256 vestingStartTime, uint256 vestingEndTime)',
    'event NameAndSymbolUpdated(address indexed caller, string newName, string newSymbol)',
    'event ContractMetadataUpdated(address indexed caller, string newURI, string name)',
    'event LiquidityMigrated(PoolKey fromPoolKey, bytes32 fromPoolKeyHash, PoolKey toPoolKey, bytes32 toPoolKeyHash)',
  ])
  expect(ZORA_COIN_TOPICS).toEqual(topics)
  // As seen on Base.
  expect(LIQUIDITY_MIGRATED_TOPIC).toBe('0x907fbdc07b1c9a591dc1287635b072fa848f4da7c86645dfc9b8bfb3b94f82ab')
})
