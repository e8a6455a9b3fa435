// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "./interfaces.sol";
import {PoolKey} from "./v4.sol";
import {IMevModule} from "./V4Hook.sol";

/// The creators' accounts, by owner and currency. Emits what Clanker's fee locker emits.
///
/// A fixture for development and tests. Not audited, not for mainnet: anybody may pay in.
contract FeeLocker {
    mapping(address owner => mapping(address currency => uint256)) public availableFees;

    event StoreTokens(
        address indexed sender, address indexed feeOwner, address indexed token, uint256 balance, uint256 amount
    );
    event ClaimTokens(address indexed feeOwner, address indexed token, uint256 amountClaimed);

    error NoFeesToClaim();

    function storeFees(address owner, address currency, uint256 amount) external {
        IERC20(currency).transferFrom(msg.sender, address(this), amount);
        availableFees[owner][currency] += amount;
        emit StoreTokens(msg.sender, owner, currency, availableFees[owner][currency], amount);
    }

    function claim(address owner, address currency) external {
        uint256 balance = availableFees[owner][currency];
        if (balance == 0) revert NoFeesToClaim();
        availableFees[owner][currency] = 0;
        IERC20(currency).transfer(owner, balance);
        emit ClaimTokens(owner, currency, balance);
    }
}

/// Sells the first swaps of a new pool: every second block one, to the transaction with the highest gas price, which pays WETH by how far
/// that price lies above a peg. Four fifths go to the creator, one to the launchpad. A round without a bid ends the auction.
///
/// A fixture for development and tests that behaves like Clanker's ClankerSniperAuctionV0. Not audited, not for mainnet.
contract SniperAuction is IMevModule {
    struct Round {
        uint64 number;
        uint64 blockNumber;
        uint128 gasPeg;
    }

    uint256 private constant BLOCKS_BETWEEN = 2;
    uint256 private constant MAX_ROUNDS = 5;
    uint256 public constant PAYMENT_PER_GAS_UNIT = 0.0001 ether;

    IERC20 private immutable weth;
    FeeLocker private immutable feeLocker;
    address private immutable hook;
    address private immutable launchpad = msg.sender;
    mapping(address token => address) private beneficiary;
    mapping(bytes32 poolId => Round) public rounds;

    event AuctionWon(bytes32 indexed poolId, address indexed payee, uint256 paymentAmount, uint256 indexed round);
    event AuctionEnded(bytes32 indexed poolId);

    error OnlyHook();
    error OnlyLaunchpad();
    error NotAuctionBlock();
    error GasSignalNegative();

    constructor(IERC20 weth_, FeeLocker feeLocker_, address hook_) {
        (weth, feeLocker, hook) = (weth_, feeLocker_, hook_);
    }

    function setBeneficiary(address token, address creator) external {
        if (msg.sender != launchpad) revert OnlyLaunchpad();
        beneficiary[token] = creator;
    }

    function open(PoolKey calldata key) external {
        if (msg.sender != launchpad) revert OnlyLaunchpad();
        _nextRound(keccak256(abi.encode(key)), 1);
    }

    /// @param hookData who pays, as an address; it has to have approved this contract
    function beforeSwap(PoolKey calldata key, address token, bytes calldata hookData) external returns (bool ends) {
        if (msg.sender != hook) revert OnlyHook();
        bytes32 poolId = keccak256(abi.encode(key));
        Round memory round = rounds[poolId];
        if (block.number < round.blockNumber) revert NotAuctionBlock();
        if (block.number > round.blockNumber) return true;
        if (tx.gasprice < round.gasPeg) revert GasSignalNegative();
        address payee = abi.decode(hookData, (address));
        uint256 payment = (tx.gasprice - round.gasPeg) * PAYMENT_PER_GAS_UNIT;
        weth.transferFrom(payee, address(this), payment);
        emit AuctionWon(poolId, payee, payment, round.number);
        _share(token, payment);
        if (round.number == MAX_ROUNDS) {
            emit AuctionEnded(poolId);
            return true;
        }
        _nextRound(poolId, round.number + 1);
    }

    function _share(address token, uint256 payment) private {
        if (payment == 0) return;
        weth.transfer(launchpad, payment / 5);
        weth.approve(address(feeLocker), payment - payment / 5);
        feeLocker.storeFees(beneficiary[token], address(weth), payment - payment / 5);
    }

    /// The peg is what the base fee may at most become until then, so that it says nothing of what is bid.
    function _nextRound(bytes32 poolId, uint64 number) private {
        uint256 peg = block.basefee * 1125 ** BLOCKS_BETWEEN / 1000 ** BLOCKS_BETWEEN;
        rounds[poolId] = Round(number, uint64(block.number + BLOCKS_BETWEEN), uint128(peg));
    }
}
