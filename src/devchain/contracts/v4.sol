// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "./interfaces.sol";

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

/// As much of Uniswap v4's PoolManager as the contracts here call. A delta's upper half is of currency 0, its lower of currency 1; positive is the caller's.
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
    function balanceOf(address owner, uint256 id) external view returns (uint256);
    function mint(address to, uint256 id, uint256 amount) external;
    function burn(address from, uint256 id, uint256 amount) external;
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
