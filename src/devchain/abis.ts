import { parseAbi } from 'viem'

/*
 * The contracts' ABIs as types. Those of the launchpad are complete; those of Uniswap and WETH9 have the functions and events used
 * here. A test compares each with its compiled artifact.
 */

export const launchpadAbi = parseAbi([
  'constructor(address quote_, bool takesEther_, address positionManager_, address protocol_, uint256 terms_virtualWei, uint256 terms_virtualToken, uint256 terms_targetWei)',
  'function launch(string name, string symbol, string metadataUri, uint256 minTokensOut) payable returns (address token, address curve)',
  'function launchWith(string name, string symbol, string metadataUri, uint256 offered, uint256 minTokensOut) returns (address token, address curve)',
  'function graduate(address token) returns (address pool, uint256 positionId)',
  'function collectFees(address token)',
  'function claim(address token)',
  'function withdrawProtocolFees(address currency)',
  'function accrueCurveFee(uint256 feeWei)',
  'function claimable(address token, address creator, address currency) view returns (uint256)',
  'function protocolFees(address currency) view returns (uint256)',
  'function launches(address token) view returns (address creator, address curve, address pool, uint256 positionId)',
  'function tokenOf(address curve) view returns (address token)',
  'function quote() view returns (address)',
  'function takesEther() view returns (bool)',
  'function positionManager() view returns (address)',
  'function protocol() view returns (address)',
  'function virtualWei() view returns (uint256)',
  'function virtualToken() view returns (uint256)',
  'function targetWei() view returns (uint256)',
  'function feeBps() view returns (uint16)',
  'function creatorShareBps() view returns (uint16)',
  'function poolFee() view returns (uint24)',
  'event TokenLaunched(address indexed token, address indexed creator, address indexed curve, string name, string symbol, string metadataUri, uint256 totalSupply, uint256 virtualWei, uint256 virtualToken, uint256 targetWei, uint16 feeBps, uint16 creatorShareBps)',
  'event Graduated(address indexed token, address indexed pool, uint256 positionId, uint256 quoteAmount, uint256 tokenAmount)',
  'event FeeAccrued(address indexed token, address indexed creator, address indexed currency, uint256 amount)',
  'event FeeClaimed(address indexed token, address indexed creator, address indexed currency, address recipient, uint256 amount)',
  'event ProtocolFeesWithdrawn(address indexed currency, uint256 amount)',
  'error BadTerms()',
  'error UnknownToken()',
  'error NotCurve()',
  'error NotCreator()',
  'error NotGraduated()',
  'error NothingToClaim()',
  'error NothingBought()',
  'error WrongCurrency()',
  'error PoolPriceOff(uint160 found, uint160 wanted)',
])

export const curveAbi = parseAbi([
  'struct CurveTerms { uint256 virtualWei; uint256 virtualToken; uint256 targetWei; uint16 feeBps; }',
  'constructor(address quote_, bool takesEther_, CurveTerms terms)',
  'function open(address token_, address creator, uint256 minTokensOut) payable',
  'function buy(address recipient, uint256 minTokensOut) payable',
  'function buyWith(uint256 offered, address recipient, uint256 minTokensOut)',
  'function sell(uint256 tokenAmount, address recipient, uint256 minWeiOut)',
  'function release() returns (uint256 quoteAmount, uint256 tokenAmount)',
  'function quoteBuy(uint256 offeredWei) view returns (uint256 tokenAmount, uint256 feeWei, uint256 refundWei)',
  'function quoteSell(uint256 tokenAmount) view returns (uint256 receivedWei, uint256 feeWei)',
  'function launchpad() view returns (address)',
  'function quote() view returns (address)',
  'function takesEther() view returns (bool)',
  'function token() view returns (address)',
  'function phase() view returns (uint8)',
  'function targetWei() view returns (uint256)',
  'function feeBps() view returns (uint16)',
  'function virtualWei() view returns (uint256)',
  'function virtualToken() view returns (uint256)',
  'function realWei() view returns (uint256)',
  'event Bought(address indexed buyer, address indexed recipient, uint256 paidWei, uint256 feeWei, uint256 tokenAmount, uint256 virtualWei, uint256 virtualToken, uint256 realWei, uint256 realToken)',
  'event Sold(address indexed seller, address indexed recipient, uint256 tokenAmount, uint256 receivedWei, uint256 feeWei, uint256 virtualWei, uint256 virtualToken, uint256 realWei, uint256 realToken)',
  'event Completed(uint256 raisedWei)',
  'error NotLaunchpad()',
  'error NotTrading()',
  'error NotComplete()',
  'error NothingBought()',
  'error NothingReceived()',
  'error SlippageExceeded(uint256 offered, uint256 wanted)',
  'error EtherTransferFailed()',
  'error WrongCurrency()',
])

export const tokenAbi = parseAbi([
  'constructor(string name_, string symbol_, address curve)',
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() pure returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address holder) view returns (uint256)',
  'function allowance(address holder, address spender) view returns (uint256)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  'error InsufficientBalance()',
  'error InsufficientAllowance()',
  'error ZeroAddress()',
])

export const dollarAbi = [...parseAbi(['constructor(address holder)']), ...tokenAbi.filter(({ type }) => type !== 'constructor')]

export const swapperAbi = parseAbi([
  'function swap(address pool, address recipient, bool zeroForOne, int256 amountSpecified, uint160 sqrtPriceLimitX96) returns (int256 amount0, int256 amount1)',
  'function uniswapV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes data)',
  'error NotPool()',
])

export const wethAbi = parseAbi([
  'function deposit() payable',
  'function withdraw(uint256 wad)',
  'function balanceOf(address) view returns (uint256)',
  'function approve(address guy, uint256 wad) returns (bool)',
  'function transfer(address dst, uint256 wad) returns (bool)',
  'event Deposit(address indexed dst, uint256 wad)',
  'event Withdrawal(address indexed src, uint256 wad)',
  'event Transfer(address indexed src, address indexed dst, uint256 wad)',
])

export const poolAbi = parseAbi([
  'function token0() view returns (address)',
  'function token1() view returns (address)',
  'function fee() view returns (uint24)',
  'function liquidity() view returns (uint128)',
  'function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 observationIndex, uint16 observationCardinality, uint16 observationCardinalityNext, uint8 feeProtocol, bool unlocked)',
  'event Initialize(uint160 sqrtPriceX96, int24 tick)',
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
])

export const factoryAbi = parseAbi([
  'constructor()',
  'function getPool(address, address, uint24) view returns (address)',
  'function createPool(address tokenA, address tokenB, uint24 fee) returns (address pool)',
  'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
])

export const positionManagerAbi = parseAbi([
  'struct MintParams { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }',
  'constructor(address _factory, address _WETH9, address _tokenDescriptor_)',
  'function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address pool)',
  'function mint(MintParams params) payable returns (uint256 tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
  'function ownerOf(uint256 tokenId) view returns (address)',
  'function positions(uint256 tokenId) view returns (uint96 nonce, address operator, address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint128 liquidity, uint256 feeGrowthInside0LastX128, uint256 feeGrowthInside1LastX128, uint128 tokensOwed0, uint128 tokensOwed1)',
  'event IncreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
  'event Collect(uint256 indexed tokenId, address recipient, uint256 amount0, uint256 amount1)',
])

export const routerAbi = parseAbi([
  'struct ExactInputSingleParams { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'constructor(address _factory, address _WETH9)',
  'function exactInputSingle(ExactInputSingleParams params) payable returns (uint256 amountOut)',
])
