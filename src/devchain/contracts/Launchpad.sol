// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BondingCurve, CurveTerms, IFeeEscrow} from "./BondingCurve.sol";
import {IERC20, INonfungiblePositionManager, IUniswapV3Pool} from "./interfaces.sol";
import {LaunchToken} from "./LaunchToken.sol";

/// The reference launchpad: creates tokens and their curves, escrows fees, and locks the liquidity of graduated tokens forever.
///
/// A realistic fixture for development and tests. NOT AUDITED, NOT FOR MAINNET. Known limitation: anybody who initialises a token's
/// pool at another price before it graduates blocks the graduation (`PoolPriceOff`).
contract Launchpad is IFeeEscrow {
    struct Launch {
        address creator;
        BondingCurve curve;
        address pool;
        uint256 positionId;
    }

    uint16 public constant feeBps = 100;
    uint16 public constant creatorShareBps = 5_000;
    uint24 public constant poolFee = 10_000;
    uint256 private constant BPS = 10_000;
    uint256 private constant TOTAL_SUPPLY = 1e27;
    /// The widest ticks that the 1 % tier's spacing of 200 allows.
    int24 private constant MAX_TICK = 887_200;
    address private constant DEAD = 0x000000000000000000000000000000000000dEaD;

    /// What its curves take and its pools are paired with: WETH for a launchpad that takes ETH.
    IERC20 public immutable quote;
    bool public immutable takesEther;
    INonfungiblePositionManager public immutable positionManager;
    /// Receives the share of the fees that creators do not get.
    address public immutable protocol;
    uint256 public immutable virtualWei;
    uint256 public immutable virtualToken;
    uint256 public immutable targetWei;

    mapping(address token => Launch) public launches;
    mapping(address curve => address token) public tokenOf;
    /// Escrowed for a creator and not claimed yet, without LP fees that are not collected yet.
    mapping(address token => mapping(address creator => mapping(address currency => uint256))) public claimable;
    mapping(address currency => uint256) public protocolFees;

    event TokenLaunched(
        address indexed token,
        address indexed creator,
        address indexed curve,
        string name,
        string symbol,
        string metadataUri,
        uint256 totalSupply,
        uint256 virtualWei,
        uint256 virtualToken,
        uint256 targetWei,
        uint16 feeBps,
        uint16 creatorShareBps
    );
    event Graduated(address indexed token, address indexed pool, uint256 positionId, uint256 quoteAmount, uint256 tokenAmount);
    event FeeAccrued(address indexed token, address indexed creator, address indexed currency, uint256 amount);
    event FeeClaimed(
        address indexed token, address indexed creator, address indexed currency, address recipient, uint256 amount
    );
    event ProtocolFeesWithdrawn(address indexed currency, uint256 amount);

    error BadTerms();
    error UnknownToken();
    error NotCurve();
    error NotCreator();
    error NotGraduated();
    error NothingToClaim();
    error NothingBought();
    error WrongCurrency();
    error PoolPriceOff(uint160 found, uint160 wanted);

    /// @param terms_virtualToken more than the supply, so that the unsold rest is enough for the pool at the curve's last price
    constructor(
        IERC20 quote_,
        bool takesEther_,
        INonfungiblePositionManager positionManager_,
        address protocol_,
        uint256 terms_virtualWei,
        uint256 terms_virtualToken,
        uint256 terms_targetWei
    ) {
        if (terms_virtualWei == 0 || terms_targetWei == 0 || terms_virtualWei + terms_targetWei >= 2 ** 96) revert BadTerms();
        if (terms_virtualToken >= 2 ** 96) revert BadTerms();
        // At the target the virtual token reserve is at least `finalToken`; the pool takes `targetWei / finalWei` of it, and what the curve
        // then holds must suffice for that.
        uint256 finalWei = terms_virtualWei + terms_targetWei;
        uint256 finalToken = terms_virtualToken * terms_virtualWei / finalWei;
        if (terms_virtualToken > TOTAL_SUPPLY + finalToken * terms_virtualWei / finalWei) revert BadTerms();

        quote = quote_;
        takesEther = takesEther_;
        positionManager = positionManager_;
        protocol = protocol_;
        virtualWei = terms_virtualWei;
        virtualToken = terms_virtualToken;
        targetWei = terms_targetWei;
    }

    /// Creates a token and its curve. The call's ether is the creator's first buy, in the same transaction.
    /// `TokenLaunched` is the last event of the transaction, as in launchpads on mainnet.
    function launch(string calldata name, string calldata symbol, string calldata metadataUri, uint256 minTokensOut)
        external
        payable
        returns (address token, address curve)
    {
        if (!takesEther) revert WrongCurrency();
        return _launch(name, symbol, metadataUri, msg.value, minTokensOut);
    }

    /// The same where the launchpad's curves take an ERC-20: `offered` is the creator's first buy, which it has approved.
    function launchWith(
        string calldata name,
        string calldata symbol,
        string calldata metadataUri,
        uint256 offered,
        uint256 minTokensOut
    ) external returns (address token, address curve) {
        if (takesEther) revert WrongCurrency();
        return _launch(name, symbol, metadataUri, offered, minTokensOut);
    }

    function _launch(
        string calldata name,
        string calldata symbol,
        string calldata metadataUri,
        uint256 offered,
        uint256 minTokensOut
    ) private returns (address token, address curve) {
        if (offered == 0 && minTokensOut > 0) revert NothingBought();
        BondingCurve made = new BondingCurve(quote, takesEther, CurveTerms(virtualWei, virtualToken, targetWei, feeBps));
        curve = address(made);
        token = address(new LaunchToken(name, symbol, curve));
        launches[token] = Launch(msg.sender, made, address(0), 0);
        tokenOf[curve] = token;
        if (!takesEther && offered > 0) quote.transferFrom(msg.sender, curve, offered);
        made.open{value: msg.value}(IERC20(token), msg.sender, minTokensOut);
        emit TokenLaunched(
            token,
            msg.sender,
            curve,
            name,
            symbol,
            metadataUri,
            TOTAL_SUPPLY,
            virtualWei,
            virtualToken,
            targetWei,
            feeBps,
            creatorShareBps
        );
    }

    /// Records a fee that the calling curve has just transferred.
    function accrueCurveFee(uint256 feeWei) external {
        address token = tokenOf[msg.sender];
        if (token == address(0)) revert NotCurve();
        _accrue(token, address(quote), feeWei);
    }

    /// Moves a complete curve's ETH and the matching tokens into a Uniswap v3 pool at the curve's last price, as a full-range
    /// position that stays here: no function moves it or takes liquidity out. Tokens left over are burned. Anybody may call it.
    function graduate(address token) external returns (address pool, uint256 positionId) {
        Launch storage launched = _launched(token);
        BondingCurve curve = launched.curve;
        uint256 lastWei = curve.virtualWei();
        uint256 lastToken = curve.virtualToken();
        (uint256 quoteAmount, uint256 heldToken) = curve.release();
        uint256 tokenAmount = quoteAmount * lastToken / lastWei;

        pool = _openPool(token, lastWei, lastToken);
        uint256 usedQuote;
        uint256 usedToken;
        (positionId, usedQuote, usedToken) = _lockLiquidity(token, quoteAmount, tokenAmount);
        launched.pool = pool;
        launched.positionId = positionId;
        protocolFees[address(quote)] += quoteAmount - usedQuote; // a few wei from rounding
        IERC20(token).transfer(DEAD, heldToken - usedToken);
        emit Graduated(token, pool, positionId, usedQuote, usedToken);
    }

    /// Collects the LP fees of a graduated token and books them to the creator and the protocol. Anybody may call it.
    function collectFees(address token) external {
        if (_launched(token).pool == address(0)) revert NotGraduated();
        _collect(token);
    }

    /// Pays the creator everything owed in WETH and in the token, with LP fees that are not collected yet.
    function claim(address token) external {
        Launch storage launched = _launched(token);
        if (msg.sender != launched.creator) revert NotCreator();
        if (launched.pool != address(0)) _collect(token);
        uint256 paidQuote = _payOut(token, address(quote));
        uint256 paidToken = _payOut(token, token);
        if (paidQuote == 0 && paidToken == 0) revert NothingToClaim();
    }

    /// Pays the protocol its share. Anybody may call it.
    function withdrawProtocolFees(address currency) external {
        uint256 amount = protocolFees[currency];
        if (amount == 0) revert NothingToClaim();
        protocolFees[currency] = 0;
        emit ProtocolFeesWithdrawn(currency, amount);
        IERC20(currency).transfer(protocol, amount);
    }

    function _launched(address token) private view returns (Launch storage launched) {
        launched = launches[token];
        if (launched.creator == address(0)) revert UnknownToken();
    }

    function _accrue(address token, address currency, uint256 fee) private {
        address creator = launches[token].creator;
        uint256 share = fee * creatorShareBps / BPS;
        protocolFees[currency] += fee - share;
        if (share == 0) return;
        claimable[token][creator][currency] += share;
        emit FeeAccrued(token, creator, currency, share);
    }

    function _payOut(address token, address currency) private returns (uint256 amount) {
        amount = claimable[token][msg.sender][currency];
        if (amount == 0) return 0;
        claimable[token][msg.sender][currency] = 0;
        emit FeeClaimed(token, msg.sender, currency, msg.sender, amount);
        IERC20(currency).transfer(msg.sender, amount);
    }

    function _collect(address token) private {
        (uint256 amount0, uint256 amount1) = positionManager.collect(
            INonfungiblePositionManager.CollectParams(
                launches[token].positionId, address(this), type(uint128).max, type(uint128).max
            )
        );
        bool tokenFirst = token < address(quote);
        _accrue(token, address(quote), tokenFirst ? amount1 : amount0);
        _accrue(token, token, tokenFirst ? amount0 : amount1);
    }

    function _openPool(address token, uint256 lastWei, uint256 lastToken) private returns (address pool) {
        bool tokenFirst = token < address(quote);
        uint160 price = tokenFirst ? _sqrtPriceX96(lastWei, lastToken) : _sqrtPriceX96(lastToken, lastWei);
        (address token0, address token1) = tokenFirst ? (token, address(quote)) : (address(quote), token);
        pool = positionManager.createAndInitializePoolIfNecessary(token0, token1, poolFee, price);
        (uint160 found,,,,,,) = IUniswapV3Pool(pool).slot0();
        if (found != price) revert PoolPriceOff(found, price);
    }

    function _lockLiquidity(address token, uint256 quoteAmount, uint256 tokenAmount)
        private
        returns (uint256 positionId, uint256 usedQuote, uint256 usedToken)
    {
        bool tokenFirst = token < address(quote);
        quote.approve(address(positionManager), quoteAmount);
        IERC20(token).approve(address(positionManager), tokenAmount);
        INonfungiblePositionManager.MintParams memory params;
        params.fee = poolFee;
        params.tickLower = -MAX_TICK;
        params.tickUpper = MAX_TICK;
        params.recipient = address(this);
        params.deadline = block.timestamp;
        // No lower bounds on the amounts: the pool's price was checked in this transaction.
        if (tokenFirst) {
            (params.token0, params.token1) = (token, address(quote));
            (params.amount0Desired, params.amount1Desired) = (tokenAmount, quoteAmount);
            (positionId,, usedToken, usedQuote) = positionManager.mint(params);
        } else {
            (params.token0, params.token1) = (address(quote), token);
            (params.amount0Desired, params.amount1Desired) = (quoteAmount, tokenAmount);
            (positionId,, usedQuote, usedToken) = positionManager.mint(params);
        }
        quote.approve(address(positionManager), 0);
        IERC20(token).approve(address(positionManager), 0);
    }

    /// `sqrt(amount1 / amount0) * 2^96`, off by less than 2^-50 of itself at any sensible price; both amounts are below 2^96.
    function _sqrtPriceX96(uint256 amount1, uint256 amount0) private pure returns (uint160) {
        return uint160(_sqrt((amount1 << 160) / amount0) << 16);
    }

    /// The integer square root, rounded down, by Newton's method from above.
    function _sqrt(uint256 value) private pure returns (uint256 root) {
        if (value == 0) return 0;
        root = 1;
        uint256 rest = value;
        while (rest > 0) {
            root <<= 1;
            rest >>= 2;
        }
        while (true) {
            uint256 next = (root + value / root) >> 1;
            if (next >= root) return root;
            root = next;
        }
    }
}
