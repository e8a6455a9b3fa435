import { parseAbi } from 'viem'

/* The functions and events of the v4 launchpad's contracts that are used here, as types. A test compares each with its artifact. */

const POOL_KEY = 'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }'

export const v4LaunchpadAbi = parseAbi([
  'struct Extension { address target; uint16 bps; uint256 value; bytes data; }',
  'struct Terms { string name; string symbol; string metadata; address admin; address quote; int24 startingTick; uint160 sqrtPriceX96; Extension[] extensions; }',
  'constructor(address manager, address hook_, address weth)',
  'function launch(Terms terms) payable returns (address token)',
  'function locker() view returns (address)',
  'function feeLocker() view returns (address)',
  'function auction() view returns (address)',
  'event TokenCreated(address msgSender, address indexed tokenAddress, address indexed tokenAdmin, string tokenImage, string tokenName, string tokenSymbol, string tokenMetadata, string tokenContext, int24 startingTick, address poolHook, bytes32 poolId, address pairedToken, address locker, address mevModule, uint256 extensionsSupply, address[] extensions)',
])

export const v4HookAbi = parseAbi([
  'function pools(bytes32 poolId) view returns (address token, bool tokenFirst, bool guarded, uint64 createdAt, address quote)',
])

export const v4RouterAbi = parseAbi([
  POOL_KEY,
  'constructor(address manager_)',
  'function swap(PoolKey key, bool zeroForOne, int256 amountSpecified, bytes hookData)',
])

export const v4LockerAbi = parseAbi(['function collectRewards(address token)'])

export const feeLockerAbi = parseAbi([
  'function availableFees(address owner, address currency) view returns (uint256)',
  'function claim(address owner, address currency)',
  'event StoreTokens(address indexed sender, address indexed feeOwner, address indexed token, uint256 balance, uint256 amount)',
  'event ClaimTokens(address indexed feeOwner, address indexed token, uint256 amountClaimed)',
])

export const auctionAbi = parseAbi([
  'function rounds(bytes32 poolId) view returns (uint64 number, uint64 blockNumber, uint128 gasPeg)',
  'event AuctionWon(bytes32 indexed poolId, address indexed payee, uint256 paymentAmount, uint256 indexed round)',
  'event AuctionEnded(bytes32 indexed poolId)',
])
