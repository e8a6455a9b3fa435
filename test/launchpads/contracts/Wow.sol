// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {INonfungiblePositionManager, IWETH9} from "./interfaces.sol";
import {ISwapRouter} from "./swapRouter.sol";

// Stand-ins that emit what Zora's WOW emits, in its order, over the real Uniswap v3. Buys name the tokens and not the ether, so that the
// curve needs no logarithm. For tests only.

interface IWETH is IWETH9 {
    function withdraw(uint256 amount) external;
}

contract Rewards {
    mapping(address => uint256) public balanceOf;

    event RewardsDeposit(
        address indexed creator,
        address indexed createReferral,
        address indexed mintReferral,
        address firstMinter,
        address zora,
        address from,
        uint256 creatorReward,
        uint256 createReferralReward,
        uint256 mintReferralReward,
        uint256 firstMinterReward,
        uint256 zoraReward
    );
    event Deposit(address indexed from, address indexed to, bytes4 indexed reason, uint256 amount, string comment);
    event Withdraw(address indexed from, address indexed to, uint256 amount);

    function deposit(address to, bytes4 reason, string calldata comment) external payable {
        balanceOf[to] += msg.value;
        emit Deposit(msg.sender, to, reason, msg.value, comment);
    }

    function depositBatch(address[] calldata to, uint256[] calldata amounts, bytes4[] calldata reasons, string calldata comment) external payable {
        for (uint256 i = 0; i < to.length; i++) {
            balanceOf[to[i]] += amounts[i];
            emit Deposit(msg.sender, to[i], reasons[i], amounts[i], comment);
        }
    }

    function depositRewards(address creator, address firstMinter) external payable {
        uint256 half = msg.value / 2;
        balanceOf[creator] += half;
        balanceOf[firstMinter] += msg.value - half;
        emit RewardsDeposit(creator, address(0), address(0), firstMinter, address(0), msg.sender, half, 0, 0, msg.value - half, 0);
    }

    function withdraw(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        emit Withdraw(msg.sender, to, amount);
        (bool ok,) = to.call{value: amount}("");
        require(ok);
    }
}

contract WowFactory {
    IWETH public immutable weth;
    INonfungiblePositionManager public immutable positions;
    ISwapRouter public immutable router;
    Rewards public immutable rewards;
    address public immutable protocol;

    event WowTokenCreated(
        address indexed factoryAddress,
        address indexed tokenCreator,
        address platformReferrer,
        address protocolFeeRecipient,
        address bondingCurve,
        string tokenURI,
        string name,
        string symbol,
        address tokenAddress,
        address poolAddress
    );

    constructor(IWETH weth_, INonfungiblePositionManager positions_, ISwapRouter router_, Rewards rewards_, address protocol_) {
        (weth, positions, router, rewards, protocol) = (weth_, positions_, router_, rewards_, protocol_);
    }

    function deploy(address creator, address referrer, string memory uri, string memory name, string memory symbol, bool bare, uint256 firstBuy)
        external
        payable
        returns (Wow token)
    {
        token = new Wow(this, creator, referrer, bare);
        if (firstBuy > 0) token.buy{value: msg.value}(firstBuy, creator, address(0), "");
        emit WowTokenCreated(address(this), creator, referrer, protocol, address(rewards), uri, name, symbol, address(token), token.pool());
    }

    /// Two trades of a token in one transaction: the second one graduates it, and the third is the pool's.
    function graduateAndTrade(Wow token, uint256 rest) external payable {
        token.buy{value: msg.value / 2}(rest / 2, msg.sender, address(0), "first");
        token.buy{value: msg.value / 4}(rest - rest / 2, msg.sender, address(0), "last");
        token.buyFromPool{value: 0.1 ether}(msg.sender, address(0));
    }

    receive() external payable {}
}

contract Wow {
    uint256 constant ONE = 1e36;
    uint256 constant A = 1060848709;
    uint256 constant B = 4379701787;
    uint256 constant PRIMARY = 800_000_000e18;
    uint256 constant SECONDARY = 200_000_000e18;

    WowFactory immutable factory;
    address immutable creator;
    address immutable referrer;
    bool immutable bare;
    uint24 immutable lpFee;
    address public pool;
    uint8 public marketType;
    uint256 positionId;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event WowTokenTransfer(address indexed from, address indexed to, uint256 amount, uint256 fromBalance, uint256 toBalance, uint256 totalSupply);
    event WowTokenFees(
        address indexed tokenCreator,
        address indexed platformReferrer,
        address indexed orderReferrer,
        address protocolFeeRecipient,
        uint256 tokenCreatorFee,
        uint256 platformReferrerFee,
        uint256 orderReferrerFee,
        uint256 protocolFee
    );
    event WowMarketGraduated(
        address indexed tokenAddress,
        address indexed poolAddress,
        uint256 totalEthLiquidity,
        uint256 totalTokenLiquidity,
        uint256 lpPositionId,
        uint8 marketType
    );
    event WowTokenBuy(
        address indexed buyer,
        address indexed recipient,
        address indexed orderReferrer,
        uint256 totalEth,
        uint256 ethFee,
        uint256 ethSold,
        uint256 tokensBought,
        uint256 buyerTokenBalance,
        string comment,
        uint256 totalSupply,
        uint8 marketType
    );
    event WowTokenBuy(
        address indexed buyer,
        address indexed recipient,
        address indexed orderReferrer,
        uint256 totalEth,
        uint256 ethFee,
        uint256 ethSold,
        uint256 tokensBought,
        uint256 buyerTokenBalance,
        string comment,
        uint8 marketType
    );
    event WowTokenSell(
        address indexed seller,
        address indexed recipient,
        address indexed orderReferrer,
        uint256 totalEth,
        uint256 ethFee,
        uint256 ethBought,
        uint256 tokensSold,
        uint256 sellerTokenBalance,
        string comment,
        uint256 totalSupply,
        uint8 marketType
    );
    event WowTokenSecondaryRewards(uint256[8] rewards);

    constructor(WowFactory factory_, address creator_, address referrer_, bool bare_) {
        // The first version, whose events lack the supply, made pools of 0.05 %.
        (factory, creator, referrer, bare, lpFee) = (factory_, creator_, referrer_, bare_, bare_ ? 500 : 10000);
        (address token0, address token1, bool wethFirst) = order();
        pool = factory_.positions().createAndInitializePoolIfNecessary(
            token0, token1, lpFee, wethFirst ? 400950665883918763141200546267337 : 15655546353934715619853339
        );
    }

    receive() external payable {}

    function price() external view returns (uint256 weiPerTokenE18) {
        return A * power(totalSupply) / 1e18;
    }

    function cost(uint256 from, uint256 to) public pure returns (uint256) {
        return (power(to) - power(from)) * A * 1e18 / (B * ONE);
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
        move(msg.sender, address(0), amount);
    }

    function buy(uint256 tokens, address recipient, address orderReferrer, string calldata comment) external payable {
        uint256 needed = cost(totalSupply, totalSupply + tokens);
        uint256 fee = needed / 100;
        move(address(0), recipient, tokens);
        disperse(fee, orderReferrer);
        (bool ok,) = msg.sender.call{value: msg.value - needed - fee}("");
        require(ok);
        if (totalSupply == PRIMARY) graduate();
        told(recipient, orderReferrer, fee, needed + fee, tokens, comment);
    }

    function sell(uint256 tokens, address recipient) external {
        uint256 payout = cost(totalSupply - tokens, totalSupply);
        move(msg.sender, address(0), tokens);
        pay(payout, recipient, tokens);
    }

    function buyFromPool(address recipient, address orderReferrer) external payable {
        uint256 fee = msg.value / 100;
        uint256 left = msg.value - fee;
        disperse(fee, orderReferrer);
        IWETH weth = factory.weth();
        weth.deposit{value: left}();
        weth.approve(address(factory.router()), left);
        uint256 tokens = swap(address(weth), address(this), recipient, left, 0);
        secondary();
        told(recipient, orderReferrer, fee, left, tokens, "");
    }

    function sellToPool(uint256 tokens, address recipient, uint160 limit) external {
        move(msg.sender, address(this), tokens);
        allowance[address(this)][address(factory.router())] = tokens;
        uint256 payout = swap(address(this), address(factory.weth()), address(this), tokens, limit);
        factory.weth().withdraw(payout);
        pay(payout, recipient, tokens);
    }

    function pay(uint256 payout, address recipient, uint256 tokens) private {
        uint256 fee = payout / 100;
        disperse(fee, address(0));
        (bool ok,) = recipient.call{value: payout - fee}("");
        require(ok);
        if (marketType == 1) secondary();
        emit WowTokenSell(
            msg.sender, recipient, address(0), payout, fee, payout - fee, tokens, balanceOf[recipient], "", totalSupply, marketType
        );
    }

    function swap(address tokenIn, address tokenOut, address recipient, uint256 amount, uint160 limit) private returns (uint256) {
        return factory.router().exactInputSingle(
            ISwapRouter.ExactInputSingleParams(tokenIn, tokenOut, lpFee, recipient, block.timestamp, amount, 0, limit)
        );
    }

    function told(address recipient, address orderReferrer, uint256 fee, uint256 ethSold, uint256 tokens, string memory comment) private {
        if (bare) {
            emit WowTokenBuy(
                msg.sender, recipient, orderReferrer, msg.value, fee, ethSold, tokens, balanceOf[recipient], comment, marketType
            );
        } else {
            emit WowTokenBuy(
                msg.sender, recipient, orderReferrer, msg.value, fee, ethSold, tokens, balanceOf[recipient], comment, totalSupply, marketType
            );
        }
    }

    function graduate() private {
        marketType = 1;
        uint256 raised = address(this).balance;
        factory.weth().deposit{value: raised}();
        move(address(0), address(this), SECONDARY);
        factory.weth().approve(address(factory.positions()), raised);
        allowance[address(this)][address(factory.positions())] = SECONDARY;
        (address token0, address token1, bool wethFirst) = order();
        (uint256 amount0, uint256 amount1) = wethFirst ? (raised, SECONDARY) : (SECONDARY, raised);
        (positionId,,,) = factory.positions().mint(
            INonfungiblePositionManager.MintParams(token0, token1, lpFee, -887200, 887200, amount0, amount1, 0, 0, address(this), block.timestamp)
        );
        emit WowMarketGraduated(address(this), pool, raised, SECONDARY, positionId, marketType);
    }

    function disperse(uint256 fee, address orderReferrer) private {
        address order_ = orderReferrer == address(0) ? factory.protocol() : orderReferrer;
        address[] memory to = new address[](4);
        uint256[] memory amounts = new uint256[](4);
        bytes4[] memory reasons = new bytes4[](4);
        (to[0], to[1], to[2], to[3]) = (creator, referrer, order_, factory.protocol());
        (amounts[0], amounts[1], amounts[2], amounts[3]) = (fee * 5000 / 10000, fee * 1500 / 10000, fee * 1500 / 10000, fee * 2000 / 10000);
        reasons[0] = bytes4(keccak256("WOW_CREATOR_FEE"));
        factory.rewards().depositBatch{value: amounts[0] + amounts[1] + amounts[2] + amounts[3]}(to, amounts, reasons, "");
        emit WowTokenFees(creator, referrer, order_, factory.protocol(), amounts[0], amounts[1], amounts[2], amounts[3]);
    }

    function claimSecondaryRewards() external {
        secondary();
    }

    function secondary() private {
        (uint256 amount0, uint256 amount1) = factory.positions().collect(
            INonfungiblePositionManager.CollectParams(positionId, address(this), type(uint128).max, type(uint128).max)
        );
        (,, bool wethFirst) = order();
        (uint256 ethAmount, uint256 tokenAmount) = wethFirst ? (amount0, amount1) : (amount1, amount0);
        if (ethAmount > 0) {
            factory.weth().withdraw(ethAmount);
            address[] memory to = new address[](2);
            uint256[] memory amounts = new uint256[](2);
            bytes4[] memory reasons = new bytes4[](2);
            (to[0], to[1]) = (creator, factory.protocol());
            (amounts[0], amounts[1]) = (ethAmount / 2, ethAmount - ethAmount / 2);
            reasons[0] = bytes4(keccak256("WOW_CREATOR_SECONDARY_REWARD"));
            factory.rewards().depositBatch{value: ethAmount}(to, amounts, reasons, "");
        }
        if (tokenAmount > 0) {
            move(address(this), creator, tokenAmount / 2);
            move(address(this), factory.protocol(), tokenAmount - tokenAmount / 2);
        }
        emit WowTokenSecondaryRewards([ethAmount, tokenAmount, ethAmount / 2, tokenAmount / 2, 0, 0, 0, 0]);
    }

    function move(address from, address to, uint256 amount) private {
        if (from == address(0)) totalSupply += amount;
        else balanceOf[from] -= amount;
        if (to == address(0)) totalSupply -= amount;
        else balanceOf[to] += amount;
        emit Transfer(from, to, amount);
        emit WowTokenTransfer(from, to, amount, balanceOf[from], balanceOf[to], totalSupply);
    }

    function order() private view returns (address token0, address token1, bool wethFirst) {
        address weth = address(factory.weth());
        wethFirst = weth < address(this);
        (token0, token1) = wethFirst ? (weth, address(this)) : (address(this), weth);
    }

    function power(uint256 x) private pure returns (uint256 sum) {
        uint256 term = ONE;
        sum = ONE;
        for (uint256 n = 1; term > 0; n++) {
            term = term * (B * x) / (n * ONE);
            sum += term;
        }
    }
}
