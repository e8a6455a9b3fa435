// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20, INonfungiblePositionManager} from "./interfaces.sol";
import {LaunchToken} from "./LaunchToken.sol";
import {ISwapRouter} from "./swapRouter.sol";
import {IWETH, Rewards} from "./Wow.sol";

// Stand-ins that emit what the coins of WOW's factory emit, in its order, over the real Uniswap v3. For tests only.

contract CoinFactory {
    IWETH public immutable weth;
    INonfungiblePositionManager public immutable positions;
    ISwapRouter public immutable swapRouter;
    Rewards public immutable rewards;

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
    event CoinCreated(
        address indexed caller,
        address indexed payoutRecipient,
        address indexed platformReferrer,
        address currency,
        string uri,
        string name,
        string symbol,
        address coin,
        address pool,
        string version
    );
    event CoinCreated(
        address indexed deployer,
        address indexed creator,
        address indexed payoutRecipient,
        address platformReferrer,
        address currency,
        string tokenURI,
        string name,
        string symbol,
        address coin,
        address pool
    );

    constructor(IWETH weth_, INonfungiblePositionManager positions_, ISwapRouter router_, Rewards rewards_) {
        (weth, positions, swapRouter, rewards) = (weth_, positions_, router_, rewards_);
    }

    /// A currency of zero is ETH.
    function deploy(address creator, address currency, uint24 fee, bytes32 salt, uint256 firstBuy, bool old) external payable {
        address paired = currency == address(0) ? address(weth) : currency;
        Coin coin = new Coin{salt: salt}(creator, paired, fee);
        coin.deployPool();
        if (firstBuy > 0) {
            if (currency != address(0)) {
                IERC20(currency).transferFrom(msg.sender, address(this), firstBuy);
                IERC20(currency).approve(address(coin), firstBuy);
            }
            coin.buy{value: msg.value}(creator, firstBuy);
        }
        emit WowTokenCreated(
            address(this), creator, address(1), address(2), address(0), "ipfs://coin", "Coin", "COIN", address(coin), coin.pool()
        );
        if (old) {
            emit CoinCreated(msg.sender, creator, creator, address(1), currency, "ipfs://coin", "Coin", "COIN", address(coin), coin.pool());
        } else {
            emit CoinCreated(msg.sender, creator, address(1), currency, "ipfs://coin", "Coin", "COIN", address(coin), coin.pool(), "1.0.0");
        }
    }
}

contract Coin is LaunchToken("Coin", "COIN", msg.sender) {
    struct MarketRewards {
        uint256 totalAmountCurrency;
        uint256 totalAmountCoin;
        uint256 creatorPayoutAmountCurrency;
        uint256 creatorPayoutAmountCoin;
        uint256 platformReferrerAmountCurrency;
        uint256 platformReferrerAmountCoin;
        uint256 protocolAmountCurrency;
        uint256 protocolAmountCoin;
    }

    CoinFactory immutable factory;
    address immutable creator;
    address public immutable currency;
    uint24 immutable fee;
    address public pool;
    uint256 positionId;

    event CoinMarketRewards(
        address indexed payoutRecipient,
        address indexed platformReferrer,
        address protocolRewardRecipient,
        address currency,
        MarketRewards marketRewards
    );
    event CoinTradeRewards(
        address indexed payoutRecipient,
        address indexed platformReferrer,
        address indexed tradeReferrer,
        address protocolRewardRecipient,
        uint256 creatorReward,
        uint256 platformReferrerReward,
        uint256 traderReferrerReward,
        uint256 protocolReward,
        address currency
    );
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

    constructor(address creator_, address currency_, uint24 fee_) {
        (factory, creator, currency, fee) = (CoinFactory(msg.sender), creator_, currency_, fee_);
        balanceOf[msg.sender] -= totalSupply;
        balanceOf[address(this)] += totalSupply;
        emit Transfer(msg.sender, address(this), totalSupply);
    }

    receive() external payable {}

    /// The whole supply in one position from tick -208,200 of the coin up.
    function deployPool() external {
        INonfungiblePositionManager positions = factory.positions();
        bool first = address(this) < currency;
        (address token0, address token1) = first ? (address(this), currency) : (currency, address(this));
        // 1.0001^(-208200/2) and its inverse, outside of the position's range.
        uint160 price = first ? 2388000000000000000000000 : 2629000000000000000000000000000000;
        pool = positions.createAndInitializePoolIfNecessary(token0, token1, fee, price);
        allowance[address(this)][address(positions)] = totalSupply;
        (positionId,,,) = positions.mint(
            INonfungiblePositionManager.MintParams(
                token0, token1, fee, first ? int24(-208_200) : -887_200, first ? int24(887_200) : int24(208_200),
                first ? totalSupply : 0, first ? 0 : totalSupply, 0, 0, address(this), block.timestamp
            )
        );
    }

    /// One hundredth is shared out, half of it for the creator.
    function buy(address recipient, uint256 amount) external payable {
        if (currency == address(factory.weth())) {
            IWETH(currency).deposit{value: amount}();
        } else {
            IERC20(currency).transferFrom(msg.sender, address(this), amount);
        }
        uint256 reward = amount / 100;
        IERC20(currency).approve(address(factory.swapRouter()), amount - reward);
        uint256 bought = factory.swapRouter().exactInputSingle(
            ISwapRouter.ExactInputSingleParams(currency, address(this), fee, recipient, block.timestamp, amount - reward, 0, 0)
        );
        pay(reward, bytes4(keccak256("COIN_CREATOR_REWARD")));
        emit CoinTradeRewards(creator, address(1), address(2), address(2), reward / 2, 0, 0, reward - reward / 2, currency);
        emit WowTokenFees(creator, address(1), address(2), address(2), reward / 2, 0, 0, reward - reward / 2);
        claimSecondaryRewards();
        emit WowTokenBuy(
            msg.sender, recipient, address(2), msg.value, reward, amount - reward, bought, balanceOf[recipient], "", totalSupply, 1
        );
    }

    /// Collects the position's fees. Of their logs only `CoinMarketRewards` is the coin's own where they are all in the currency.
    function claimSecondaryRewards() public {
        (uint256 amount0, uint256 amount1) = factory.positions().collect(
            INonfungiblePositionManager.CollectParams(positionId, address(this), type(uint128).max, type(uint128).max)
        );
        (uint256 coins, uint256 amount) = address(this) < currency ? (amount0, amount1) : (amount1, amount0);
        if (amount > 0) pay(amount, bytes4(keccak256("COIN_CREATOR_MARKET_REWARD")));
        if (coins > 0) this.transfer(creator, coins);
        MarketRewards memory shares;
        (shares.totalAmountCurrency, shares.creatorPayoutAmountCurrency) = (amount, amount / 2);
        (shares.totalAmountCoin, shares.creatorPayoutAmountCoin) = (coins, coins);
        emit CoinMarketRewards(creator, address(1), address(2), currency, shares);
    }

    /// The creator gets half: of ETH in the escrow, of another currency at once.
    function pay(uint256 amount, bytes4 reason) private {
        if (currency != address(factory.weth())) {
            IERC20(currency).transfer(creator, amount / 2);
            IERC20(currency).transfer(address(2), amount - amount / 2);
            return;
        }
        IWETH(currency).withdraw(amount);
        address[] memory to = new address[](2);
        uint256[] memory amounts = new uint256[](2);
        bytes4[] memory reasons = new bytes4[](2);
        (to[0], to[1]) = (creator, address(2));
        (amounts[0], amounts[1], reasons[0]) = (amount / 2, amount - amount / 2, reason);
        factory.rewards().depositBatch{value: amount}(to, amounts, reasons, "");
    }
}
