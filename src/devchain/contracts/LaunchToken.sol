// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A plain ERC-20 of fixed supply: no owner, no fee on transfer, no hook, no mint, no burn.
///
/// A fixture for development and tests that behaves like a real launchpad's token. Not audited, not for mainnet.
contract LaunchToken {
    uint256 public constant totalSupply = 1e27;

    string public name;
    string public symbol;
    mapping(address holder => uint256) public balanceOf;
    mapping(address holder => mapping(address spender => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    error InsufficientBalance();
    error InsufficientAllowance();
    error ZeroAddress();

    constructor(string memory name_, string memory symbol_, address curve) {
        name = name_;
        symbol = symbol_;
        balanceOf[curve] = totalSupply;
        emit Transfer(address(0), curve, totalSupply);
    }

    function decimals() external pure virtual returns (uint8) {
        return 18;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _transfer(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) {
            if (allowed < value) revert InsufficientAllowance();
            allowance[from][msg.sender] = allowed - value;
        }
        _transfer(from, to, value);
        return true;
    }

    function _transfer(address from, address to, uint256 value) private {
        if (to == address(0)) revert ZeroAddress();
        uint256 balance = balanceOf[from];
        if (balance < value) revert InsufficientBalance();
        unchecked {
            balanceOf[from] = balance - value;
            balanceOf[to] += value; // cannot overflow: the sum of all balances is totalSupply
        }
        emit Transfer(from, to, value);
    }
}

/// A currency of 6 decimals that stands for a dollar on a development chain: 10^21 of them, all of one holder.
contract DevDollar is LaunchToken {
    constructor(address holder) LaunchToken("Development Dollar", "DUSD", holder) {}

    function decimals() external pure override returns (uint8) {
        return 6;
    }
}
