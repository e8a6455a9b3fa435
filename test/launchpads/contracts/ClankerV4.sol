// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "./interfaces.sol";
import {LaunchToken} from "./LaunchToken.sol";

/// Emits what a Uniswap v4 PoolManager emits and holds the tokens of all pools; it computes nothing. A fixture for tests only.
contract FakePoolManager {
    struct Slot {
        uint160 sqrtPriceX96;
        int24 tick;
        uint128 liquidity;
    }

    struct SwapResult {
        bytes32 id;
        int128 amount0;
        int128 amount1;
        uint160 sqrtPriceX96;
        uint128 liquidity;
        int24 tick;
        uint24 fee;
    }

    mapping(bytes32 id => Slot) public slots;

    event Initialize(
        bytes32 indexed id,
        address indexed currency0,
        address indexed currency1,
        uint24 fee,
        int24 tickSpacing,
        address hooks,
        uint160 sqrtPriceX96,
        int24 tick
    );
    event ModifyLiquidity(
        bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt
    );
    event Swap(
        bytes32 indexed id,
        address indexed sender,
        int128 amount0,
        int128 amount1,
        uint160 sqrtPriceX96,
        uint128 liquidity,
        int24 tick,
        uint24 fee
    );

    receive() external payable {}

    function initialize(bytes32 id, address currency0, address currency1, uint160 sqrtPriceX96, int24 tick) external {
        slots[id] = Slot(sqrtPriceX96, tick, 0);
        emit Initialize(id, currency0, currency1, 0x800000, 200, msg.sender, sqrtPriceX96, tick);
    }

    function modifyLiquidity(bytes32 id, int24 lower, int24 upper, int256 delta) external {
        Slot storage slot = slots[id];
        if (lower <= slot.tick && slot.tick < upper) slot.liquidity = uint128(uint256(int256(uint256(slot.liquidity)) + delta));
        emit ModifyLiquidity(id, msg.sender, lower, upper, delta, bytes32(uint256(1)));
    }

    function swap(SwapResult calldata r) external {
        slots[r.id] = Slot(r.sqrtPriceX96, r.tick, r.liquidity);
        emit Swap(r.id, msg.sender, r.amount0, r.amount1, r.sqrtPriceX96, r.liquidity, r.tick, r.fee);
    }

    function take(address currency, address to, uint256 amount) external {
        if (currency == address(0)) payable(to).transfer(amount);
        else IERC20(currency).transfer(to, amount);
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

/// Settles with the PoolManager as routers do: a buy is paid first and its tokens are taken after the swap. A fixture for tests only.
contract FakeRouter {
    function buy(FakePoolManager manager, address token, uint256 amount, FakePoolManager.SwapResult calldata result)
        external
        payable
    {
        payable(address(manager)).transfer(msg.value);
        manager.swap(result);
        manager.take(token, address(this), amount);
        IERC20(token).transfer(msg.sender, amount);
    }

    function sell(FakePoolManager manager, address token, uint256 amount, FakePoolManager.SwapResult calldata result) external {
        manager.swap(result);
        IERC20(token).transferFrom(msg.sender, address(manager), amount);
    }
}

/// Emits what Clanker's v4 factory emits, in its order. A fixture for tests only.
contract FakeFactory {
    struct Launch {
        string name;
        string symbol;
        bytes32 salt;
        address paired;
        bytes32 id;
        uint160 sqrtPriceX96;
        int24 tick;
        uint256 bought;
    }

    FakePoolManager immutable manager;

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

    constructor(FakePoolManager manager_) {
        manager = manager_;
    }

    function deployToken(Launch calldata launch, FakePoolManager.SwapResult calldata first) external {
        LaunchToken token = new LaunchToken{salt: launch.salt}(launch.name, launch.symbol, address(this));
        bool isFirst = address(token) < launch.paired;
        manager.initialize(
            launch.id, isFirst ? address(token) : launch.paired, isFirst ? launch.paired : address(token),
            launch.sqrtPriceX96, launch.tick
        );
        token.transfer(address(manager), token.totalSupply());
        manager.modifyLiquidity(launch.id, launch.tick - 200, launch.tick + 200, 1e18);
        manager.modifyLiquidity(launch.id, launch.tick + 200, launch.tick + 400, 5e18);
        if (launch.bought > 0) {
            manager.swap(first);
            manager.take(address(token), msg.sender, launch.bought);
        }
        emit TokenCreated(
            msg.sender, address(token), msg.sender, "ipfs://image", launch.name, launch.symbol, "ipfs://metadata", "context",
            launch.tick, address(this), launch.id, launch.paired, address(this), address(this), 0, new address[](0)
        );
    }
}
