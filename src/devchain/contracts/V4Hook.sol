// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPoolManager, PoolKey, SwapParams} from "./v4.sol";

interface ICollector {
    function collectWhileUnlocked(address token) external;
}

interface IMevModule {
    /// @return ends whether the module is not to be asked any more
    function beforeSwap(PoolKey calldata key, address token, bytes calldata hookData) external returns (bool ends);
}

/// The hook of all pools of the v4 launchpad: a fee of 1 %, a fifth of it on top for the launchpad, taken in the quote currency, and a MEV
/// module in the first minutes. Before each swap the fees of earlier ones are paid out.
///
/// A fixture for development and tests that behaves like Clanker's v4 hooks with a static fee. Not audited, not for mainnet.
contract V4Hook {
    struct Pool {
        address token;
        bool tokenFirst;
        bool guarded;
        uint64 createdAt;
        address quote;
    }

    uint24 public constant FEE_PIPS = 10_000;
    uint256 private constant PROTOCOL_PIPS = 2_000;
    uint256 private constant PIPS = 1_000_000;
    uint256 private constant GUARD_SECONDS = 2 minutes;
    uint24 private constant DYNAMIC_FEE = 0x800000;

    IPoolManager public manager;
    address public launchpad;
    ICollector public locker;
    IMevModule public mevModule;
    mapping(bytes32 poolId => Pool) public pools;

    error AlreadySetUp();
    error NotLaunchpad();
    error NotManager();

    modifier onlyLaunchpad() {
        if (msg.sender != launchpad) revert NotLaunchpad();
        _;
    }

    modifier onlyManager() {
        if (msg.sender != address(manager)) revert NotManager();
        _;
    }

    /// In place of a constructor, since a hook's address says what it is called for: the code has to be the same on each chain.
    function setUp(IPoolManager manager_, ICollector locker_, IMevModule mevModule_) external {
        if (launchpad != address(0)) revert AlreadySetUp();
        (launchpad, manager, locker, mevModule) = (msg.sender, manager_, locker_, mevModule_);
    }

    function openPool(address token, address quote, int24 tickSpacing, uint160 sqrtPriceX96)
        external
        onlyLaunchpad
        returns (PoolKey memory key)
    {
        bool tokenFirst = token < quote;
        (address currency0, address currency1) = tokenFirst ? (token, quote) : (quote, token);
        key = PoolKey(currency0, currency1, DYNAMIC_FEE, tickSpacing, address(this));
        pools[keccak256(abi.encode(key))] = Pool(token, tokenFirst, false, uint64(block.timestamp), quote);
        manager.initialize(key, sqrtPriceX96);
    }

    /// Once the launch's own buys are made.
    function guard(PoolKey calldata key) external onlyLaunchpad {
        pools[keccak256(abi.encode(key))].guarded = true;
    }

    function beforeSwap(address, PoolKey calldata key, SwapParams calldata params, bytes calldata hookData)
        external
        onlyManager
        returns (bytes4, int256 delta, uint24)
    {
        Pool storage pool = pools[keccak256(abi.encode(key))];
        manager.updateDynamicLPFee(key, FEE_PIPS);
        _payLaunchpad(pool.quote);
        locker.collectWhileUnlocked(pool.token);
        if (pool.guarded && block.timestamp < pool.createdAt + GUARD_SECONDS && mevModule.beforeSwap(key, pool.token, hookData)) {
            pool.guarded = false;
        }
        // Where the amount in the quote currency is what the swapper names, the launchpad's part comes out of it, or on top of it.
        bool isBuy = params.zeroForOne != pool.tokenFirst;
        if (isBuy && params.amountSpecified < 0) {
            uint256 pips = PROTOCOL_PIPS * (10_000 - PROTOCOL_PIPS / 100) / 10_000;
            delta = _take(pool.quote, uint256(-params.amountSpecified) * pips / PIPS) << 128;
        } else if (!isBuy && params.amountSpecified > 0) {
            uint256 pips = PROTOCOL_PIPS * (10_000 + PROTOCOL_PIPS / 100) / 10_000;
            delta = _take(pool.quote, uint256(params.amountSpecified) * pips / PIPS) << 128;
        }
        return (this.beforeSwap.selector, delta, 0);
    }

    function afterSwap(address, PoolKey calldata key, SwapParams calldata params, int256 swapped, bytes calldata)
        external
        onlyManager
        returns (bytes4, int128 delta)
    {
        Pool storage pool = pools[keccak256(abi.encode(key))];
        bool isBuy = params.zeroForOne != pool.tokenFirst;
        if (isBuy == (params.amountSpecified > 0)) {
            int128 amount = pool.tokenFirst ? int128(swapped) : int128(swapped >> 128);
            delta = int128(_take(pool.quote, uint256(uint128(amount < 0 ? -amount : amount)) * PROTOCOL_PIPS / PIPS));
        }
        return (this.afterSwap.selector, delta);
    }

    function _take(address currency, uint256 fee) private returns (int256) {
        manager.mint(address(this), uint160(currency), fee);
        return int256(fee);
    }

    function _payLaunchpad(address currency) private {
        uint256 fee = manager.balanceOf(address(this), uint160(currency));
        manager.burn(address(this), uint160(currency), fee);
        manager.take(currency, launchpad, fee);
    }
}
