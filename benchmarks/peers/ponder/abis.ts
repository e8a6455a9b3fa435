import { parseAbi } from 'viem'

/** Only the handled events, so that others cost nothing. */
export const launchpadAbi = parseAbi([
  'event TokenLaunched(address indexed token, address indexed creator, address indexed curve, string name, string symbol, string metadataUri, uint256 totalSupply, uint256 virtualWei, uint256 virtualToken, uint256 targetWei, uint16 feeBps, uint16 creatorShareBps)',
  'event Graduated(address indexed token, address indexed pool, uint256 positionId, uint256 wethAmount, uint256 tokenAmount)',
])

export const curveAbi = parseAbi([
  'event Bought(address indexed buyer, address indexed recipient, uint256 paidWei, uint256 feeWei, uint256 tokenAmount, uint256 virtualWei, uint256 virtualToken, uint256 realWei, uint256 realToken)',
  'event Sold(address indexed seller, address indexed recipient, uint256 tokenAmount, uint256 receivedWei, uint256 feeWei, uint256 virtualWei, uint256 virtualToken, uint256 realWei, uint256 realToken)',
])

export const tokenAbi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])

export const poolAbi = parseAbi([
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
])
