// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "./interfaces.sol";
import {IPoolManager, PoolKey, Settling, SwapParams} from "./v4.sol";

/// Swaps in one pool of Uniswap v4 and settles with its PoolManager. The caller approves this contract for the payment.
///
/// A fixture for development and tests. Not audited, not for mainnet.
contract V4Router is Settling {
    constructor(IPoolManager manager_) Settling(manager_) {}

    /// @param amountSpecified negative: exactly what is paid; positive: exactly what is received
    function swap(PoolKey calldata key, bool zeroForOne, int256 amountSpecified, bytes calldata hookData) external {
        manager.unlock(abi.encode(msg.sender, key, zeroForOne, amountSpecified, hookData));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        require(msg.sender == address(manager));
        (address sender, PoolKey memory key, bool zeroForOne, int256 amountSpecified, bytes memory hookData) =
            abi.decode(data, (address, PoolKey, bool, int256, bytes));
        SwapParams memory params = SwapParams(zeroForOne, amountSpecified, zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE);
        int256 delta = manager.swap(key, params, hookData);
        (int128 amount0, int128 amount1) = (int128(delta >> 128), int128(delta));
        int128 owed = zeroForOne ? amount0 : amount1;
        if (owed < 0) IERC20(zeroForOne ? key.currency0 : key.currency1).transferFrom(sender, address(this), uint128(-owed));
        _even(key, delta, sender);
        return "";
    }
}
