// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20, INonfungiblePositionManager, IWETH9} from "./interfaces.sol";
import {LaunchToken} from "./LaunchToken.sol";
import {ISwapRouter} from "swapRouter.sol";
import {IPoolManager, ModifyLiquidityParams, PoolKey, Settling, SwapParams} from "./v4.sol";

/*
 * Launchpads that launch into a pool, or graduate to Uniswap v4: their events in their order, over Uniswap's own contracts. Fixtures for tests only.
 */

/// A hook that changes nothing.
contract PlainHook {
    function beforeSwap(address, PoolKey calldata, SwapParams calldata, bytes calldata) external pure returns (bytes4, int256, uint24) {
        return (this.beforeSwap.selector, 0, 0);
    }
}

/// Opens pools of tokens against ether, and trades in them for anybody.
abstract contract V4Pad is Settling {
    enum Action {
        Fill,
        Buy,
        Sell
    }

    mapping(address token => PoolKey) public keys;

    constructor(IPoolManager manager_) Settling(manager_) {}

    /// Ether is the first currency of each pool, so that tokens alone stand below its price.
    function _initialize(address token, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96) internal returns (bytes32) {
        keys[token] = PoolKey(address(0), token, fee, tickSpacing, hooks);
        manager.initialize(keys[token], sqrtPriceX96);
        return keccak256(abi.encode(keys[token]));
    }

    function _fill(address token, int24 lower, int24 upper, int256 liquidity) internal {
        manager.unlock(abi.encode(Action.Fill, token, address(this), abi.encode(lower, upper, liquidity)));
    }

    function poolBuy(address token) public payable {
        manager.unlock(abi.encode(Action.Buy, token, msg.sender, abi.encode(msg.value)));
    }

    function poolSell(address token, uint256 amount) external {
        IERC20(token).transferFrom(msg.sender, address(this), amount);
        manager.unlock(abi.encode(Action.Sell, token, msg.sender, abi.encode(amount)));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        (Action action, address token, address to, bytes memory rest) = abi.decode(data, (Action, address, address, bytes));
        PoolKey memory key = keys[token];
        if (action == Action.Fill) {
            (int24 lower, int24 upper, int256 liquidity) = abi.decode(rest, (int24, int24, int256));
            (int256 delta,) = manager.modifyLiquidity(key, ModifyLiquidityParams(lower, upper, liquidity, 0), "");
            _even(key, delta, to);
        } else {
            _even(key, _swapFor(key, action == Action.Buy ? token : address(0), abi.decode(rest, (uint256))), to);
        }
        return "";
    }
}

/// A direct launch of Uniswap's liquidity launcher (`IDirectLaunchStrategy.sol` in github.com/Uniswap/liquidity-launcher): pools.trade.
contract PoolsTrade is V4Pad {
    event TokenLaunched(bytes32 indexed poolId, address indexed token, PoolKey key, uint160 initialSqrtPriceX96, bytes plan);

    constructor(IPoolManager manager_) V4Pad(manager_) {}

    /// The call's ether is the creator's first buy.
    function launch(uint160 sqrtPriceX96, int24 startingTick) external payable returns (address token) {
        token = address(new LaunchToken("Direct", "DRCT", address(this)));
        bytes32 id = _initialize(token, 2_500, 60, address(0), sqrtPriceX96);
        _fill(token, startingTick - 60_000, startingTick, 1e22);
        emit TokenLaunched(id, token, keys[token], sqrtPriceX96, "");
        if (msg.value > 0) poolBuy(token);
    }
}

/// Noxa, and the first version of Pons, which has the same event: a Uniswap v3 pool of the 1 % tier from the first block.
contract Noxa {
    INonfungiblePositionManager private immutable positions;
    ISwapRouter private immutable router;
    IWETH9 private immutable weth;
    address private immutable dexFactory;

    event TokenLaunched(
        address indexed token,
        address indexed deployer,
        address indexed dexFactory,
        address pairToken,
        address pool,
        uint256 dexId,
        uint256 launchConfigId,
        uint256 positionId,
        uint256 restrictionsEndBlock,
        uint256 initialBuyAmount
    );

    constructor(INonfungiblePositionManager positions_, ISwapRouter router_, IWETH9 weth_, address dexFactory_) {
        (positions, router, weth, dexFactory) = (positions_, router_, weth_, dexFactory_);
    }

    /// @param salt makes the token the pool's first currency, so that tokens alone stand above its price
    function launch(bytes32 salt, uint160 sqrtPriceX96, int24 startingTick) external payable returns (address token) {
        token = address(new LaunchToken{salt: salt}("Noxa", "NOXA", address(this)));
        require(token < address(weth));
        address pool = positions.createAndInitializePoolIfNecessary(token, address(weth), 10_000, sqrtPriceX96);
        IERC20(token).approve(address(positions), 1e27);
        (uint256 positionId,,,) = positions.mint(
            INonfungiblePositionManager.MintParams(
                token, address(weth), 10_000, startingTick, startingTick + 60_000, 1e27, 0, 0, 0, address(this), block.timestamp
            )
        );
        if (msg.value > 0) {
            router.exactInputSingle{value: msg.value}(
                ISwapRouter.ExactInputSingleParams(address(weth), token, 10_000, msg.sender, block.timestamp, msg.value, 0, 0)
            );
        }
        emit TokenLaunched(token, msg.sender, dexFactory, address(weth), pool, 1, 1, positionId, block.number + 3, msg.value);
    }
}

/// A curve of constant product that takes ether and 1 % of it as a fee, and is sold out at two ether.
abstract contract Curve {
    uint256 public constant GOAL = 2 ether;
    uint256 public virtualQuote = 1 ether;
    uint256 public virtualToken = 1.1e27;
    uint256 public raised;
    LaunchToken public token;

    receive() external payable {}

    function _take(uint256 paid) internal returns (uint256 fee, uint256 tokens) {
        fee = paid / 100;
        uint256 left = virtualQuote * virtualToken / (virtualQuote + paid - fee);
        tokens = virtualToken - left;
        (virtualQuote, virtualToken, raised) = (virtualQuote + paid - fee, left, raised + paid - fee);
        token.transfer(msg.sender, tokens);
    }

    function _give(uint256 tokens) internal returns (uint256 fee, uint256 gross) {
        token.transferFrom(msg.sender, address(this), tokens);
        uint256 left = virtualQuote * virtualToken / (virtualToken + tokens);
        gross = virtualQuote - left;
        fee = gross / 100;
        (virtualQuote, virtualToken, raised) = (left, virtualToken + tokens, raised - gross);
        payable(msg.sender).transfer(gross - fee);
    }
}

struct FeeConfig {
    uint16 buyFeeBps;
    uint16 sellFeeBps;
    uint16 protocolBuyFeeBps;
    uint16 protocolSellFeeBps;
}

/// Bags on Robinhood Chain (`robinhood-abi-v3` in github.com/bagsfm/bags-idl): a curve per token, whose last event names the id of its v4 pool.
contract BagsCurve is Curve {
    Bags private immutable factory;
    address public immutable creator;

    event TokensBought(
        address indexed buyer,
        address indexed recipient,
        uint256 grossQuoteIn,
        uint256 netQuoteIn,
        uint256 tokensOut,
        uint256 feeQuote,
        uint256 vaultFeeQuote,
        uint256 creatorFeeQuote,
        uint256 refundQuote,
        uint256 price,
        uint256 virtualTokenReserves,
        uint256 virtualQuoteReserves
    );
    event TokensSold(
        address indexed seller,
        address indexed recipient,
        uint256 tokensIn,
        uint256 grossQuoteOut,
        uint256 netQuoteToRecipient,
        uint256 feeQuote,
        uint256 vaultFeeQuote,
        uint256 creatorFeeQuote,
        uint256 price,
        uint256 virtualTokenReserves,
        uint256 virtualQuoteReserves
    );
    event Migrated(
        address indexed creator,
        address platformAdmin,
        address indexed token,
        uint256 lpQuote,
        uint256 lpTokens,
        bytes32 indexed poolId,
        uint160 sqrtPriceX96
    );

    constructor(address creator_) {
        (factory, creator) = (Bags(payable(msg.sender)), creator_);
        token = new LaunchToken("Bag", "BAG", address(this));
    }

    function buy() external payable {
        (uint256 fee, uint256 tokens) = _take(msg.value);
        uint256 price = virtualQuote * 1e18 / virtualToken;
        emit TokensBought(
            msg.sender, msg.sender, msg.value, msg.value - fee, tokens, fee, fee / 2, fee - fee / 2, 0, price, virtualToken, virtualQuote
        );
        if (raised >= GOAL) _migrate();
    }

    function sell(uint256 tokens) external {
        (uint256 fee, uint256 gross) = _give(tokens);
        uint256 price = virtualQuote * 1e18 / virtualToken;
        emit TokensSold(msg.sender, msg.sender, tokens, gross, gross - fee, fee, fee / 2, fee - fee / 2, price, virtualToken, virtualQuote);
    }

    function _migrate() private {
        token.transfer(address(factory), token.balanceOf(address(this)));
        (bytes32 id, uint160 price) = factory.open{value: raised}(address(token));
        emit Migrated(creator, address(factory), address(token), raised, 0, id, price);
    }
}

contract Bags is V4Pad {
    address private immutable hook;
    uint160 private constant PRICE = 79228162514264337593543950336 * 14_000;

    event TokenCreated(
        address indexed token,
        address indexed creator,
        address indexed quoteAsset,
        address curve,
        address feeShare,
        address partner,
        bytes32 poolId,
        uint256 graduationThreshold,
        FeeConfig fees,
        uint16 partnerFeeBps,
        string name,
        string symbol,
        string metadataURI
    );

    constructor(IPoolManager manager_, address hook_) V4Pad(manager_) {
        hook = hook_;
    }

    function create() external returns (address token, address payable curve) {
        curve = payable(address(new BagsCurve(msg.sender)));
        token = address(BagsCurve(curve).token());
        bytes32 id = keccak256(abi.encode(PoolKey(address(0), token, 0, 200, hook)));
        emit TokenCreated(
            token, msg.sender, address(0), curve, address(0), address(0), id, 2 ether, FeeConfig(100, 100, 50, 50), 0, "Bag", "BAG", "ipfs://bag"
        );
    }

    function open(address token) external payable returns (bytes32 id, uint160 price) {
        price = PRICE;
        id = _initialize(token, 0, 200, hook, price);
        _fill(token, -887_200, 887_200, 5e21);
    }
}

/// The second version of Pons (`PonsV2LaunchFactory.sol`, `PonsV2BondingCurve.sol` in github.com/ponsdotdev/ponsfamily): it graduates in two
/// transactions, and no event names the pool.
contract PonsCurve is Curve {
    Pons private immutable factory;
    bool private completed;

    event CurveBuy(address indexed buyer, address indexed recipient, uint256 quoteIn, uint256 tokensOut, uint256 fee, uint256 tax);
    event CurveSell(address indexed seller, address indexed recipient, uint256 tokensIn, uint256 quoteOut, uint256 fee, uint256 tax);
    event CurveCompleted(address recipient, uint256 quoteOut, uint256 tokenOut);

    constructor() {
        factory = Pons(payable(msg.sender));
        token = new LaunchToken("Pons", "PONS", address(this));
    }

    function buy() external payable {
        (uint256 fee, uint256 tokens) = _take(msg.value);
        emit CurveBuy(msg.sender, msg.sender, msg.value, tokens, fee, 0);
        if (raised >= GOAL) factory.sweep(address(token));
    }

    function sell(uint256 tokens) external {
        (uint256 fee, uint256 gross) = _give(tokens);
        emit CurveSell(msg.sender, msg.sender, tokens, gross - fee, fee, 0);
    }

    function complete() external returns (uint256 quote, uint256 tokens) {
        require(msg.sender == address(factory) && !completed);
        (completed, quote, tokens) = (true, raised, token.balanceOf(address(this)));
        token.transfer(msg.sender, tokens);
        (bool sent,) = msg.sender.call{value: quote}("");
        require(sent);
        emit CurveCompleted(msg.sender, quote, tokens);
    }
}

contract Pons is V4Pad {
    address private immutable hook;
    uint160 private constant PRICE = 79228162514264337593543950336 * 14_000;
    mapping(address token => PonsCurve) public curves;

    event TokenLaunched(
        address indexed token,
        address indexed curve,
        address indexed deployer,
        address pairToken,
        uint256 launchConfigId,
        uint256 graduationThreshold
    );
    event LaunchSwept(address indexed token, uint256 quoteOut, uint256 tokenOut);
    event PoolGraduated(address indexed token, uint256 positionId, uint256 tokenAmount, uint256 pairTokenAmount);

    constructor(IPoolManager manager_, address hook_) V4Pad(manager_) {
        hook = hook_;
    }

    function launch() external returns (address token, address payable curve) {
        PonsCurve made = new PonsCurve();
        (token, curve) = (address(made.token()), payable(address(made)));
        curves[token] = made;
        emit TokenLaunched(token, curve, msg.sender, address(0), 0, 2 ether);
    }

    function sweep(address token) external {
        (uint256 quote, uint256 tokens) = curves[token].complete();
        emit LaunchSwept(token, quote, tokens);
    }

    /// Anybody may call it, and initialise other pools of the token before, in the same transaction, too.
    function createGraduatedPool(address token) external {
        _initialize(token, 0, 200, hook, PRICE);
        _fill(token, -887_200, 887_200, 5e21);
        emit PoolGraduated(token, 1, IERC20(token).balanceOf(address(this)), address(this).balance);
    }
}

/// Initialises a pool of the token with another hook and another fee, and then graduates it.
contract Forger {
    function graduate(IPoolManager manager, Pons pons, address token) external {
        manager.initialize(PoolKey(address(0), token, 700, 60, address(0)), 79228162514264337593543950336);
        pons.createGraduatedPool(token);
        manager.initialize(PoolKey(address(0), token, 500, 10, address(0)), 79228162514264337593543950336);
    }
}
