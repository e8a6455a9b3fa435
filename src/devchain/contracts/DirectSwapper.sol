// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20, IUniswapV3Pool} from "./interfaces.sol";

/// Swaps in a Uniswap v3 pool without the router, as bots and aggregators do. The caller approves this contract for the payment.
///
/// A fixture for development and tests. Not audited, not for mainnet: it trusts any given pool.
contract DirectSwapper {
    error NotPool();

    address private transient _pool;

    /// @param amountSpecified positive: the exact amount paid in; negative: the exact amount taken out
    function swap(IUniswapV3Pool pool, address recipient, bool zeroForOne, int256 amountSpecified, uint160 sqrtPriceLimitX96)
        external
        returns (int256 amount0, int256 amount1)
    {
        _pool = address(pool);
        (amount0, amount1) = pool.swap(recipient, zeroForOne, amountSpecified, sqrtPriceLimitX96, abi.encode(msg.sender));
        _pool = address(0);
    }

    function uniswapV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes calldata data) external {
        if (msg.sender != _pool) revert NotPool();
        address payer = abi.decode(data, (address));
        if (amount0Delta > 0) {
            IERC20(IUniswapV3Pool(msg.sender).token0()).transferFrom(payer, msg.sender, uint256(amount0Delta));
        } else if (amount1Delta > 0) {
            IERC20(IUniswapV3Pool(msg.sender).token1()).transferFrom(payer, msg.sender, uint256(amount1Delta));
        }
    }
}
