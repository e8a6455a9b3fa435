// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20, IWETH9} from "./interfaces.sol";

interface IFeeEscrow {
    function accrueCurveFee(uint256 feeWei) external;
}

/// The terms that all curves of a launchpad share.
struct CurveTerms {
    uint256 virtualWei;
    uint256 virtualToken;
    uint256 targetWei;
    uint16 feeBps;
}

/// Sells one token's supply for ETH, or for an ERC-20, at a constant product of virtual reserves, until it has raised its target.
///
/// `virtualWei * virtualToken` never falls (every division rounds in the curve's favour), and `virtualWei - realWei` never changes.
/// The fee is taken from the ETH side of each trade, wrapped, and escrowed by the launchpad. Where the curve takes an ERC-20, what is
/// called wei here are that currency's smallest units.
///
/// A fixture for development and tests that behaves like a real launchpad's curve. Not audited, not for mainnet.
contract BondingCurve {
    enum Phase {
        Unopened,
        Trading,
        Complete,
        Released
    }

    uint256 private constant BPS = 10_000;

    address public immutable launchpad;
    /// What is escrowed and what the pool gets: WETH for a curve that takes ETH.
    IERC20 public immutable quote;
    bool public immutable takesEther;
    uint256 public immutable targetWei;
    uint16 public immutable feeBps;

    IERC20 public token;
    Phase public phase;
    uint256 public virtualWei;
    uint256 public virtualToken;
    /// ETH raised, without fees. Ether that is forced into the contract is not counted.
    uint256 public realWei;

    event Bought(
        address indexed buyer,
        address indexed recipient,
        uint256 paidWei,
        uint256 feeWei,
        uint256 tokenAmount,
        uint256 virtualWei,
        uint256 virtualToken,
        uint256 realWei,
        uint256 realToken
    );
    event Sold(
        address indexed seller,
        address indexed recipient,
        uint256 tokenAmount,
        uint256 receivedWei,
        uint256 feeWei,
        uint256 virtualWei,
        uint256 virtualToken,
        uint256 realWei,
        uint256 realToken
    );
    event Completed(uint256 raisedWei);

    error NotLaunchpad();
    error NotTrading();
    error NotComplete();
    error NothingBought();
    error NothingReceived();
    error SlippageExceeded(uint256 offered, uint256 wanted);
    error EtherTransferFailed();
    error WrongCurrency();

    modifier onlyLaunchpad() {
        if (msg.sender != launchpad) revert NotLaunchpad();
        _;
    }

    constructor(IERC20 quote_, bool takesEther_, CurveTerms memory terms) {
        launchpad = msg.sender;
        quote = quote_;
        takesEther = takesEther_;
        virtualWei = terms.virtualWei;
        virtualToken = terms.virtualToken;
        targetWei = terms.targetWei;
        feeBps = terms.feeBps;
    }

    /// Starts trading. The call's ether, or what the curve was sent before of the ERC-20, is the creator's first buy.
    function open(IERC20 token_, address creator, uint256 minTokensOut) external payable onlyLaunchpad {
        if (phase != Phase.Unopened) revert NotTrading();
        token = token_;
        phase = Phase.Trading;
        uint256 offered = takesEther ? msg.value : quote.balanceOf(address(this));
        if (offered > 0) _buy(creator, creator, offered, minTokensOut);
    }

    /// Buys for the call's ether. The buy that reaches the target pays only what is missing and gets the rest back;
    /// then the curve is complete and no longer trades.
    function buy(address recipient, uint256 minTokensOut) external payable {
        if (!takesEther) revert WrongCurrency();
        _buy(msg.sender, recipient, msg.value, minTokensOut);
    }

    /// The same for an approved amount of the curve's ERC-20.
    function buyWith(uint256 offered, address recipient, uint256 minTokensOut) external {
        if (takesEther) revert WrongCurrency();
        quote.transferFrom(msg.sender, address(this), offered);
        _buy(msg.sender, recipient, offered, minTokensOut);
    }

    /// Sells approved tokens. `minWeiOut` is the least that the seller receives after the fee.
    function sell(uint256 tokenAmount, address recipient, uint256 minWeiOut) external {
        if (phase != Phase.Trading) revert NotTrading();
        (uint256 receivedWei, uint256 feeWei) = quoteSell(tokenAmount);
        if (receivedWei == 0) revert NothingReceived();
        if (receivedWei < minWeiOut) revert SlippageExceeded(receivedWei, minWeiOut);

        // Before the effects, so that a seller without tokens gets the right error. The token is known and calls no other contract.
        token.transferFrom(msg.sender, address(this), tokenAmount);
        virtualWei -= receivedWei + feeWei;
        realWei -= receivedWei + feeWei;
        virtualToken += tokenAmount;

        _escrow(feeWei);
        emit Sold(
            msg.sender, recipient, tokenAmount, receivedWei, feeWei, virtualWei, virtualToken, realWei, token.balanceOf(address(this))
        );
        _pay(recipient, receivedWei);
    }

    /// Sends the raised ETH, wrapped, and the unsold tokens to the launchpad for the pool. Works once.
    function release() external onlyLaunchpad returns (uint256 quoteAmount, uint256 tokenAmount) {
        if (phase != Phase.Complete) revert NotComplete();
        phase = Phase.Released;
        quoteAmount = realWei;
        realWei = 0;
        tokenAmount = token.balanceOf(address(this));
        _toLaunchpad(quoteAmount);
        token.transfer(launchpad, tokenAmount);
    }

    /// The result of a buy now: tokens out, fee, and the refund when the buy would exceed the target.
    function quoteBuy(uint256 offeredWei) public view returns (uint256 tokenAmount, uint256 feeWei, uint256 refundWei) {
        feeWei = offeredWei * feeBps / BPS;
        uint256 netWei = offeredWei - feeWei;
        uint256 missingWei = targetWei - realWei;
        if (netWei > missingWei) {
            netWei = missingWei;
            // The largest payment that leaves exactly the missing amount after its fee. It is less than the offered payment.
            uint256 paidWei = netWei * BPS / (BPS - feeBps);
            feeWei = paidWei - netWei;
            refundWei = offeredWei - paidWei;
        }
        tokenAmount = virtualToken * netWei / (virtualWei + netWei);
    }

    /// The result of a sale now: the payment after the fee, and the fee.
    function quoteSell(uint256 tokenAmount) public view returns (uint256 receivedWei, uint256 feeWei) {
        uint256 grossWei = virtualWei * tokenAmount / (virtualToken + tokenAmount);
        feeWei = grossWei * feeBps / BPS;
        receivedWei = grossWei - feeWei;
    }

    function _buy(address buyer, address recipient, uint256 offeredWei, uint256 minTokensOut) private {
        if (phase != Phase.Trading) revert NotTrading();
        (uint256 tokenAmount, uint256 feeWei, uint256 refundWei) = quoteBuy(offeredWei);
        if (tokenAmount == 0) revert NothingBought();
        if (tokenAmount < minTokensOut) revert SlippageExceeded(tokenAmount, minTokensOut);

        uint256 paidWei = offeredWei - refundWei;
        virtualWei += paidWei - feeWei;
        realWei += paidWei - feeWei;
        virtualToken -= tokenAmount;
        bool complete = realWei == targetWei;
        if (complete) phase = Phase.Complete;

        _escrow(feeWei);
        token.transfer(recipient, tokenAmount);
        emit Bought(
            buyer, recipient, paidWei, feeWei, tokenAmount, virtualWei, virtualToken, realWei, token.balanceOf(address(this))
        );
        if (complete) emit Completed(realWei);
        if (refundWei > 0) _pay(buyer, refundWei);
    }

    function _escrow(uint256 feeWei) private {
        if (feeWei == 0) return;
        _toLaunchpad(feeWei);
        IFeeEscrow(launchpad).accrueCurveFee(feeWei);
    }

    function _toLaunchpad(uint256 amountWei) private {
        if (takesEther) IWETH9(address(quote)).deposit{value: amountWei}();
        quote.transfer(launchpad, amountWei);
    }

    /// Always the last step of a trade, because the receiver can run code.
    function _pay(address to, uint256 amountWei) private {
        if (!takesEther) {
            quote.transfer(to, amountWei);
            return;
        }
        (bool ok,) = to.call{value: amountWei}("");
        if (!ok) revert EtherTransferFailed();
    }
}
