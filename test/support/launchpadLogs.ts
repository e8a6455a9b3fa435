import { type Hex, keccak256 } from 'viem'
import type { Address } from '#domain/address.ts'
import { BUYER, CREATOR, CURVE, FACTORY, LIAR, LOCKER, logOf, MANAGER, POOL, TOKEN, WETH } from './forgery.ts'
import type { NewLog } from './simulatedChain.ts'

/*
 * Logs of launchpads' contracts as they are about a token in a pool against WETH. A test names the fields that matter to it. Accounts that no
 * adapter should believe are the liar.
 */

type Fields = Readonly<Record<string, unknown>>

const Q96 = 2n ** 96n
/** Of the token's pool in Uniswap v4. */
export const ID: Hex = keccak256('0x01')

const CREATED_31 =
  'event TokenCreated(address indexed tokenAddress, address indexed creatorAdmin, address indexed interfaceAdmin, address creatorRewardRecipient, address interfaceRewardRecipient, uint256 positionId, string name, string symbol, int24 startingTickIfToken0IsNewToken, string metadata, uint256 amountTokensBought, uint256 vaultDuration, uint8 vaultPercentage, address msgSender)'
const CLAIMED_31 =
  'event ClaimedRewards(uint256 indexed lpTokenId, address indexed creatorRecipient, address indexed interfaceRecipient, address teamRecipient, address token0, address token1, uint256 creatorReward0, uint256 creatorReward1, uint256 interfaceReward0, uint256 interfaceReward1, uint256 teamReward0, uint256 teamReward1)'
const CREATED_4 =
  'event TokenCreated(address msgSender, address indexed tokenAddress, address indexed tokenAdmin, string tokenImage, string tokenName, string tokenSymbol, string tokenMetadata, string tokenContext, int24 startingTick, address poolHook, bytes32 poolId, address pairedToken, address locker, address mevModule, uint256 extensionsSupply, address[] extensions)'
const INITIALIZE_4 =
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)'
const MODIFY_4 =
  'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)'
const SWAP_4 =
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)'
const CREATED_WOW =
  'event WowTokenCreated(address indexed factoryAddress, address indexed tokenCreator, address platformReferrer, address protocolFeeRecipient, address bondingCurve, string tokenURI, string name, string symbol, address tokenAddress, address poolAddress)'
const BUY_WOW =
  'event WowTokenBuy(address indexed buyer, address indexed recipient, address indexed orderReferrer, uint256 totalEth, uint256 ethFee, uint256 ethSold, uint256 tokensBought, uint256 buyerTokenBalance, string comment, uint256 totalSupply, uint8 marketType)'
const COIN_CREATED =
  'event CoinCreated(address indexed caller, address indexed payoutRecipient, address indexed platformReferrer, address currency, string uri, string name, string symbol, address coin, address pool, string version)'

/** Of position 77. */
export function created31({ creator = CREATOR, ...fields }: Fields & { readonly creator?: Address } = {}): NewLog {
  const accounts = { creatorAdmin: creator, interfaceAdmin: creator, creatorRewardRecipient: creator, interfaceRewardRecipient: LIAR }
  return logOf(FACTORY, CREATED_31, {
    ...accounts,
    tokenAddress: TOKEN,
    positionId: 77n,
    name: 'Name',
    symbol: 'SYM',
    msgSender: creator,
    ...fields,
  })
}

/** Of position 77, to the creator. */
export function claimed31(fields: Fields): NewLog {
  const accounts = { creatorRecipient: CREATOR, interfaceRecipient: LIAR, teamRecipient: LIAR }
  return logOf(LOCKER, CLAIMED_31, {
    lpTokenId: 77n,
    ...accounts,
    token0: TOKEN,
    token1: WETH,
    teamReward0: 7n,
    teamReward1: 7n,
    ...fields,
  })
}

export function created4({ creator = CREATOR, ...fields }: Fields & { readonly creator?: Address } = {}): NewLog {
  const named = { tokenAddress: TOKEN, tokenName: 'Name', tokenSymbol: 'SYM', msgSender: creator, tokenAdmin: creator }
  return logOf(FACTORY, CREATED_4, { ...named, poolHook: LIAR, poolId: ID, pairedToken: WETH, locker: LOCKER, mevModule: LIAR, ...fields })
}

export function initialized4(fields: Fields = {}): NewLog {
  return logOf(MANAGER, INITIALIZE_4, { id: ID, currency0: TOKEN, currency1: WETH, tickSpacing: 200, sqrtPriceX96: Q96, ...fields })
}

export function liquidity4(fields: Fields): NewLog {
  return logOf(MANAGER, MODIFY_4, { id: ID, sender: LOCKER, ...fields })
}

/** A buy at a price of one. */
export function swap4(fields: Fields = {}): NewLog {
  const amounts = { amount0: 10n ** 21n, amount1: -(10n ** 18n) }
  return logOf(MANAGER, SWAP_4, { id: ID, sender: BUYER, ...amounts, sqrtPriceX96: Q96, liquidity: 5n, fee: 10_000, ...fields })
}

/** On a curve of its own. */
export function createdWow(fields: Fields = {}): NewLog {
  const accounts = { factoryAddress: FACTORY, tokenCreator: CREATOR, platformReferrer: LIAR, protocolFeeRecipient: LIAR }
  return logOf(FACTORY, CREATED_WOW, {
    ...accounts,
    bondingCurve: CURVE,
    name: 'Name',
    symbol: 'SYM',
    tokenAddress: TOKEN,
    poolAddress: POOL,
    ...fields,
  })
}

/** On the curve. */
export function buyWow(token = TOKEN, fields: Fields = {}): NewLog {
  const accounts = { buyer: BUYER, recipient: BUYER, orderReferrer: LIAR }
  const amounts = { totalEth: 101n, ethFee: 1n, ethSold: 10n ** 12n, tokensBought: 10n ** 21n, buyerTokenBalance: 10n ** 21n }
  return logOf(token, BUY_WOW, { ...accounts, ...amounts, totalSupply: 10n ** 21n, ...fields })
}

export function coinCreated(fields: Fields): NewLog {
  const accounts = { caller: CREATOR, payoutRecipient: CREATOR, platformReferrer: LIAR }
  return logOf(FACTORY, COIN_CREATED, { ...accounts, name: 'Name', symbol: 'SYM', coin: TOKEN, pool: POOL, version: '1', ...fields })
}
