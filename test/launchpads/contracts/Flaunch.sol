// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "./interfaces.sol";
import {Accounts, BidWall, FeeEscrow, FlETH, IStorage, Memecoin, RevenueNft, Treasury} from "./flaunchParts.sol";
import {IPoolManager, ModifyLiquidityParams, PoolKey, Settling, SwapParams} from "./v4.sol";

// A stand-in that does and emits what Flaunch's PositionManager does in three versions, in its order. For tests only.

struct FlaunchParams1 {
    string name;
    string symbol;
    string tokenUri;
    uint256 initialTokenFairLaunch;
    uint256 premineAmount;
    address creator;
    uint24 creatorFeeAllocation;
    uint256 flaunchAt;
    bytes initialPriceParams;
    bytes feeCalculatorParams;
}

struct FlaunchParams2 {
    string name;
    string symbol;
    string tokenUri;
    uint256 initialTokenFairLaunch;
    uint256 fairLaunchDuration;
    uint256 premineAmount;
    address creator;
    uint24 creatorFeeAllocation;
    uint256 flaunchAt;
    bytes initialPriceParams;
    bytes feeCalculatorParams;
}

struct FlaunchParams3 {
    string name;
    string symbol;
    string tokenUri;
    uint256 premineAmount;
    address creator;
    uint24 creatorFeeAllocation;
    uint256 flaunchAt;
    bytes initialPriceParams;
    bytes feeCalculatorParams;
}

/// A launch as tests ask for it. `first`: the memecoin is to be its pool's first currency.
struct Launch {
    string name;
    address creator;
    uint24 allocation;
    uint256 fairSupply;
    uint256 duration;
    uint256 premine;
    bool first;
}

contract PositionManager is Accounts, Settling {
    struct Pool {
        address coin;
        uint256 tokenId;
        uint24 allocation;
        bool fairLaunch;
        uint256 endsAt;
        uint256 supply;
        uint256 revenue;
        uint256 stock;
        uint256 fees;
    }

    struct Fill {
        uint256 paid;
        uint256 out;
        uint256 fee;
    }

    uint256 constant SUPPLY = 100_000_000_000e18;
    uint256 constant TOKENS_PER_NATIVE = 1e10;
    uint256 constant THRESHOLD = 0.001 ether;
    int24 constant LAST_TICK = 887_220;
    address constant BURN = 0x000000000000000000000000000000000000dEaD;
    address constant PROTOCOL = address(0xfee);

    uint8 public immutable version;
    RevenueNft public immutable flaunchContract;
    FeeEscrow immutable escrow;
    BidWall public immutable bidWall;
    mapping(bytes32 => Pool) public pools;
    mapping(address => PoolKey) keys;
    int256[12] report;

    event PoolCreated(
        bytes32 indexed _poolId,
        address _memecoin,
        address _memecoinTreasury,
        uint256 _tokenId,
        bool _currencyFlipped,
        uint256 _flaunchFee,
        FlaunchParams1 _params
    );
    event PoolCreated(
        bytes32 indexed _poolId,
        address _memecoin,
        address _memecoinTreasury,
        uint256 _tokenId,
        bool _currencyFlipped,
        uint256 _flaunchFee,
        FlaunchParams2 _params
    );
    event PoolCreated(
        bytes32 indexed _poolId,
        address _memecoin,
        address _memecoinTreasury,
        uint256 _tokenId,
        bool _currencyFlipped,
        uint256 _flaunchFee,
        FlaunchParams3 _params
    );
    event PoolSwap(
        bytes32 indexed poolId,
        int256 flAmount0,
        int256 flAmount1,
        int256 flFee0,
        int256 flFee1,
        int256 ispAmount0,
        int256 ispAmount1,
        int256 ispFee0,
        int256 ispFee1,
        int256 uniAmount0,
        int256 uniAmount1,
        int256 uniFee0,
        int256 uniFee1
    );
    event PoolFeesDistributed(
        bytes32 indexed _poolId,
        uint256 _donateAmount,
        uint256 _creatorAmount,
        uint256 _bidWallAmount,
        uint256 _governanceAmount,
        uint256 _protocolAmount
    );

    /// @param version_ 1: without a duration of the fair launch, and keeps the accounts itself; 2: with both; 3: without a fair launch
    constructor(uint8 version_, IPoolManager manager_, FlETH native_, RevenueNft nft, FeeEscrow escrow_, BidWall wall)
        Settling(manager_)
        Accounts(native_)
    {
        (version, flaunchContract, escrow, bidWall) = (version_, nft, escrow_, wall);
        native_.approve(address(wall), type(uint256).max);
        native_.approve(address(escrow_), type(uint256).max);
    }

    function poolKey(address coin) external view returns (PoolKey memory) {
        return keys[coin];
    }

    function poolManager() external view returns (IPoolManager) {
        return manager;
    }

    function feeEscrow() external view returns (FeeEscrow) {
        require(version > 1);
        return escrow;
    }

    function flaunch(Launch calldata launch) external returns (address coin) {
        (bytes32 id, PoolKey memory key) = _open(launch);
        coin = pools[id].coin;
        if (version == 3) {
            manager.unlock(abi.encode(key, launch.creator, launch.premine));
        } else {
            Pool storage pool = pools[id];
            (pool.fairLaunch, pool.supply, pool.endsAt) = (true, launch.fairSupply, block.timestamp + launch.duration);
        }
    }

    function _open(Launch calldata launch) private returns (bytes32 id, PoolKey memory key) {
        uint256 tokenId = flaunchContract.mint(launch.creator);
        Memecoin coin = _deploy(launch.first, tokenId);
        address treasury = address(new Treasury());
        coin.initialize(launch.name, "MEME", treasury, SUPPLY);
        (address token, address native) = (address(coin), address(nativeToken));
        key = PoolKey(launch.first ? token : native, launch.first ? native : token, 0, 60, address(this));
        keys[token] = key;
        id = keccak256(abi.encode(key));
        Pool storage pool = pools[id];
        (pool.coin, pool.tokenId, pool.allocation) = (token, tokenId, launch.allocation);
        // Ticks -230401 and 230400: a little outside of the position, which holds memecoins alone.
        manager.initialize(key, launch.first ? 787141746753502652439687 : 7974550658313230305083379921275389);
        if (version == 1) _announce1(id, pool, treasury, launch);
        else if (version == 2) _announce2(id, pool, treasury, launch);
        else _announce3(id, pool, treasury, launch);
    }

    function _deploy(bool first, uint256 tokenId) private returns (Memecoin) {
        bytes32 hash = keccak256(type(Memecoin).creationCode);
        for (uint256 salt = tokenId << 32;; salt++) {
            address coin = address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, hash)))));
            if (coin < address(nativeToken) == first) return new Memecoin{salt: bytes32(salt)}();
        }
    }

    function _announce1(bytes32 id, Pool storage pool, address treasury, Launch calldata launch) private {
        FlaunchParams1 memory params;
        (params.name, params.symbol, params.tokenUri) = (launch.name, "MEME", "ipfs://meme");
        params.initialTokenFairLaunch = launch.fairSupply;
        (params.premineAmount, params.creator, params.creatorFeeAllocation) = (launch.premine, launch.creator, launch.allocation);
        emit PoolCreated(id, pool.coin, treasury, pool.tokenId, !(address(nativeToken) < pool.coin), 0, params);
    }

    function _announce2(bytes32 id, Pool storage pool, address treasury, Launch calldata launch) private {
        FlaunchParams2 memory params;
        (params.name, params.symbol, params.tokenUri) = (launch.name, "MEME", "ipfs://meme");
        (params.initialTokenFairLaunch, params.fairLaunchDuration) = (launch.fairSupply, launch.duration);
        (params.premineAmount, params.creator, params.creatorFeeAllocation) = (launch.premine, launch.creator, launch.allocation);
        emit PoolCreated(id, pool.coin, treasury, pool.tokenId, !(address(nativeToken) < pool.coin), 0, params);
    }

    function _announce3(bytes32 id, Pool storage pool, address treasury, Launch calldata launch) private {
        FlaunchParams3 memory params;
        (params.name, params.symbol, params.tokenUri) = (launch.name, "MEME", "ipfs://meme");
        (params.premineAmount, params.creator, params.creatorFeeAllocation) = (launch.premine, launch.creator, launch.allocation);
        emit PoolCreated(id, pool.coin, treasury, pool.tokenId, !(address(nativeToken) < pool.coin), 0, params);
    }

    /// Its own swap, of which its hook hears nothing.
    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        (PoolKey memory key, address creator, uint256 premine) = abi.decode(data, (PoolKey, address, uint256));
        Pool storage pool = pools[keccak256(abi.encode(key))];
        _seed(key, pool, SUPPLY);
        if (premine > 0) {
            bool zeroForOne = key.currency1 == pool.coin;
            int256 delta = manager.swap(key, SwapParams(zeroForOne, int256(premine), zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE), "");
            _even(key, delta, address(this));
            IERC20(pool.coin).transfer(creator, premine);
        }
        return "";
    }

    function _seed(PoolKey memory key, Pool storage pool, uint256 tokens) private {
        bool first = key.currency0 == pool.coin;
        // The square root of the price is 1e-5, of tokens or of what they are paid in.
        int256 liquidity = int256(tokens / 100_000 * 99 / 100);
        (int24 lower, int24 upper) = first ? (int24(-230_400), LAST_TICK) : (-LAST_TICK, int24(230_400));
        (int256 delta,) = manager.modifyLiquidity(key, ModifyLiquidityParams(lower, upper, liquidity, 0), "");
        _even(key, delta, address(this));
        if (pool.revenue == 0) return;
        // 60 ticks are 0.3 % of the square root of the price.
        liquidity = int256(pool.revenue * 100_000 * 300);
        (lower, upper) = first ? (int24(-230_520), int24(-230_460)) : (int24(230_460), int24(230_520));
        (delta,) = manager.modifyLiquidity(key, ModifyLiquidityParams(lower, upper, liquidity, 0), "");
        _even(key, delta, address(this));
    }

    function _closeFairLaunch(PoolKey memory key, Pool storage pool) private {
        pool.fairLaunch = false;
        _seed(key, pool, IERC20(pool.coin).balanceOf(address(this)) - pool.stock - pool.supply);
        if (pool.supply > 0) IERC20(pool.coin).transfer(BURN, pool.supply);
    }

    function beforeSwap(address, PoolKey calldata key, SwapParams calldata params, bytes calldata hookData)
        external
        returns (bytes4, int256, uint24)
    {
        Pool storage pool = pools[keccak256(abi.encode(key))];
        bool buys = params.zeroForOne == (key.currency1 == pool.coin);
        Fill memory fair;
        if (pool.fairLaunch && block.timestamp >= pool.endsAt) _closeFairLaunch(key, pool);
        if (pool.fairLaunch) {
            require(buys, "CannotSellTokenDuringFairLaunch");
            fair = _fairFill(pool, params.amountSpecified);
            _settleFill(key, pool, params, hookData, fair, 0);
            pool.revenue += fair.paid;
            pool.supply -= fair.out;
            if (pool.supply == 0) _closeFairLaunch(key, pool);
        }
        Fill memory own;
        if (buys && pool.stock > 0) {
            own = _stockFill(key, pool, params.amountSpecified, fair);
            if (own.paid > 0 && own.out > 0) {
                pool.stock -= own.out;
                pool.fees += own.paid;
                _settleFill(key, pool, params, hookData, own, 4);
            } else {
                own = Fill(0, 0, 0);
            }
        }
        int256 paid = int256(fair.paid + own.paid);
        int256 out = -int256(fair.out + own.out);
        int256 fee = int256(fair.fee + own.fee);
        (int256 specified, int256 unspecified) = params.amountSpecified < 0 ? (paid, out + fee) : (out, paid + fee);
        return (this.beforeSwap.selector, (specified << 128) | int256(uint256(uint128(int128(unspecified)))), 0);
    }

    function _fairFill(Pool storage pool, int256 specified) private view returns (Fill memory fill) {
        (fill.paid, fill.out) = specified < 0
            ? (uint256(-specified), uint256(-specified) * TOKENS_PER_NATIVE)
            : (uint256(specified) / TOKENS_PER_NATIVE, uint256(specified));
        if (fill.out <= pool.supply) return fill;
        fill.paid = fill.paid * (pool.supply * 1e18 / fill.out) / 1e18;
        fill.out = pool.supply;
    }

    /// Of the tokens that it took as fees, at the pool's price.
    function _stockFill(PoolKey calldata key, Pool storage pool, int256 specified, Fill memory fair) private view returns (Fill memory fill) {
        uint256 price = uint160(uint256(IStorage(address(manager)).extsload(keccak256(abi.encode(keccak256(abi.encode(key)), uint256(6))))));
        bool first = key.currency0 == pool.coin;
        if (specified < 0) {
            uint256 left = uint256(-specified) - fair.paid;
            fill.out = first ? left * 2 ** 96 / price * 2 ** 96 / price : left * price / 2 ** 96 * price / 2 ** 96;
            fill.paid = left;
            if (fill.out > pool.stock) (fill.paid, fill.out) = (left * pool.stock / fill.out, pool.stock);
        } else {
            fill.out = uint256(specified) - fair.out;
            if (fill.out > pool.stock) fill.out = pool.stock;
            fill.paid = first ? fill.out * price / 2 ** 96 * price / 2 ** 96 : fill.out * 2 ** 96 / price * 2 ** 96 / price;
        }
    }

    function _settleFill(PoolKey calldata key, Pool storage pool, SwapParams calldata params, bytes calldata hookData, Fill memory fill, uint256 at)
        private
    {
        manager.take(address(nativeToken), address(this), fill.paid);
        _pay(pool.coin, fill.out);
        fill.fee = _takeFee(key, pool, params, params.amountSpecified < 0 ? fill.out : fill.paid, hookData, at);
        (int256 native, int256 token) = (-int256(fill.paid), int256(fill.out));
        (report[at], report[at + 1]) = key.currency0 == pool.coin ? (token, native) : (native, token);
    }

    /// Of the currency that the swapper did not specify.
    function _takeFee(PoolKey calldata key, Pool storage pool, SwapParams calldata params, uint256 amount, bytes calldata hookData, uint256 at)
        private
        returns (uint256 fee)
    {
        bool ofSecond = (params.amountSpecified < 0) == params.zeroForOne;
        address currency = ofSecond ? key.currency1 : key.currency0;
        fee = amount / 100;
        if (fee == 0) return 0;
        manager.take(currency, address(this), fee);
        uint256 kept = fee;
        if (hookData.length > 0) {
            uint256 forReferrer = fee / 20;
            IERC20(currency).transfer(abi.decode(hookData, (address)), forReferrer);
            kept -= forReferrer;
        }
        if (currency == pool.coin) pool.stock += kept;
        else pool.fees += kept;
        report[at + (ofSecond ? 3 : 2)] = -int256(fee);
    }

    function afterSwap(address, PoolKey calldata key, SwapParams calldata params, int256 delta, bytes calldata hookData)
        external
        returns (bytes4, int128)
    {
        bytes32 id = keccak256(abi.encode(key));
        Pool storage pool = pools[id];
        (int128 amount0, int128 amount1) = (int128(delta >> 128), int128(delta));
        int128 unspecified = (params.amountSpecified < 0) == params.zeroForOne ? amount1 : amount0;
        uint256 fee = _takeFee(key, pool, params, uint256(int256(unspecified < 0 ? -unspecified : unspecified)), hookData, 8);
        (report[8], report[9]) = (amount0, amount1);
        _distribute(key, id, pool);
        _report(id);
        return (this.afterSwap.selector, int128(int256(fee)));
    }

    /// The event has more arguments than the stack holds.
    function _report(bytes32 id) private {
        bytes memory data = abi.encode(report);
        bytes32 topic = PoolSwap.selector;
        assembly {
            log2(add(data, 32), mload(data), topic, id)
        }
        delete report;
    }

    function _distribute(PoolKey calldata key, bytes32 id, Pool storage pool) private {
        uint256 amount = pool.fees;
        if (amount < THRESHOLD) return;
        pool.fees = 0;
        uint256 forProtocol = amount / 10;
        uint256 forCreator = (amount - forProtocol) * pool.allocation / 10_000;
        uint256 forWall = amount - forProtocol - forCreator;
        uint256 forTreasury;
        address creator = flaunchContract.ownerOf(pool.tokenId);
        if (creator == address(0)) (forWall, forCreator) = (forWall + forCreator, 0);
        _allocate(id, creator, forCreator);
        (bool disabled,,,) = bidWall.walls(id);
        if (disabled || pool.fairLaunch) (forTreasury, forWall) = (forWall, 0);
        else bidWall.deposit(key, nativeToken, forWall);
        if (creator == address(0)) (forProtocol, forTreasury) = (forProtocol + forTreasury, 0);
        _allocate(id, Memecoin(pool.coin).treasury(), forTreasury);
        _allocate(id, PROTOCOL, forProtocol);
        emit PoolFeesDistributed(id, amount, forCreator, forWall, forTreasury, forProtocol);
    }

    function _allocate(bytes32 id, address payee, uint256 amount) private {
        if (amount == 0) return;
        if (version == 1) _credit(id, payee, amount);
        else escrow.allocateFees(id, payee, amount);
    }
}

/// Launches for another account: NFT and premine are its own before it passes them on.
contract FlaunchZap {
    function flaunch(PositionManager to, Launch calldata launch, address owner) external {
        IERC20 coin = IERC20(to.flaunch(launch));
        coin.transfer(owner, coin.balanceOf(address(this)));
        RevenueNft nft = to.flaunchContract();
        nft.transferFrom(address(this), owner, nft.nextTokenId() - 1);
    }
}

/// Takes what a swap may cost beforehand, and gives back what it did not.
contract FlaunchRouter is Settling {
    constructor(IPoolManager manager_) Settling(manager_) {}

    /// @param amount what goes in where negative, what comes out where positive
    function swap(PoolKey calldata key, bool zeroForOne, int256 amount, uint256 most, bytes calldata hookData) external {
        address currency = zeroForOne ? key.currency0 : key.currency1;
        IERC20(currency).transferFrom(msg.sender, address(this), most);
        manager.unlock(abi.encode(key, SwapParams(zeroForOne, amount, zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE), most, msg.sender, hookData));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        (PoolKey memory key, SwapParams memory params, uint256 most, address to, bytes memory hookData) =
            abi.decode(data, (PoolKey, SwapParams, uint256, address, bytes));
        (address paid, address wanted) = params.zeroForOne ? (key.currency0, key.currency1) : (key.currency1, key.currency0);
        _pay(paid, most);
        int256 delta = manager.swap(key, params, hookData);
        (int256 amount0, int256 amount1) = (int256(int128(delta >> 128)), int256(int128(delta)));
        (int256 ofPaid, int256 ofWanted) = params.zeroForOne ? (amount0, amount1) : (amount1, amount0);
        if (ofWanted > 0) manager.take(wanted, to, uint256(ofWanted));
        uint256 left = uint256(int256(most) + ofPaid);
        if (left > 0) manager.take(paid, to, left);
        return "";
    }
}
