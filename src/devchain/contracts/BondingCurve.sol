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

/// Sells one token's supply for ETH at a constant product of virtual reserves, until it has raised its target.
///
/// `virtualWei * virtualToken` never falls (every division rounds in the curve's favour), and `virtualWei - realWei` never changes.
/// The fee is taken from the ETH side of each trade, wrapped, and escrowed by the launchpad.
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
    IWETH9 public immutable weth;
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

    modifier onlyLaunchpad() {
        if (msg.sender != launchpad) revert NotLaunchpad();
        _;
    }

    constructor(IWETH9 weth_, CurveTerms memory terms) {
        launchpad = msg.sender;
        weth = weth_;
        virtualWei = terms.virtualWei;
        virtualToken = terms.virtualToken;
        targetWei = terms.targetWei;
        feeBps = terms.feeBps;
    }

    /// Starts trading. The call's ether is the creator's first buy.
    function open(IERC20 token_, address creator, uint256 minTokensOut) external payable onlyLaunchpad {
        if (phase != Phase.Unopened) revert NotTrading();
        token = token_;
        phase = Phase.Trading;
        if (msg.value > 0) _buy(creator, creator, minTokensOut);
    }

    /// Buys for the call's ether. The buy that reaches the target pays only what is missing and gets the rest back;
    /// then the curve is complete and no longer trades.
    function buy(address recipient, uint256 minTokensOut) external payable {
        _buy(msg.sender, recipient, minTokensOut);
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
    function release() external onlyLaunchpad returns (uint256 wethAmount, uint256 tokenAmount) {
        if (phase != Phase.Complete) revert NotComplete();
        phase = Phase.Released;
        wethAmount = realWei;
        realWei = 0;
        tokenAmount = token.balanceOf(address(this));
        weth.deposit{value: wethAmount}();
        weth.transfer(launchpad, wethAmount);
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

    function _buy(address buyer, address recipient, uint256 minTokensOut) private {
        if (phase != Phase.Trading) revert NotTrading();
        (uint256 tokenAmount, uint256 feeWei, uint256 refundWei) = quoteBuy(msg.value);
        if (tokenAmount == 0) revert NothingBought();
        if (tokenAmount < minTokensOut) revert SlippageExceeded(tokenAmount, minTokensOut);

        uint256 paidWei = msg.value - refundWei;
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
        weth.deposit{value: feeWei}();
        weth.transfer(launchpad, feeWei);
        IFeeEscrow(launchpad).accrueCurveFee(feeWei);
    }

    /// Always the last step of a trade, because the receiver can run code.
    function _pay(address to, uint256 amountWei) private {
        (bool ok,) = to.call{value: amountWei}("");
        if (!ok) revert EtherTransferFailed();
    }
}
