// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Coin, IV2Factory, IV2Pair, IWETH} from "Mapped.sol";

/*
 * The events of nad.fun's second bonding curve, in their order, and its arithmetic (BONDING_CURVE_INTEGRATION.md in
 * github.com/Naddotfun/nadfun-contract-v2-abi): one contract for all tokens, a currency per token, reserves in an event of their own before
 * each trade, no fee in any event.
 */
contract NadFun {
    struct Curve {
        address creator;
        IWETH quote;
        uint256 virtualQuote;
        uint256 virtualToken;
        uint256 realQuote;
        address pair;
        bool graduated;
    }

    uint256 public constant VIRTUAL_QUOTE = 7 ether;
    uint256 public constant VIRTUAL_TOKEN = 1_060_569_000 ether;
    uint256 public constant MIN_TOKEN = 251_660_440 ether;
    uint256 private constant K = VIRTUAL_QUOTE * VIRTUAL_TOKEN;
    /// Of the protocol and the creator, in basis points.
    uint256 private constant FEES = 200;
    IV2Factory private immutable factory;
    mapping(address token => Curve) public curves;

    event Create(
        address indexed creator,
        address indexed token,
        address indexed pair,
        address quoteToken,
        string name,
        string symbol,
        string tokenURI,
        uint256 virtualQuoteReserve,
        uint256 virtualTokenReserve,
        uint256 minTokenReserve
    );
    event Buy(address indexed token, address indexed buyer, uint256 quoteIn, uint256 tokenOut);
    event Sell(address indexed token, address indexed seller, uint256 tokenIn, uint256 quoteOut);
    event Sync(address indexed token, uint256 realQuote, uint256 realToken, uint256 virtualQuote, uint256 virtualToken);
    event Graduate(address indexed token, address indexed pair);

    constructor(IV2Factory factory_) {
        factory = factory_;
    }

    function create(IWETH quote, uint256 firstBuy) external returns (address token) {
        token = address(new Coin(18, 1e27, 0));
        address pair = factory.createPair(token, address(quote));
        curves[token] = Curve(msg.sender, quote, VIRTUAL_QUOTE, VIRTUAL_TOKEN, 0, pair, false);
        emit Create(msg.sender, token, pair, address(quote), "Nad", "NAD", "ipfs://nad", VIRTUAL_QUOTE, VIRTUAL_TOKEN, MIN_TOKEN);
        if (firstBuy > 0) buy(token, firstBuy);
    }

    function buy(address token, uint256 quoteIn) public {
        Curve storage curve = curves[token];
        curve.quote.transferFrom(msg.sender, address(this), quoteIn);
        uint256 intoCurve = quoteIn - _ceil(quoteIn * FEES, 10_000);
        uint256 out = curve.virtualToken - _ceil(K, curve.virtualQuote + intoCurve);
        if (out > curve.virtualToken - MIN_TOKEN) {
            // The last buy takes what is left, and gets back what it does not need.
            out = curve.virtualToken - MIN_TOKEN;
            intoCurve = _ceil(K, MIN_TOKEN) - curve.virtualQuote;
            uint256 needed = _ceil(intoCurve * 10_000, 10_000 - FEES);
            curve.quote.transfer(msg.sender, quoteIn - needed);
            quoteIn = needed;
        }
        curve.virtualQuote += intoCurve;
        curve.realQuote += intoCurve;
        curve.virtualToken -= out;
        Coin(token).transfer(msg.sender, out);
        _sync(token);
        emit Buy(token, msg.sender, quoteIn, out);
        if (curve.virtualToken == MIN_TOKEN) _graduate(token);
    }

    function sell(address token, uint256 tokenIn) external {
        Curve storage curve = curves[token];
        Coin(token).transferFrom(msg.sender, address(this), tokenIn);
        uint256 out = curve.virtualQuote - _ceil(K, curve.virtualToken + tokenIn);
        curve.virtualQuote -= out;
        curve.realQuote -= out;
        curve.virtualToken += tokenIn;
        uint256 quoteOut = out - _ceil(out * FEES, 10_000);
        curve.quote.transfer(msg.sender, quoteOut);
        _sync(token);
        emit Sell(token, msg.sender, tokenIn, quoteOut);
    }

    /// What the curve has raised when it graduates.
    function target() external pure returns (uint256) {
        return _ceil(K, MIN_TOKEN) - VIRTUAL_QUOTE;
    }

    function _graduate(address token) private {
        Curve storage curve = curves[token];
        curve.graduated = true;
        curve.quote.transfer(curve.pair, curve.realQuote);
        Coin(token).transfer(curve.pair, Coin(token).balanceOf(address(this)));
        IV2Pair(curve.pair).mint(address(0xdEaD));
        emit Graduate(token, curve.pair);
    }

    function _sync(address token) private {
        Curve storage curve = curves[token];
        emit Sync(token, curve.realQuote, Coin(token).balanceOf(address(this)), curve.virtualQuote, curve.virtualToken);
    }

    function _ceil(uint256 a, uint256 b) private pure returns (uint256) {
        return (a + b - 1) / b;
    }
}
