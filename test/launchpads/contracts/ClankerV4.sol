// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "./interfaces.sol";
import {LaunchToken} from "./LaunchToken.sol";

struct PoolKey {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

struct ModifyLiquidityParams {
    int24 tickLower;
    int24 tickUpper;
    int256 liquidityDelta;
    bytes32 salt;
}

struct SwapParams {
    bool zeroForOne;
    int256 amountSpecified;
    uint160 sqrtPriceLimitX96;
}

/// As much of Uniswap v4's PoolManager as the fixtures call. A delta's upper half is of currency 0, its lower of currency 1; positive is the caller's.
interface IPoolManager {
    function unlock(bytes calldata data) external returns (bytes memory);
    function initialize(PoolKey calldata key, uint160 sqrtPriceX96) external returns (int24 tick);
    function modifyLiquidity(PoolKey calldata key, ModifyLiquidityParams calldata params, bytes calldata hookData)
        external
        returns (int256 delta, int256 fees);
    function swap(PoolKey calldata key, SwapParams calldata params, bytes calldata hookData) external returns (int256 delta);
    function donate(PoolKey calldata key, uint256 amount0, uint256 amount1, bytes calldata hookData) external returns (int256 delta);
    function sync(address currency) external;
    function settle() external payable returns (uint256);
    function take(address currency, address to, uint256 amount) external;
    function updateDynamicLPFee(PoolKey calldata key, uint24 fee) external;
}

/// What of a caller's deltas is owed to the PoolManager is paid from this contract's own balance; the rest is taken.
abstract contract Settling {
    uint160 constant LOWEST_PRICE = 4295128740;
    uint160 constant HIGHEST_PRICE = 1461446703485210103287273052203988822378723970341;

    IPoolManager immutable manager;

    constructor(IPoolManager manager_) {
        manager = manager_;
    }

    receive() external payable {}

    function _pay(address currency, uint256 amount) internal {
        manager.sync(currency);
        if (currency == address(0)) {
            manager.settle{value: amount}();
        } else {
            IERC20(currency).transfer(address(manager), amount);
            manager.settle();
        }
    }

    function _even(PoolKey memory key, int256 delta, address to) internal {
        _even(key.currency0, int128(delta >> 128), to);
        _even(key.currency1, int128(delta), to);
    }

    function _even(address currency, int128 amount, address to) private {
        if (amount < 0) _pay(currency, uint256(-int256(amount)));
        else if (amount > 0) manager.take(currency, to, uint256(int256(amount)));
    }

    /// @param paid exactly what goes in, of the currency that is not `wanted`
    function _swapFor(PoolKey memory key, address wanted, uint256 paid) internal returns (int256 delta) {
        bool zeroForOne = wanted == key.currency1;
        return manager.swap(key, SwapParams(zeroForOne, -int256(paid), zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE), "");
    }
}

/// Takes 1 % of what is paid for a token and 3 % of what it is sold for, as Clanker's hooks set fees per direction. A fixture for tests only.
contract FeeHook {
    function beforeSwap(address, PoolKey calldata key, SwapParams calldata params, bytes calldata) external returns (bytes4, int256, uint24) {
        bool isBuy = params.zeroForOne != isToken[key.currency0];
        IPoolManager(msg.sender).updateDynamicLPFee(key, isBuy ? 10_000 : 30_000);
        return (this.beforeSwap.selector, 0, 0);
    }

    mapping(address token => bool) isToken;

    function launched(address token) external {
        isToken[token] = true;
    }
}

/// Emits what Clanker's fee locker emits. A fixture for tests only.
contract FakeFeeLocker {
    mapping(address owner => mapping(address token => uint256)) public feesToClaim;

    event StoreTokens(
        address indexed sender, address indexed feeOwner, address indexed token, uint256 balance, uint256 amount
    );
    event ClaimTokens(address indexed feeOwner, address indexed token, uint256 amountClaimed);
    event ClaimTokensPermissioned(
        address indexed feeOwner, address indexed token, address recipient, uint256 amountClaimed
    );

    function storeFees(address owner, address token, uint256 amount) external {
        IERC20(token).transferFrom(msg.sender, address(this), amount);
        feesToClaim[owner][token] += amount;
        emit StoreTokens(msg.sender, owner, token, feesToClaim[owner][token], amount);
    }

    function availableFees(address owner, address token) external view returns (uint256) {
        return feesToClaim[owner][token];
    }

    function claim(address owner, address token) external {
        uint256 balance = feesToClaim[owner][token];
        feesToClaim[owner][token] = 0;
        IERC20(token).transfer(owner, balance);
        emit ClaimTokens(owner, token, balance);
    }

    function claimTo(address owner, address token, address recipient) external {
        uint256 balance = feesToClaim[owner][token];
        feesToClaim[owner][token] = 0;
        IERC20(token).transfer(recipient, balance);
        emit ClaimTokensPermissioned(owner, token, recipient, balance);
    }
}

/// Settles with the PoolManager as routers do: a buy is paid first and its tokens are taken after the swap, by the router; a sale is paid after it.
/// A fixture for tests only.
contract Router is Settling {
    enum Action {
        Buy,
        Sell,
        ModifyLiquidity,
        Donate
    }

    constructor(IPoolManager manager_) Settling(manager_) {}

    function buy(PoolKey calldata key, address token, uint256 paid) external payable {
        address quote = key.currency0 == token ? key.currency1 : key.currency0;
        if (quote != address(0)) IERC20(quote).transferFrom(msg.sender, address(this), paid);
        manager.unlock(abi.encode(Action.Buy, key, token, paid, msg.sender, ModifyLiquidityParams(0, 0, 0, 0)));
    }

    function sell(PoolKey calldata key, address token, uint256 amount) external {
        manager.unlock(abi.encode(Action.Sell, key, token, amount, msg.sender, ModifyLiquidityParams(0, 0, 0, 0)));
    }

    /// Pays from the router's own balance, which has to be filled before.
    function modifyLiquidity(PoolKey calldata key, ModifyLiquidityParams calldata params) external {
        manager.unlock(abi.encode(Action.ModifyLiquidity, key, address(0), 0, msg.sender, params));
    }

    function donate(PoolKey calldata key, uint256 amount0) external {
        manager.unlock(abi.encode(Action.Donate, key, address(0), amount0, msg.sender, ModifyLiquidityParams(0, 0, 0, 0)));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        (Action action, PoolKey memory key, address token, uint256 amount, address sender, ModifyLiquidityParams memory params) =
            abi.decode(data, (Action, PoolKey, address, uint256, address, ModifyLiquidityParams));
        if (action == Action.Buy) {
            bool isFirst = key.currency0 == token;
            _pay(isFirst ? key.currency1 : key.currency0, amount);
            int256 delta = _swapFor(key, token, amount);
            uint256 bought = uint256(int256(isFirst ? int128(delta >> 128) : int128(delta)));
            manager.take(token, address(this), bought);
            IERC20(token).transfer(sender, bought);
        } else if (action == Action.Sell) {
            address quote = key.currency0 == token ? key.currency1 : key.currency0;
            int256 delta = _swapFor(key, quote, amount);
            manager.sync(token);
            IERC20(token).transferFrom(sender, address(manager), amount);
            manager.settle();
            manager.take(quote, sender, uint256(int256(quote == key.currency0 ? int128(delta >> 128) : int128(delta))));
        } else if (action == Action.ModifyLiquidity) {
            (int256 delta,) = manager.modifyLiquidity(key, params, "");
            _even(key, delta, sender);
        } else {
            _even(key, manager.donate(key, amount, 0, ""), sender);
        }
        return "";
    }
}

/// Emits what Clanker's v4 factory emits, in its order. A fixture for tests only.
contract FakeFactory is Settling {
    struct Launch {
        string name;
        string symbol;
        bytes32 salt;
        address paired;
        uint160 sqrtPriceX96;
        int24 startingTick;
        uint256 paid;
    }

    FeeHook immutable hook;

    event TokenCreated(
        address msgSender,
        address indexed tokenAddress,
        address indexed tokenAdmin,
        string tokenImage,
        string tokenName,
        string tokenSymbol,
        string tokenMetadata,
        string tokenContext,
        int24 startingTick,
        address poolHook,
        bytes32 poolId,
        address pairedToken,
        address locker,
        address mevModule,
        uint256 extensionsSupply,
        address[] extensions
    );

    constructor(IPoolManager manager_, FeeHook hook_) Settling(manager_) {
        hook = hook_;
    }

    /// The creator's first buy is paid from the factory's own balance, which has to be filled before.
    function deployToken(Launch calldata launch) external {
        LaunchToken token = new LaunchToken{salt: launch.salt}(launch.name, launch.symbol, address(this));
        bool isFirst = address(token) < launch.paired;
        PoolKey memory key = PoolKey({
            currency0: isFirst ? address(token) : launch.paired,
            currency1: isFirst ? launch.paired : address(token),
            fee: 0x800000,
            tickSpacing: 200,
            hooks: address(hook)
        });
        hook.launched(address(token));
        manager.initialize(key, launch.sqrtPriceX96);
        manager.unlock(abi.encode(key, address(token), launch.startingTick, launch.paid, msg.sender));
        emit TokenCreated(
            msg.sender, address(token), msg.sender, "ipfs://image", launch.name, launch.symbol, "{\"description\":\"one of ours\"}",
            "context", launch.startingTick, address(hook), keccak256(abi.encode(key)), launch.paired, address(this), address(this), 0,
            new address[](0)
        );
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        (PoolKey memory key, address token, int24 start, uint256 paid, address creator) =
            abi.decode(data, (PoolKey, address, int24, uint256, address));
        // Two positions of tokens alone, on the side to which a buy moves the price.
        bool isFirst = key.currency0 == token;
        for (int24 i = 0; i < 2; i++) {
            (int24 near, int24 far) = (i * 2_000, (i + 1) * 2_000);
            (int24 lower, int24 upper) = isFirst ? (start + near, start + far) : (start - far, start - near);
            (int256 delta,) = manager.modifyLiquidity(key, ModifyLiquidityParams(lower, upper, 3e22 * (int256(i) + 1), 0), "");
            _even(key, delta, address(this));
        }
        if (paid > 0) _even(key, _swapFor(key, token, paid), creator);
        return "";
    }
}
