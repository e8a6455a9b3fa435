// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "./interfaces.sol";
import {LaunchToken} from "./LaunchToken.sol";
import {IPoolManager, ModifyLiquidityParams, PoolKey, Settling, SwapParams} from "./v4.sol";

// Stand-ins that do and emit what Zora's coins in Uniswap v4 pools, their hooks and their factory do, in its order. For tests only.

interface IStorage {
    function extsload(bytes32 slot) external view returns (bytes32);
}

interface IMsgSender {
    function msgSender() external view returns (address);
}

enum Kind {
    Content,
    Creator,
    Trend
}

contract ZoraFactory {
    mapping(address => bool) public isCoin;
    IPoolManager public immutable manager;

    event CoinCreatedV4(
        address indexed caller,
        address indexed payoutRecipient,
        address indexed platformReferrer,
        address currency,
        string uri,
        string name,
        string symbol,
        address coin,
        PoolKey poolKey,
        bytes32 poolKeyHash,
        string version
    );
    event CreatorCoinCreated(
        address indexed caller,
        address indexed payoutRecipient,
        address indexed platformReferrer,
        address currency,
        string uri,
        string name,
        string symbol,
        address coin,
        PoolKey poolKey,
        bytes32 poolKeyHash,
        string version
    );
    event TrendCoinCreated(
        address indexed caller, string symbol, address coin, PoolKey poolKey, bytes32 poolKeyHash, bytes poolConfig, string version
    );

    constructor(IPoolManager manager_) {
        manager = manager_;
    }

    function deploy(Kind kind, address payoutRecipient, address currency, CoinHook hook, bytes32 salt) external returns (ZoraCoin coin) {
        coin = new ZoraCoin{salt: salt}(kind, currency);
        isCoin[address(coin)] = true;
        coin.open(payoutRecipient, hook);
        PoolKey memory key = coin.poolKey();
        bytes32 id = keccak256(abi.encode(key));
        if (kind == Kind.Trend) {
            emit TrendCoinCreated(msg.sender, "TREND", address(coin), key, id, "", "2.5.0");
        } else if (kind == Kind.Creator) {
            string memory version = hook.legacy() ? "2.2.1" : "2.5.0";
            emit CreatorCoinCreated(
                msg.sender, payoutRecipient, address(1), currency, "ipfs://creator", "Creator", "CREA", address(coin), key, id, version
            );
        } else {
            emit CoinCreatedV4(
                msg.sender, payoutRecipient, address(1), currency, "ipfs://content", "Content", "CONT", address(coin), key, id, "2.5.0"
            );
        }
    }
}

contract ZoraCoin is LaunchToken {
    uint256 constant VESTING = 500_000_000e18;

    ZoraFactory immutable factory;
    Kind public immutable kind;
    address public immutable currency;
    uint256 immutable start = block.timestamp;
    /// Of late, leap years count.
    uint256 vestingSeconds;
    string public tokenURI;
    address public payoutRecipient;
    uint256 public totalClaimed;
    PoolKey key;

    event CoinPayoutRecipientUpdated(address indexed caller, address indexed prevRecipient, address indexed newRecipient);
    event CreatorVestingClaimed(
        address indexed recipient, uint256 claimAmount, uint256 totalClaimed, uint256 vestingStartTime, uint256 vestingEndTime
    );
    event NameAndSymbolUpdated(address indexed caller, string newName, string newSymbol);
    event ContractMetadataUpdated(address indexed caller, string newURI, string name);
    event LiquidityMigrated(PoolKey fromPoolKey, bytes32 fromPoolKeyHash, PoolKey toPoolKey, bytes32 toPoolKeyHash);

    constructor(Kind kind_, address currency_) LaunchToken("Coin", "COIN", address(this)) {
        (factory, kind, currency) = (ZoraFactory(msg.sender), kind_, currency_);
    }

    function poolKey() external view returns (PoolKey memory) {
        return key;
    }

    function open(address recipient, CoinHook hook) external {
        if (kind == Kind.Trend) setNameAndSymbol("TREND", "TREND");
        else if (kind == Kind.Creator) setNameAndSymbol("Creator", "CREA");
        else setNameAndSymbol("Content", "CONT");
        setPayoutRecipient(recipient);
        vestingSeconds = hook.legacy() ? 5 * 365 days : 5 * 365.25 days;
        setContractURI(kind == Kind.Trend ? "https://trend" : kind == Kind.Creator ? "ipfs://creator" : "ipfs://content");
        bool first = address(this) < currency;
        key = PoolKey(first ? address(this) : currency, first ? currency : address(this), 10_000, 200, address(hook));
        uint256 vesting = kind == Kind.Creator ? VESTING : 0;
        uint256 reward = kind == Kind.Content ? 10_000_000e18 : 0;
        if (reward > 0) this.transfer(recipient, reward);
        this.transfer(address(hook), totalSupply - vesting - reward);
        // 1.0001^(-230400/2), its inverse, or 1 for a coin paired with a coin: a little outside of the positions, which hold coins alone.
        uint160 price = first ? 787141746753502652439687 : 7974550658313230305083379921275389;
        if (factory.isCoin(currency)) price = first ? 79227370232639194950168014896 : 79228954795889480236919885775;
        factory.manager().initialize(key, price);
    }

    function setNameAndSymbol(string memory newName, string memory newSymbol) public {
        (name, symbol) = (newName, newSymbol);
        emit NameAndSymbolUpdated(msg.sender, newName, newSymbol);
    }

    function setContractURI(string memory newURI) public {
        emit ContractMetadataUpdated(msg.sender, newURI, name);
        tokenURI = newURI;
    }

    function setPayoutRecipient(address recipient) public {
        emit CoinPayoutRecipientUpdated(msg.sender, payoutRecipient, recipient);
        payoutRecipient = recipient;
    }

    function getClaimableAmount() public view returns (uint256) {
        uint256 elapsed = block.timestamp - start;
        return (elapsed >= vestingSeconds ? VESTING : VESTING * elapsed / vestingSeconds) - totalClaimed;
    }

    function claimVesting() external {
        uint256 amount = getClaimableAmount();
        if (amount == 0) return;
        totalClaimed += amount;
        this.transfer(payoutRecipient, amount);
        emit CreatorVestingClaimed(payoutRecipient, amount, totalClaimed, start, start + vestingSeconds);
    }

    function migrateLiquidity(CoinHook newHook) external {
        PoolKey memory to = CoinHook(payable(key.hooks)).migrateLiquidity(newHook, key);
        emit LiquidityMigrated(key, keccak256(abi.encode(key)), to, keccak256(abi.encode(to)));
        key = to;
    }
}

/// Collects the fees at every swap, adds a fifth of them to the pool, and shares out the rest in the currency at the end of the coin's path.
contract CoinHook is Settling {
    struct Rewards {
        uint256 creatorPayoutAmountCurrency;
        uint256 creatorPayoutAmountCoin;
        uint256 platformReferrerAmountCurrency;
        uint256 platformReferrerAmountCoin;
        uint256 tradeReferrerAmountCurrency;
        uint256 tradeReferrerAmountCoin;
        uint256 protocolAmountCurrency;
        uint256 protocolAmountCoin;
        uint256 dopplerAmountCurrency;
        uint256 dopplerAmountCoin;
    }

    struct Range {
        int24 lower;
        int24 upper;
        int256 liquidity;
    }

    ZoraFactory immutable factory;
    address immutable trusted;
    /// Hooks of creator coins once reported their rewards by an event of their own alone.
    bool public immutable legacy;
    mapping(bytes32 id => address) coins;
    mapping(bytes32 id => Range[]) ranges;

    event Swapped(
        address indexed sender,
        address indexed swapSender,
        bool isTrustedSwapSenderAddress,
        PoolKey key,
        bytes32 indexed poolKeyHash,
        SwapParams params,
        int128 amount0,
        int128 amount1,
        bool isCoinBuy,
        bytes hookData,
        uint160 sqrtPriceX96
    );
    event CoinMarketRewardsV4(
        address coin,
        address currency,
        address payoutRecipient,
        address platformReferrer,
        address tradeReferrer,
        address protocolRewardRecipient,
        address dopplerRecipient,
        Rewards marketRewards
    );
    event CreatorCoinRewards(
        address indexed coin, address currency, address creator, address protocol, uint256 creatorAmount, uint256 protocolAmount
    );

    constructor(IPoolManager manager_, ZoraFactory factory_, address trusted_, bool legacy_) Settling(manager_) {
        (factory, trusted, legacy) = (factory_, trusted_, legacy_);
    }

    function afterInitialize(address sender, PoolKey calldata key, uint160, int24) external returns (bytes4) {
        if (sender != address(this)) {
            bool first = key.currency0 == sender;
            bool ofCoin = factory.isCoin(ZoraCoin(sender).currency());
            int24 start = ofCoin ? int24(0) : first ? int24(-230_400) : int24(230_400);
            Range[] memory made = new Range[](2);
            for (int24 i = 0; i < 2; i++) {
                (int24 near, int24 far) = (i * 20_000, (i + 1) * 20_000);
                (int24 lower, int24 upper) = first ? (start + near, start + far) : (start - far, start - near);
                made[uint24(i)] = Range(lower, upper, (ofCoin ? int256(4e26) : int256(4e21)) * (int256(i) + 1));
            }
            _open(key, sender, made);
        }
        return this.afterInitialize.selector;
    }

    function _open(PoolKey memory key, address coin, Range[] memory made) private {
        bytes32 id = keccak256(abi.encode(key));
        coins[id] = coin;
        for (uint256 i = 0; i < made.length; i++) ranges[id].push(made[i]);
        manager.unlock(abi.encode(key, made, address(this)));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        (PoolKey memory key, Range[] memory some, address to) = abi.decode(data, (PoolKey, Range[], address));
        for (uint256 i = 0; i < some.length; i++) {
            (int256 delta,) = manager.modifyLiquidity(key, ModifyLiquidityParams(some[i].lower, some[i].upper, some[i].liquidity, 0), "");
            _even(key, delta, to);
        }
        return "";
    }

    function migrateLiquidity(CoinHook newHook, PoolKey memory key) external returns (PoolKey memory to) {
        bytes32 id = keccak256(abi.encode(key));
        Range[] memory some = ranges[id];
        for (uint256 i = 0; i < some.length; i++) some[i].liquidity = -some[i].liquidity;
        (uint160 price,) = _slot0(id);
        manager.unlock(abi.encode(key, some, address(newHook)));
        to = newHook.initializeFromMigration(key, coins[id], price, some);
    }

    /// Rounding takes a little of what was burned.
    function initializeFromMigration(PoolKey memory key, address coin, uint160 price, Range[] memory burned) external returns (PoolKey memory) {
        key.hooks = address(this);
        manager.initialize(key, price);
        for (uint256 i = 0; i < burned.length; i++) burned[i].liquidity = -burned[i].liquidity * 999_999 / 1_000_000;
        _open(key, coin, burned);
        return key;
    }

    function afterSwap(address sender, PoolKey calldata key, SwapParams calldata params, int256 delta, bytes calldata hookData)
        external
        returns (bytes4, int128)
    {
        bytes32 id = keccak256(abi.encode(key));
        ZoraCoin coin = ZoraCoin(coins[id]);
        _share(coin, key, id);
        address swapper;
        try IMsgSender(sender).msgSender() returns (address one) {
            swapper = one;
        } catch {}
        (uint160 price,) = _slot0(id);
        emit Swapped(
            sender,
            swapper,
            sender == trusted,
            key,
            id,
            params,
            int128(delta >> 128),
            int128(delta),
            params.zeroForOne == (key.currency1 == address(coin)),
            hookData,
            price
        );
        return (this.afterSwap.selector, 0);
    }

    function _share(ZoraCoin coin, PoolKey memory key, bytes32 id) private {
        (uint256 fees0, uint256 fees1) = _collect(key, id);
        bool first = key.currency0 == address(coin);
        (uint256 forPool0, uint256 forPool1) = (fees0 / 5, fees1 / 5);
        (fees0, fees1) = _addBeside(key, id, forPool0, true, first, fees0, fees1);
        (fees0, fees1) = _addBeside(key, id, forPool1, false, !first, fees0, fees1);
        (uint256 ofCoin, uint256 amount) = first ? (fees0, fees1) : (fees1, fees0);
        address currency = coin.currency();
        // What can't be swapped is paid in the coin itself.
        bool isStuck = !legacy && block.number % 3 == 0;
        if (ofCoin > 0 && !isStuck) amount += _swapOn(key, currency, ofCoin);
        while (factory.isCoin(currency) && amount > 0) {
            ZoraCoin parent = ZoraCoin(currency);
            currency = parent.currency();
            amount = _swapOn(parent.poolKey(), currency, amount);
        }
        if (ofCoin > 0 && isStuck) _reward(coin, address(coin), ofCoin);
        _reward(coin, currency, amount);
    }

    function _reward(ZoraCoin coin, address currency, uint256 amount) private {
        if (amount > 0) manager.take(currency, address(this), amount);
        address recipient = coin.payoutRecipient();
        Rewards memory rewards;
        rewards.creatorPayoutAmountCurrency = recipient == address(0) ? 0 : amount * 6250 / 10_000;
        rewards.platformReferrerAmountCurrency = amount * 2500 / 10_000;
        rewards.protocolAmountCurrency = amount - rewards.creatorPayoutAmountCurrency - rewards.platformReferrerAmountCurrency;
        _send(currency, recipient, rewards.creatorPayoutAmountCurrency);
        _send(currency, address(1001), rewards.platformReferrerAmountCurrency);
        _send(currency, address(1002), rewards.protocolAmountCurrency);
        bool isCreator = coin.kind() == Kind.Creator;
        if (!isCreator || !legacy) {
            emit CoinMarketRewardsV4(address(coin), currency, recipient, address(1001), address(0), address(1002), address(1003), rewards);
        }
        if (isCreator) {
            emit CreatorCoinRewards(
                address(coin), currency, recipient, address(1002), rewards.creatorPayoutAmountCurrency, rewards.protocolAmountCurrency
            );
        }
    }

    function _collect(PoolKey memory key, bytes32 id) private returns (uint256 fees0, uint256 fees1) {
        for (uint256 i = 0; i < ranges[id].length; i++) {
            Range memory range = ranges[id][i];
            (, int256 fees) = manager.modifyLiquidity(key, ModifyLiquidityParams(range.lower, range.upper, 0, 0), "");
            fees0 += uint256(int256(int128(fees >> 128)));
            fees1 += uint256(int256(int128(fees)));
        }
    }

    /// A position of one currency, two spacings beside the price, of about half of the amount. Returns what is left; the position may give fees, too.
    function _addBeside(PoolKey memory key, bytes32 id, uint256 amount, bool isCurrency0, bool isCoin, uint256 left0, uint256 left1)
        private
        returns (uint256, uint256)
    {
        uint256 liquidity = isCoin ? amount / 20_000 : amount * 500_000;
        if (factory.isCoin(key.currency0) && factory.isCoin(key.currency1)) liquidity = amount * 5;
        if (liquidity == 0) return (left0, left1);
        (, int24 tick) = _slot0(id);
        int24 lower = (tick / 200) * 200 + (isCurrency0 ? int24(600) : int24(-800));
        (int256 delta,) = manager.modifyLiquidity(key, ModifyLiquidityParams(lower, lower + 200, int256(liquidity), 0), "");
        return (uint256(int256(left0) + int128(delta >> 128)), uint256(int256(left1) + int128(delta)));
    }

    /// Exactly `amount` in, for `wanted`; returns what comes out.
    function _swapOn(PoolKey memory key, address wanted, uint256 amount) private returns (uint256) {
        int256 delta = _swapFor(key, wanted, amount);
        return uint256(int256(wanted == key.currency1 ? int128(delta) : int128(delta >> 128)));
    }

    function _send(address currency, address to, uint256 amount) private {
        if (amount == 0) return;
        if (currency != address(0)) {
            IERC20(currency).transfer(to, amount);
            return;
        }
        (bool sent,) = to.call{value: amount}("");
        require(sent);
    }

    function _slot0(bytes32 id) private view returns (uint160 price, int24 tick) {
        uint256 word = uint256(IStorage(address(manager)).extsload(keccak256(abi.encode(id, uint256(6)))));
        (price, tick) = (uint160(word), int24(int256(word >> 160)));
    }
}

/// Swaps along a path inside the PoolManager: what lies between its ends moves in no transfer.
contract PathRouter is Settling {
    address public msgSender;

    constructor(IPoolManager manager_) Settling(manager_) {}

    function swap(PoolKey[] calldata path, address currencyIn, uint256 amount) external payable {
        msgSender = msg.sender;
        if (currencyIn != address(0)) IERC20(currencyIn).transferFrom(msg.sender, address(this), amount);
        manager.unlock(abi.encode(path, currencyIn, amount, msg.sender));
        msgSender = address(0);
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        (PoolKey[] memory path, address currency, uint256 amount, address to) = abi.decode(data, (PoolKey[], address, uint256, address));
        _pay(currency, amount);
        for (uint256 i = 0; i < path.length; i++) {
            address wanted = path[i].currency0 == currency ? path[i].currency1 : path[i].currency0;
            int256 delta = _swapFor(path[i], wanted, amount);
            amount = uint256(int256(wanted == path[i].currency1 ? int128(delta) : int128(delta >> 128)));
            currency = wanted;
        }
        manager.take(currency, to, amount);
        return "";
    }
}
