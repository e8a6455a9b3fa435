// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IClankerV4Factory, IERC20} from "./interfaces.sol";
import {ClankerToken} from "./clankerToken.sol";
import {IPoolManager, ModifyLiquidityParams, PoolKey, Settling, SwapParams} from "./v4.sol";

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

/// Swaps fees that it holds for a recipient who wants them in the other currency, as Clanker's locker does. A fixture for tests only.
contract FeeConverter is Settling {
    constructor(IPoolManager manager_) Settling(manager_) {}

    function convert(PoolKey calldata key, address token, uint256 amount) external {
        manager.unlock(abi.encode(key, token, amount));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        (PoolKey memory key, address token, uint256 amount) = abi.decode(data, (PoolKey, address, uint256));
        _even(key, _swapFor(key, key.currency0 == token ? key.currency1 : key.currency0, amount), address(this));
        return "";
    }
}

/// Launches tokens as Clanker's v4 factory does, with its events in its order. A fixture for tests only.
contract FakeFactory is IClankerV4Factory, Settling {
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
    address immutable locker;
    /// An extension that keeps tokens for others, and one that does not.
    address immutable vault;
    address immutable mevModule;

    constructor(IPoolManager manager_, FeeHook hook_, address locker_, address vault_, address mevModule_) Settling(manager_) {
        (hook, locker, vault, mevModule) = (hook_, locker_, vault_, mevModule_);
    }

    /// The creator's first buy is paid from the factory's own balance, which has to be filled before.
    function deployToken(Launch calldata launch) external {
        ClankerToken token = new ClankerToken{salt: launch.salt}(launch.name, launch.symbol, address(this));
        token.describe(msg.sender, "ipfs://image", "{\"description\":\"one of ours\"}");
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
        token.transfer(vault, 1e24);
        address[] memory extensions = new address[](1);
        extensions[0] = vault;
        emit TokenCreated(
            msg.sender, address(token), msg.sender, "ipfs://image", launch.name, launch.symbol, "{\"description\":\"one of ours\"}",
            "{\"interface\":\"Bankr\",\"platform\":\"X\"}", launch.startingTick, address(hook), keccak256(abi.encode(key)), launch.paired, locker, mevModule, 1e24,
            extensions
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
