// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/*
 * Two launchpads of other shapes than the reference one, for tests of mapped events. What they sell at is simple; what they emit is the point.
 */

interface IWETH {
    function deposit() external payable;
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

interface IV2Factory {
    function createPair(address a, address b) external returns (address);
}

interface IV2Pair {
    function token0() external view returns (address);
    function mint(address to) external returns (uint256);
    function swap(uint256 out0, uint256 out1, address to, bytes calldata data) external;
    function getReserves() external view returns (uint112, uint112, uint32);
}

contract Coin {
    uint8 public immutable decimals;
    uint256 public totalSupply;
    /// Of every transfer between strangers, in percent; burned.
    uint256 public immutable taxPercent;
    mapping(address holder => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(uint8 decimals_, uint256 supply, uint256 taxPercent_) {
        decimals = decimals_;
        taxPercent = taxPercent_;
        totalSupply = supply;
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    /// Any account may take: allowances are not what is tested.
    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        _move(from, to, value);
        return true;
    }

    /// Changes every balance, as rebasing tokens do, and says nothing.
    function rebase(address holder, uint256 more) external {
        balanceOf[holder] += more;
        totalSupply += more;
    }

    function _move(address from, address to, uint256 value) private {
        uint256 tax = value * taxPercent / 100;
        balanceOf[from] -= value;
        balanceOf[to] += value - tax;
        if (tax > 0) {
            totalSupply -= tax;
            emit Transfer(from, address(0), tax);
        }
        emit Transfer(from, to, value - tax);
    }
}

/// One contract for all coins: their curve, their escrow and their announcer. Names in a word; amounts after fees; two fees; one event for both sides.
contract Bazaar {
    struct Stall {
        address artist;
        uint256 raised;
        address pair;
    }

    IWETH public immutable weth;
    IV2Factory public immutable factory;
    /// Wei per million units.
    uint256 public constant PRICE = 2_000;
    uint256 public constant GOAL = 1 ether;
    mapping(address coin => Stall) public stalls;
    mapping(address artist => uint256) public owed;

    event Moved(address pair, address coin);
    event Annexed(address pair, address coin, address indexed paired);
    event Opened(bytes32 title, bytes8 indexed ticker, address indexed artist, address coin, uint256 goal);
    /// `coinsSold` tells the side; the amount is what goes to or comes from the curve, without the fees.
    event Dealt(bool coinsSold, uint256 coins, uint256 curveWei, uint256 houseFee, uint256 artistFee, address artist, address coin, address dealer);
    event Paid(address indexed artist, uint256 amount);

    constructor(IWETH weth_, IV2Factory factory_) {
        weth = weth_;
        factory = factory_;
    }

    function open(bytes32 title, bytes8 ticker, uint256 taxPercent) external payable returns (address coin) {
        coin = address(new Coin(18, 1e27, taxPercent));
        stalls[coin].artist = msg.sender;
        if (msg.value > 0) _buy(coin, msg.sender);
        emit Opened(title, ticker, msg.sender, coin, GOAL);
    }

    function buy(address coin) external payable {
        _buy(coin, msg.sender);
    }

    function sell(address coin, uint256 coins) external {
        Stall storage stall = stalls[coin];
        uint256 before = Coin(coin).balanceOf(address(this));
        Coin(coin).transferFrom(msg.sender, address(this), coins);
        uint256 received = Coin(coin).balanceOf(address(this)) - before;
        uint256 curveWei = received * PRICE / 1e6;
        uint256 fee = curveWei / 100;
        stall.raised -= curveWei;
        owed[stall.artist] += fee;
        // After the fees: what the seller gets.
        emit Dealt(true, received, curveWei - 2 * fee, fee, fee, stall.artist, coin, msg.sender);
        payable(msg.sender).transfer(curveWei - 2 * fee);
    }

    /// The last of it on the curve, the move into a pair, and a trade there, in one transaction; the buy is told of after the move.
    function finish(address coin, uint256 wethIn) external payable {
        Stall storage stall = stalls[coin];
        uint256 curveWei = GOAL - stall.raised;
        uint256 fee = curveWei / 100;
        uint256 coins = curveWei * 1e6 / PRICE;
        owed[stall.artist] += fee;
        Coin(coin).transfer(msg.sender, coins);
        address pair = _move(coin);
        _swapIn(coin, pair, wethIn, msg.sender);
        emit Dealt(false, coins, curveWei, fee, fee, stall.artist, coin, msg.sender);
        payable(msg.sender).transfer(msg.value - curveWei - 2 * fee - wethIn);
    }

    function swapIn(address coin, address to) external payable {
        _swapIn(coin, stalls[coin].pair, msg.value, to);
    }

    function swapOut(address coin, uint256 coins) external {
        address pair = stalls[coin].pair;
        (uint256 reserveCoin, uint256 reserveWeth) = _reserves(coin, pair);
        Coin(coin).transferFrom(msg.sender, pair, coins);
        uint256 received = (Coin(coin).balanceOf(pair) - reserveCoin) * 997;
        uint256 out = received * reserveWeth / (reserveCoin * 1000 + received);
        bool first = IV2Pair(pair).token0() == coin;
        IV2Pair(pair).swap(first ? 0 : out, first ? out : 0, msg.sender, "");
    }

    /// Another pair of a coin, made of what the caller has.
    function annex(address coin, address paired, IV2Factory where, uint256 coins, uint256 amount) external returns (address pair) {
        pair = where.createPair(coin, paired);
        IWETH(coin).transferFrom(msg.sender, pair, coins);
        IWETH(paired).transferFrom(msg.sender, pair, amount);
        IV2Pair(pair).mint(msg.sender);
        emit Annexed(pair, coin, paired);
    }

    function swapAt(address pair, address coin, address paired, uint256 amountIn) external {
        (uint256 reserveCoin, uint256 reservePaired) = _reserves(coin, pair);
        IWETH(paired).transferFrom(msg.sender, pair, amountIn);
        uint256 out = amountIn * 997 * reserveCoin / (reservePaired * 1000 + amountIn * 997);
        bool first = IV2Pair(pair).token0() == coin;
        IV2Pair(pair).swap(first ? out : 0, first ? 0 : out, msg.sender, "");
    }

    function collect(uint256 amount) external {
        owed[msg.sender] -= amount;
        emit Paid(msg.sender, amount);
        payable(msg.sender).transfer(amount);
    }

    function _buy(address coin, address dealer) private {
        Stall storage stall = stalls[coin];
        // 100 parts for the curve, one for the house, one for the artist.
        uint256 fee = msg.value / 102;
        uint256 curveWei = msg.value - 2 * fee;
        uint256 coins = curveWei * 1e6 / PRICE;
        stall.raised += curveWei;
        owed[stall.artist] += fee;
        Coin(coin).transfer(dealer, coins);
        emit Dealt(false, coins, curveWei, fee, fee, stall.artist, coin, dealer);
    }

    function _move(address coin) private returns (address pair) {
        pair = factory.createPair(coin, address(weth));
        stalls[coin].pair = pair;
        weth.deposit{value: GOAL}();
        weth.transfer(pair, GOAL);
        Coin(coin).transfer(pair, GOAL * 1e6 / PRICE);
        IV2Pair(pair).mint(address(0xdEaD));
        emit Moved(pair, coin);
    }

    function _swapIn(address coin, address pair, uint256 wethIn, address to) private {
        (uint256 reserveCoin, uint256 reserveWeth) = _reserves(coin, pair);
        weth.deposit{value: wethIn}();
        weth.transfer(pair, wethIn);
        uint256 out = wethIn * 997 * reserveCoin / (reserveWeth * 1000 + wethIn * 997);
        bool first = IV2Pair(pair).token0() == coin;
        IV2Pair(pair).swap(first ? out : 0, first ? 0 : out, to, "");
    }

    function _reserves(address coin, address pair) private view returns (uint256 reserveCoin, uint256 reserveWeth) {
        (uint112 reserve0, uint112 reserve1,) = IV2Pair(pair).getReserves();
        return IV2Pair(pair).token0() == coin ? (reserve0, reserve1) : (reserve1, reserve0);
    }
}

/// A token that is its own curve: mints what it sells from nothing, without a Transfer event at its birth; amounts before fees; tells its price.
contract Folk {
    uint8 public constant decimals = 6;
    uint256 public totalSupply = 1e15;
    address public immutable patron;
    IWETH private immutable weth;
    IV2Factory private immutable factory;
    address public pair;
    uint256 public sold;
    mapping(address holder => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Purchase(uint256 got, uint256 gross, uint256 cut, uint256 spot, address indexed by);
    event Sale(uint256 gave, uint256 gross, uint256 cut, uint256 spot, address indexed by);
    event Grown(address nest, uint24 pips);

    constructor(address patron_, IWETH weth_, IV2Factory factory_) {
        patron = patron_;
        weth = weth_;
        factory = factory_;
        balanceOf[address(this)] = totalSupply;
    }

    /// Wei per whole token.
    function spot() public view returns (uint256) {
        return 1e12 + sold;
    }

    function buy(uint256 tokens) external payable {
        uint256 net = tokens * spot() / 1e6;
        uint256 cut = net / 50;
        sold += tokens;
        _move(address(this), msg.sender, tokens);
        emit Purchase(tokens, net + cut, cut, spot(), msg.sender);
        payable(patron).transfer(cut);
        payable(msg.sender).transfer(msg.value - net - cut);
    }

    function sell(uint256 tokens) external {
        sold -= tokens;
        uint256 gross = tokens * spot() / 1e6;
        uint256 cut = gross / 50;
        _move(msg.sender, address(this), tokens);
        emit Sale(tokens, gross, cut, spot(), msg.sender);
        payable(patron).transfer(cut);
        payable(msg.sender).transfer(gross - cut);
    }

    function grow() external {
        pair = factory.createPair(address(this), address(weth));
        uint256 amount = address(this).balance;
        weth.deposit{value: amount}();
        weth.transfer(pair, amount);
        _move(address(this), pair, amount * 1e6 / spot());
        IV2Pair(pair).mint(address(0xdEaD));
        emit Grown(pair, 2500);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) private {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

contract FolkMaker {
    struct About {
        address by;
        string title;
        bytes ticker;
        uint8 decimals;
    }

    IWETH private immutable weth;
    IV2Factory private immutable factory;

    event Born(uint256 supply, About about, uint16 cutBps, address indexed folk);

    constructor(IWETH weth_, IV2Factory factory_) {
        weth = weth_;
        factory = factory_;
    }

    function make(string calldata title, bytes calldata ticker) external returns (address folk) {
        folk = address(new Folk(msg.sender, weth, factory));
        emit Born(1e15, About(msg.sender, title, ticker, 6), 200, folk);
    }
}
