// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A currency whose balances its deployer multiplies, that keeps a part of each transfer, has no symbol, and says any decimals.
/// A test fixture.
contract HostileQuote {
    mapping(address holder => uint256) private shares;
    mapping(address holder => mapping(address spender => uint256)) public allowance;
    uint256 public scale = 1;
    uint256 public feeBps;
    uint256 public decimals = 18;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor() {
        shares[msg.sender] = 1e27;
    }

    function turn(uint256 scale_, uint256 feeBps_, uint256 decimals_) external {
        (scale, feeBps, decimals) = (scale_, feeBps_, decimals_);
    }

    function balanceOf(address holder) public view returns (uint256) {
        return shares[holder] * scale;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        return true;
    }

    function move(address from, address to, uint256 value) private {
        shares[from] -= value / scale;
        shares[to] += (value - value * feeBps / 10_000) / scale;
        emit Transfer(from, to, value);
    }
}
