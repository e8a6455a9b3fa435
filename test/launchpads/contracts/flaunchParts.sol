// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPoolManager, ModifyLiquidityParams, PoolKey, Settling} from "./v4.sol";

// Stand-ins that do and emit what the contracts around Flaunch's PositionManager do. For tests only.

interface IStorage {
    function extsload(bytes32 slot) external view returns (bytes32);
}

abstract contract Coin {
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function burn(uint256 value) external {
        totalSupply -= value;
        balanceOf[msg.sender] -= value;
        emit Transfer(msg.sender, address(0), value);
    }

    function _mint(address to, uint256 value) internal {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function _move(address from, address to, uint256 value) internal {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// Mints and pays out a wei for a wei.
contract FlETH is Coin {
    string public constant name = "flETH";
    string public constant symbol = "flETH";

    receive() external payable {}

    function deposit(uint256) external payable {
        _mint(msg.sender, msg.value);
    }

    function withdraw(uint256 amount) external {
        totalSupply -= amount;
        balanceOf[msg.sender] -= amount;
        emit Transfer(msg.sender, address(0), amount);
        (bool sent,) = msg.sender.call{value: amount}("");
        require(sent);
    }
}

contract Memecoin is Coin {
    string public name;
    string public symbol;
    address public treasury;
    address immutable factory = msg.sender;

    event MetadataUpdated(string _name, string _symbol);

    function initialize(string calldata name_, string calldata symbol_, address treasury_, uint256 supply) external {
        require(msg.sender == factory);
        (name, symbol, treasury) = (name_, symbol_, treasury_);
        _mint(factory, supply);
    }

    function setMetadata(string calldata name_, string calldata symbol_) external {
        (name, symbol) = (name_, symbol_);
        emit MetadataUpdated(name_, symbol_);
    }
}

/// Pays out what it holds to whom its owner says.
contract Treasury {
    function send(Coin coin, address to, uint256 amount) external {
        coin.transfer(to, amount);
    }
}

/// The owner of a memecoin's NFT is its creator.
contract RevenueNft {
    uint256 public nextTokenId = 1;
    mapping(uint256 => address) public ownerOf;

    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    function mint(address to) external returns (uint256 id) {
        id = nextTokenId++;
        ownerOf[id] = to;
        emit Transfer(address(0), to, id);
    }

    /// To the zero address, it is burned.
    function transferFrom(address from, address to, uint256 id) external {
        require(ownerOf[id] == from && msg.sender == from);
        ownerOf[id] = to;
        emit Transfer(from, to, id);
    }
}

/// What accounts have earned of all memecoins.
abstract contract Accounts {
    FlETH public immutable nativeToken;
    mapping(address => uint256) public balances;

    event Deposit(bytes32 indexed _poolId, address _payee, address _token, uint256 _amount);
    event Withdrawal(address _sender, address _recipient, address _token, uint256 _amount);

    constructor(FlETH nativeToken_) {
        nativeToken = nativeToken_;
    }

    function withdrawFees(address recipient, bool unwrap) external {
        uint256 amount = balances[msg.sender];
        if (amount == 0) return;
        balances[msg.sender] = 0;
        if (unwrap) {
            nativeToken.withdraw(amount);
            (bool sent,) = recipient.call{value: amount}("");
            require(sent);
        } else {
            nativeToken.transfer(recipient, amount);
        }
        emit Withdrawal(msg.sender, recipient, unwrap ? address(0) : address(nativeToken), amount);
    }

    function _credit(bytes32 poolId, address payee, uint256 amount) internal {
        balances[payee] += amount;
        emit Deposit(poolId, payee, address(nativeToken), amount);
    }
}

contract FeeEscrow is Accounts {
    constructor(FlETH nativeToken_) Accounts(nativeToken_) {}

    receive() external payable {}

    function allocateFees(bytes32 poolId, address payee, uint256 amount) external {
        if (amount == 0) return;
        nativeToken.transferFrom(msg.sender, address(this), amount);
        _credit(poolId, payee, amount);
    }
}

/// Buys below the price with its share of the fees. Its tokens go to the treasury.
contract BidWall is Settling {
    struct Wall {
        bool disabled;
        uint256 pending;
        int24 lower;
        int256 liquidity;
    }

    uint256 constant THRESHOLD = 0.002 ether;
    int24 constant SPACING = 60;
    mapping(bytes32 => Wall) public walls;

    constructor(IPoolManager manager_) Settling(manager_) {}

    function setDisabledState(bytes32 id, bool disabled) external {
        walls[id].disabled = disabled;
    }

    function deposit(PoolKey calldata key, Coin native, uint256 amount) external {
        bytes32 id = keccak256(abi.encode(key));
        Wall storage wall = walls[id];
        native.transferFrom(msg.sender, address(this), amount);
        wall.pending += amount;
        if (wall.pending < THRESHOLD) return;
        uint256 had = native.balanceOf(address(this));
        if (wall.liquidity > 0) _modify(key, wall.lower, -wall.liquidity);
        uint256 available = wall.pending + native.balanceOf(address(this)) - had;
        bool first = key.currency0 == address(native);
        (uint160 price, int24 tick) = _slot0(id);
        int24 below = _floor(tick);
        wall.lower = first ? below + SPACING : below - SPACING;
        // A spacing is 0.3 % of the square root of the price; a tenth of the amount is left out for rounding.
        wall.liquidity = int256((first ? available * price / 2 ** 96 : available * 2 ** 96 / price) * 300);
        had = native.balanceOf(address(this));
        _modify(key, wall.lower, wall.liquidity);
        wall.pending = available - (had - native.balanceOf(address(this)));
        Memecoin coin = Memecoin(first ? key.currency1 : key.currency0);
        uint256 bought = coin.balanceOf(address(this));
        if (bought > 0) coin.transfer(coin.treasury(), bought);
    }

    function _modify(PoolKey calldata key, int24 lower, int256 liquidity) private {
        (int256 delta,) = manager.modifyLiquidity(key, ModifyLiquidityParams(lower, lower + SPACING, liquidity, "bidwall"), "");
        _even(key, delta, address(this));
    }

    function _floor(int24 tick) private pure returns (int24) {
        return (tick / SPACING - (tick < 0 && tick % SPACING != 0 ? int24(1) : int24(0))) * SPACING;
    }

    function _slot0(bytes32 id) private view returns (uint160 price, int24 tick) {
        uint256 word = uint256(IStorage(address(manager)).extsload(keccak256(abi.encode(id, uint256(6)))));
        (price, tick) = (uint160(word), int24(int256(word >> 160)));
    }
}
