import { type Hex, keccak256 } from 'viem'
import type { Address } from '#domain/address.ts'
import { CREATOR, FACTORY, LIAR, logOf, TOKEN, WETH } from '#test/support/forgery.ts'
import { swap4 } from '#test/support/launchpadLogs.ts'
import { type NewLog, testAddress } from '#test/support/simulatedChain.ts'

export const Q96 = 2n ** 96n
export const [ID, FAKE_ID, NEW_ID] = ['0x01', '0x02', '0x03'].map(seed => keccak256(seed as Hex)) as [Hex, Hex, Hex]
export const HOOK = testAddress(600)
export const NEW_HOOK = testAddress(601)
export const ROUTER = testAddress(602)
export const KEY = '(address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks)'
export const keyOf = (coin: Address, currency: Address, hooks: Address) => {
  const [currency0, currency1] = [coin, currency].toSorted()
  return { currency0, currency1, fee: 10_000, tickSpacing: 200, hooks }
}
interface Announced {
  readonly coin?: Address
  readonly currency?: Address
  readonly id?: Hex
  readonly hooks?: Address
  readonly creator?: Address
  readonly version?: string
}
export const created = (name: 'CoinCreatedV4' | 'CreatorCoinCreated', announced: Announced = {}): NewLog => {
  const { coin = TOKEN, currency = WETH, id = ID, hooks = HOOK, creator = CREATOR, version = '1' } = announced
  const signature = `event ${name}(address indexed caller, address indexed payoutRecipient, address indexed platformReferrer, address currency, string uri, string name, string symbol, address coin, ${KEY} poolKey, bytes32 poolKeyHash, string version)`
  return logOf(FACTORY, signature, {
    caller: creator,
    payoutRecipient: creator,
    platformReferrer: LIAR,
    currency,
    uri: 'ipfs://coin',
    name: 'Coin',
    symbol: 'COIN',
    coin,
    poolKey: keyOf(coin, currency, hooks),
    poolKeyHash: id,
    version,
  })
}
export const swapV4 = (id: Hex, sqrtPriceX96 = Q96, sender = ROUTER): NewLog => swap4({ id, sqrtPriceX96, sender })
const REWARDS = `(${['creatorPayoutAmountCurrency', ...Array.from({ length: 9 }, (_, index) => `other${index}`)].map(name => `uint256 ${name}`).join(', ')})`
export const rewarded = (amount: bigint, coin = TOKEN, emitter = HOOK): NewLog =>
  logOf(
    emitter,
    `event CoinMarketRewardsV4(address coin, address currency, address payoutRecipient, address platformReferrer, address tradeReferrer, address protocolRewardRecipient, address dopplerRecipient, ${REWARDS} marketRewards)`,
    {
      coin,
      currency: WETH,
      payoutRecipient: CREATOR,
      platformReferrer: LIAR,
      tradeReferrer: LIAR,
      protocolRewardRecipient: LIAR,
      dopplerRecipient: LIAR,
      marketRewards: {
        creatorPayoutAmountCurrency: amount,
        ...Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`other${index}`, 0n])),
      },
    },
  )
export const ofCreatorCoin = (amount: bigint): NewLog =>
  logOf(
    HOOK,
    'event CreatorCoinRewards(address indexed coin, address currency, address creator, address protocol, uint256 creatorAmount, uint256 protocolAmount)',
    { coin: TOKEN, currency: WETH, creator: CREATOR, protocol: LIAR, creatorAmount: amount, protocolAmount: 1n },
  )
export const swapped = (swapSender: Address, isTrusted: boolean, emitter = HOOK): NewLog =>
  logOf(
    emitter,
    `event Swapped(address indexed sender, address indexed swapSender, bool isTrustedSwapSenderAddress, ${KEY} key, bytes32 indexed poolKeyHash, (bool zeroForOne, int256 amountSpecified, uint160 sqrtPriceLimitX96) params, int128 amount0, int128 amount1, bool isCoinBuy, bytes hookData, uint160 sqrtPriceX96)`,
    {
      sender: ROUTER,
      swapSender,
      isTrustedSwapSenderAddress: isTrusted,
      key: keyOf(TOKEN, WETH, HOOK),
      poolKeyHash: ID,
      params: { zeroForOne: true, amountSpecified: 1n, sqrtPriceLimitX96: 1n },
      amount0: 1n,
      amount1: 1n,
      isCoinBuy: true,
      sqrtPriceX96: 1n,
    },
  )
export const migrated = (to: Hex, hooks: Address, coin = TOKEN): NewLog =>
  logOf(coin, `event LiquidityMigrated(${KEY} fromPoolKey, bytes32 fromPoolKeyHash, ${KEY} toPoolKey, bytes32 toPoolKeyHash)`, {
    fromPoolKey: keyOf(coin, WETH, HOOK),
    fromPoolKeyHash: ID,
    toPoolKey: keyOf(coin, WETH, hooks),
    toPoolKeyHash: to,
  })
export const vestingClaimed = (amount: bigint, recipient = CREATOR): NewLog =>
  logOf(
    TOKEN,
    'event CreatorVestingClaimed(address indexed recipient, uint256 claimAmount, uint256 totalClaimed, uint256 vestingStartTime, uint256 vestingEndTime)',
    { recipient, claimAmount: amount, totalClaimed: amount, vestingStartTime: 1n, vestingEndTime: 2n },
  )
export const renamed = (newName: string, newSymbol: string): NewLog =>
  logOf(TOKEN, 'event NameAndSymbolUpdated(address indexed caller, string newName, string newSymbol)', {
    caller: CREATOR,
    newName,
    newSymbol,
  })
export const metadataUpdated = (newURI: string): NewLog =>
  logOf(TOKEN, 'event ContractMetadataUpdated(address indexed caller, string newURI, string name)', { caller: CREATOR, newURI, name: '' })
export const recipientUpdated = (from: Address, to: Address, coin = TOKEN): NewLog =>
  logOf(coin, 'event CoinPayoutRecipientUpdated(address indexed caller, address indexed prevRecipient, address indexed newRecipient)', {
    caller: from,
    prevRecipient: from,
    newRecipient: to,
  })
