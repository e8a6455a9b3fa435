// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Coin, IV2Factory, IV2Pair, IWETH} from "Mapped.sol";

/*
 * The events of four.meme's second manager, in their order: one contract for all tokens, the currency and the target of a token in no event
 * but in `_tokenInfos`, a fee beside the cost, and a pair of PancakeSwap that no event names. Its curve is not published; this one is of
 * constant product.
 */
contract FourMeme {
    struct Info {
        address base;
        /// The zero address: the chain's own currency.
        address quote;
        uint256 template;
        uint256 totalSupply;
        uint256 maxOffers;
        uint256 maxRaising;
        uint256 launchTime;
        uint256 offers;
        uint256 funds;
        uint256 lastPrice;
        uint256 K;
        uint256 T;
        uint256 status;
    }

    uint256 private constant OFFERS = 800_000_000 ether;
    uint256 private constant VIRTUAL_TOKEN = 1_073_000_000 ether;
    uint256 private constant VIRTUAL_QUOTE = 1.5 ether;
    uint256 private constant K = VIRTUAL_TOKEN * VIRTUAL_QUOTE;
    IV2Factory private immutable factory;
    IWETH private immutable weth;
    mapping(address token => Info) public _tokenInfos;
    uint256 private requests;

    event TokenCreate(address creator, address token, uint256 requestId, string name, string symbol, uint256 totalSupply, uint256 launchTime, uint256 launchFee);
    event TokenPurchase(address token, address account, uint256 price, uint256 amount, uint256 cost, uint256 fee, uint256 offers, uint256 funds);
    event TokenSale(address token, address account, uint256 price, uint256 amount, uint256 cost, uint256 fee, uint256 offers, uint256 funds);
    event TradeStop(address token);
    event LiquidityAdded(address base, uint256 offers, address quote, uint256 funds);

    constructor(IV2Factory factory_, IWETH weth_) {
        factory = factory_;
        weth = weth_;
    }

    function createToken(address quote, uint256 firstBuy) external payable returns (address token) {
        token = address(new Coin(18, 1e27, 0));
        uint256 raising = _ceil(K, VIRTUAL_TOKEN - OFFERS) - VIRTUAL_QUOTE;
        _tokenInfos[token] = Info(token, quote, 1, 1e27, OFFERS, raising, block.timestamp, OFFERS, 0, _price(OFFERS, 0), K, 1, 0);
        emit TokenCreate(msg.sender, token, ++requests, "Four", "FOUR", 1e27, block.timestamp, 0);
        if (firstBuy > 0) buyTokenAMAP(token, firstBuy);
    }

    function buyTokenAMAP(address token, uint256 funds) public payable {
        Info storage info = _tokenInfos[token];
        uint256 cost = funds * 100 / 101;
        uint256 left = VIRTUAL_TOKEN - OFFERS + info.offers;
        uint256 amount = left - _ceil(K, VIRTUAL_QUOTE + info.funds + cost);
        if (amount > info.offers) (amount, cost) = (info.offers, info.maxRaising - info.funds);
        uint256 fee = cost / 100;
        info.offers -= amount;
        info.funds += cost;
        info.lastPrice = _price(info.offers, info.funds);
        if (info.quote != address(0)) IWETH(info.quote).transferFrom(msg.sender, address(this), cost + fee);
        else payable(msg.sender).transfer(msg.value - cost - fee);
        Coin(token).transfer(msg.sender, amount);
        emit TokenPurchase(token, msg.sender, info.lastPrice, amount, cost, fee, info.offers, info.funds);
        if (info.offers == 0) {
            info.status = 1;
            emit TradeStop(token);
        }
    }

    function sellToken(address token, uint256 amount) external {
        Info storage info = _tokenInfos[token];
        Coin(token).transferFrom(msg.sender, address(this), amount);
        uint256 left = VIRTUAL_TOKEN - OFFERS + info.offers;
        uint256 cost = VIRTUAL_QUOTE + info.funds - _ceil(K, left + amount);
        uint256 fee = cost / 100;
        info.offers += amount;
        info.funds -= cost;
        info.lastPrice = _price(info.offers, info.funds);
        if (info.quote != address(0)) IWETH(info.quote).transfer(msg.sender, cost - fee);
        else payable(msg.sender).transfer(cost - fee);
        emit TokenSale(token, msg.sender, info.lastPrice, amount, cost, fee, info.offers, info.funds);
    }

    /// A later transaction of the launchpad's own.
    function addLiquidity(address token) external {
        Info storage info = _tokenInfos[token];
        info.status = 2;
        IWETH quote = info.quote == address(0) ? weth : IWETH(info.quote);
        if (info.quote == address(0)) weth.deposit{value: info.funds}();
        address pair = factory.createPair(token, address(quote));
        quote.transfer(pair, info.funds);
        Coin(token).transfer(pair, Coin(token).balanceOf(address(this)));
        IV2Pair(pair).mint(address(0xdEaD));
        emit LiquidityAdded(token, 1e27 - OFFERS, info.quote, info.funds);
    }

    /// Wei per whole token.
    function _price(uint256 offers, uint256 funds) private pure returns (uint256) {
        return (VIRTUAL_QUOTE + funds) * 1 ether / (VIRTUAL_TOKEN - OFFERS + offers);
    }

    function _ceil(uint256 a, uint256 b) private pure returns (uint256) {
        return (a + b - 1) / b;
    }
}
