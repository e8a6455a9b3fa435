// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IClankerV4Factory, IERC20} from "./interfaces.sol";
import {LaunchToken} from "./LaunchToken.sol";
import {FeeLocker, SniperAuction} from "./SniperAuction.sol";
import {IPoolManager, ModifyLiquidityParams, PoolKey, Settling} from "./v4.sol";
import {ICollector, IMevModule, V4Hook} from "./V4Hook.sol";

/// Gets a part of a token's supply at its launch.
interface IExtension {
    /// Has to pull the supply, for which it is allowed.
    function receiveTokens(PoolKey calldata key, address token, uint256 supply, bytes calldata data) external payable;
}

/// Keeps the liquidity of all tokens forever, and passes its fees on to the creators' accounts.
contract V4Locker is ICollector, Settling {
    struct Position {
        PoolKey key;
        address creator;
        int24 tickLower;
        int24 tickUpper;
    }

    FeeLocker private immutable feeLocker;
    address private immutable launchpad = msg.sender;
    mapping(address token => Position) public positions;

    error NotLaunchpad();

    constructor(IPoolManager manager_, FeeLocker feeLocker_) Settling(manager_) {
        feeLocker = feeLocker_;
    }

    /// Puts tokens that were sent here into the pool.
    function lock(address token, Position calldata position, uint256 liquidity) external {
        if (msg.sender != launchpad) revert NotLaunchpad();
        positions[token] = position;
        manager.unlock(abi.encode(token, liquidity));
    }

    /// Anybody may call it.
    function collectRewards(address token) external {
        manager.unlock(abi.encode(token, 0));
    }

    /// The same while the caller holds the PoolManager's lock.
    function collectWhileUnlocked(address token) external {
        _change(token, 0);
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        require(msg.sender == address(manager));
        (address token, uint256 liquidity) = abi.decode(data, (address, uint256));
        _change(token, liquidity);
        return "";
    }

    function _change(address token, uint256 added) private {
        Position memory position = positions[token];
        if (position.creator == address(0)) return;
        ModifyLiquidityParams memory params =
            ModifyLiquidityParams(position.tickLower, position.tickUpper, int256(added), bytes32(uint256(uint160(token))));
        (int256 delta,) = manager.modifyLiquidity(position.key, params, "");
        _even(position.key, delta, address(this));
        if (added > 0) return;
        _store(position.key.currency0, int128(delta >> 128), position.creator);
        _store(position.key.currency1, int128(delta), position.creator);
    }

    function _store(address currency, int128 amount, address owner) private {
        if (amount <= 0) return;
        IERC20(currency).approve(address(feeLocker), uint128(amount));
        feeLocker.storeFees(owner, currency, uint128(amount));
    }
}

/// Launches tokens whose only market is a pool of Uniswap v4, paired with any ERC-20.
///
/// A fixture for development and tests that behaves like Clanker v4, with its own terms: the creator gets all fees of the liquidity, and any
/// extension may be named. Not audited, not for mainnet.
contract V4Launchpad is IClankerV4Factory {
    struct Extension {
        address target;
        uint16 bps;
        uint256 value;
        bytes data;
    }

    struct Terms {
        string name;
        string symbol;
        string metadata;
        /// Whose the token is.
        address admin;
        address quote;
        /// The lowest tick of the liquidity, as if the token were the pool's first currency.
        int24 startingTick;
        /// The price at that tick, or a little below, so that the liquidity takes tokens alone.
        uint160 sqrtPriceX96;
        Extension[] extensions;
    }

    int24 public constant TICK_SPACING = 200;
    int24 private constant MAX_TICK = 887_200;
    uint256 private constant BPS = 10_000;

    V4Hook public immutable hook;
    V4Locker public immutable locker;
    FeeLocker public immutable feeLocker;
    SniperAuction public immutable auction;

    constructor(IPoolManager manager, V4Hook hook_, IERC20 weth) {
        hook = hook_;
        feeLocker = new FeeLocker();
        locker = new V4Locker(manager, feeLocker);
        auction = new SniperAuction(weth, feeLocker, address(hook_));
        hook_.setUp(manager, locker, IMevModule(address(auction)));
    }

    function launch(Terms calldata terms) external payable returns (address token) {
        LaunchToken made = new LaunchToken(terms.name, terms.symbol, address(this));
        token = address(made);
        auction.setBeneficiary(token, terms.admin);
        uint256 price = terms.sqrtPriceX96;
        PoolKey memory key =
            hook.openPool(token, terms.quote, TICK_SPACING, uint160(token < terms.quote ? price : (1 << 192) / price));
        uint256 given;
        for (uint256 i = 0; i < terms.extensions.length; i++) given += made.totalSupply() * terms.extensions[i].bps / BPS;
        _fillPool(made, key, terms, made.totalSupply() - given);
        address[] memory extensions = new address[](terms.extensions.length);
        for (uint256 i = 0; i < extensions.length; i++) {
            Extension calldata extension = terms.extensions[i];
            extensions[i] = extension.target;
            uint256 supply = made.totalSupply() * extension.bps / BPS;
            made.approve(extension.target, supply);
            IExtension(extension.target).receiveTokens{value: extension.value}(key, token, supply, extension.data);
        }
        auction.open(key);
        hook.guard(key);
        emit TokenCreated(
            msg.sender, token, terms.admin, "", terms.name, terms.symbol, terms.metadata, "", terms.startingTick, address(hook),
            keccak256(abi.encode(key)), terms.quote, address(locker), address(auction), given, extensions
        );
    }

    /// All of the supply that is left, from the starting tick up; a few units stay with the locker.
    function _fillPool(LaunchToken token, PoolKey memory key, Terms calldata terms, uint256 supply) private {
        bool tokenFirst = key.currency0 == address(token);
        (int24 lower, int24 upper) = tokenFirst ? (terms.startingTick, MAX_TICK) : (-MAX_TICK, -terms.startingTick);
        uint256 liquidity = supply * terms.sqrtPriceX96 >> 96;
        token.transfer(address(locker), supply);
        locker.lock(address(token), V4Locker.Position(key, terms.admin, lower, upper), liquidity);
    }
}
