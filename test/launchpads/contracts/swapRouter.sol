// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

// As much of Uniswap v3's router (`v3-periphery/contracts/interfaces/ISwapRouter.sol`) as the fixtures call.

interface ISwapRouter {
    struct ExactInputSingleParams {
        address tokenIn;
        address tokenOut;
        uint24 fee;
        address recipient;
        uint256 deadline;
        uint256 amountIn;
        uint256 amountOutMinimum;
        uint160 sqrtPriceLimitX96;
    }

    function exactInputSingle(ExactInputSingleParams calldata params) external payable returns (uint256);
}
