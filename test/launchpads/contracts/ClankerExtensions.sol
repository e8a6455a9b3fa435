// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20, IWETH9} from "./interfaces.sol";
import {IPoolManager, PoolKey, Settling} from "./v4.sol";

/* What Clanker's extensions do with the part of a token's supply that they get at its launch. Fixtures for tests only. */

/// Keeps it for an admin, as ClankerVault does after its lockup.
contract Vault {
    mapping(address token => address) admins;

    function receiveTokens(PoolKey calldata, address token, uint256 supply, bytes calldata data) external payable {
        admins[token] = abi.decode(data, (address));
        IERC20(token).transferFrom(msg.sender, address(this), supply);
    }

    function claim(address token) external {
        IERC20(token).transfer(admins[token], IERC20(token).balanceOf(address(this)) / 3);
    }
}

/// Keeps it for several accounts in equal parts, as ClankerAirdrop does for those of a Merkle tree.
contract Airdrop {
    mapping(address token => mapping(address account => uint256)) amounts;

    function receiveTokens(PoolKey calldata, address token, uint256 supply, bytes calldata data) external payable {
        address[] memory accounts = abi.decode(data, (address[]));
        for (uint256 i = 0; i < accounts.length; i++) amounts[token][accounts[i]] = supply / accounts.length;
        IERC20(token).transferFrom(msg.sender, address(this), supply);
    }

    function claim(address token) external {
        IERC20(token).transfer(msg.sender, amounts[token][msg.sender]);
        amounts[token][msg.sender] = 0;
    }
}

/// Sells it for ETH before the launch, which it then sends itself, as ClankerPresaleEthToCreator does.
contract Presale {
    mapping(address account => uint256) paid;
    uint256 total;
    uint256 supply;

    function buyIntoPresale() external payable {
        paid[msg.sender] += msg.value;
        total += msg.value;
    }

    function endPresale(address launchpad, bytes calldata launch) external {
        (bool ok,) = launchpad.call(launch);
        require(ok);
    }

    function receiveTokens(PoolKey calldata, address token, uint256 given, bytes calldata) external payable {
        supply = given;
        IERC20(token).transferFrom(msg.sender, address(this), given);
    }

    function claim(address token) external {
        IERC20(token).transfer(msg.sender, supply * paid[msg.sender] / total);
        paid[msg.sender] = 0;
    }
}

/// Gets none of it, and buys with the launch's ether for an account, as ClankerUniv4EthDevBuy does.
contract DevBuy is Settling {
    IWETH9 immutable weth;

    constructor(IPoolManager manager_, IWETH9 weth_) Settling(manager_) {
        weth = weth_;
    }

    function receiveTokens(PoolKey calldata key, address token, uint256, bytes calldata data) external payable {
        weth.deposit{value: msg.value}();
        manager.unlock(abi.encode(key, token, msg.value));
        IERC20(token).transfer(abi.decode(data, (address)), IERC20(token).balanceOf(address(this)));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        (PoolKey memory key, address token, uint256 amount) = abi.decode(data, (PoolKey, address, uint256));
        _even(key, _swapFor(key, token, amount), address(this));
        return "";
    }
}

interface IV4Router {
    function swap(PoolKey calldata key, bool zeroForOne, int256 amountSpecified, bytes calldata hookData) external;
}

/// Bids in a pool's auction for its caller, whose tokens pass through it, as ClankerSniperUtilV0 does.
contract SniperUtil {
    IV4Router immutable router;
    address immutable auction;
    IWETH9 immutable weth;

    constructor(IV4Router router_, address auction_, IWETH9 weth_) {
        (router, auction, weth) = (router_, auction_, weth_);
    }

    function bidInAuction(PoolKey calldata key, bool zeroForOne, uint256 amountIn) external payable {
        weth.deposit{value: msg.value}();
        weth.approve(auction, msg.value);
        (address tokenIn, address tokenOut) = zeroForOne ? (key.currency0, key.currency1) : (key.currency1, key.currency0);
        IERC20(tokenIn).transferFrom(msg.sender, address(this), amountIn);
        IERC20(tokenIn).approve(address(router), amountIn);
        router.swap(key, zeroForOne, -int256(amountIn), abi.encode(address(this)));
        IERC20(tokenOut).transfer(msg.sender, IERC20(tokenOut).balanceOf(address(this)));
    }
}
