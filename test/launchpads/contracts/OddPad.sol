// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IWeth {
    function deposit() external payable;
    function transfer(address to, uint256 amount) external returns (bool);
}

interface IFactory {
    function getPool(address a, address b, uint24 fee) external view returns (address);
    function createPool(address a, address b, uint24 fee) external returns (address);
}

interface IPool {
    function initialize(uint160 sqrtPriceX96) external;
    function slot0() external view returns (uint160, int24, uint16, uint16, uint16, uint8, bool);
    function mint(address owner, int24 lower, int24 upper, uint128 liquidity, bytes calldata data) external returns (uint256, uint256);
    function burn(int24 lower, int24 upper, uint128 liquidity) external returns (uint256, uint256);
    function collect(address to, int24 lower, int24 upper, uint128 most0, uint128 most1) external returns (uint128, uint128);
    function swap(address to, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data) external returns (int256, int256);
}

/// An ERC-20 that lets anybody send to the zero address without burning, takes a tax from every transfer, and can show that tax in no event.
contract Note {
    uint8 public constant decimals = 18;
    uint256 public totalSupply = 10 ** 27;
    uint256 public immutable taxPercent;
    bool public immutable hidesTax;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(uint256 tax, bool hides) {
        (taxPercent, hidesTax) = (tax, hides);
        balanceOf[msg.sender] = totalSupply;
        emit Transfer(address(0), msg.sender, totalSupply);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        move(from, to, amount);
        return true;
    }

    function burn(uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        totalSupply -= amount;
        emit Transfer(msg.sender, address(0), amount);
    }

    function move(address from, address to, uint256 amount) private {
        uint256 tax = to == address(0) ? 0 : (amount * taxPercent) / 100;
        balanceOf[from] -= amount;
        balanceOf[to] += amount - tax;
        if (tax > 0 && !hidesTax) {
            balanceOf[address(0xFEE)] += tax;
            emit Transfer(from, address(0xFEE), tax);
        }
        emit Transfer(from, to, amount - tax);
    }
}

/// Whoever provides liquidity to Uniswap v3 pools without a position manager.
contract Provider {
    IWeth immutable weth;
    IFactory immutable factory;
    uint24 constant FEE = 10_000;

    constructor(IWeth weth_, IFactory factory_) {
        (weth, factory) = (weth_, factory_);
    }

    receive() external payable {}

    function open(address note, uint160 sqrtPriceX96) public payable returns (IPool pool) {
        pool = IPool(factory.getPool(note, address(weth), FEE));
        if (address(pool) == address(0)) pool = IPool(factory.createPool(note, address(weth), FEE));
        (uint160 price, , , , , , ) = pool.slot0();
        if (price == 0) pool.initialize(sqrtPriceX96);
        if (msg.value > 0) weth.deposit{value: msg.value}();
    }

    function add(IPool pool, address note, int24 lower, int24 upper, uint128 liquidity) public {
        pool.mint(address(this), lower, upper, liquidity, abi.encode(note));
    }

    function remove(IPool pool, int24 lower, int24 upper, uint128 liquidity) external {
        pool.burn(lower, upper, liquidity);
        pool.collect(address(this), lower, upper, type(uint128).max, type(uint128).max);
    }

    function buy(IPool pool, address note, address to, int256 paid) external payable {
        weth.deposit{value: msg.value}();
        bool zeroForOne = address(weth) < note;
        uint160 limit = zeroForOne ? 4295128740 : 1461446703485210103287273052203988822378723970341;
        pool.swap(to, zeroForOne, paid, limit, abi.encode(note));
    }

    function uniswapV3MintCallback(uint256 owed0, uint256 owed1, bytes calldata data) external {
        pay(abi.decode(data, (address)), owed0, owed1);
    }

    function uniswapV3SwapCallback(int256 delta0, int256 delta1, bytes calldata data) external {
        pay(abi.decode(data, (address)), delta0 > 0 ? uint256(delta0) : 0, delta1 > 0 ? uint256(delta1) : 0);
    }

    function pay(address note, uint256 owed0, uint256 owed1) private {
        (uint256 notes, uint256 quote) = note < address(weth) ? (owed0, owed1) : (owed1, owed0);
        if (notes > 0) Note(note).transfer(msg.sender, notes);
        if (quote > 0) weth.transfer(msg.sender, quote);
    }
}

/// A curve for all notes whose events name no maker, and which several accounts can use in one transaction.
contract OddPad is Provider {
    event Launched(address indexed note, address indexed by);
    event Bought(address indexed note, uint256 notes, uint256 paid);
    event Sold(address indexed note, uint256 notes, uint256 got);
    event Moved(address indexed note, address pool);

    constructor(IWeth weth_, IFactory factory_) Provider(weth_, factory_) {}

    function launch(uint256 tax, bool hides) external returns (Note note) {
        note = new Note(tax, hides);
        emit Launched(address(note), msg.sender);
    }

    /// @param order 0: the notes move before each event, 1: after it, 2: now so, now so, 3: before it, over the router
    function bundle(Note note, address[] calldata buyers, uint256 amount, uint256 order, Router router) external payable {
        for (uint256 i = 0; i < buyers.length; i++) {
            bool first = order == 0 || order == 3 || (order == 2 && i % 3 != 1);
            address to = order == 3 ? address(router) : buyers[i];
            if (first) note.transfer(to, amount);
            emit Bought(address(note), amount, msg.value / buyers.length);
            if (!first) note.transfer(to, amount);
        }
        if (order == 3) router.pass(note, buyers, amount);
    }

    function unbundle(Note note, address[] calldata sellers, uint256 amount, bool first) external {
        for (uint256 i = 0; i < sellers.length; i++) {
            if (first) note.transferFrom(sellers[i], address(this), amount);
            emit Sold(address(note), amount, 1000);
            if (!first) note.transferFrom(sellers[i], address(this), amount);
        }
    }

    function graduate(Note note, uint160 sqrtPriceX96, uint128 liquidity) external payable returns (IPool pool) {
        pool = open(address(note), sqrtPriceX96);
        add(pool, address(note), -887200, 887200, liquidity);
        emit Moved(address(note), address(pool));
    }
}

contract Router {
    function pass(Note note, address[] calldata to, uint256 amount) external {
        for (uint256 i = 0; i < to.length; i++) note.transfer(to[i], amount);
    }
}
